"""A cache of what is read from the rules of a game: worked out once for each definition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from pcg.engine.vgdl.definition import GameDefinition

T = TypeVar("T")

_AT_MOST = 64


def once_per_definition(read: Callable[[GameDefinition], T]) -> Callable[[GameDefinition], T]:
    """Decorate a function of a definition, so that it is called once for each of the last 64 or so.

    Definitions are told apart by identity: comparing them takes longer than most plays.
    """
    known: dict[int, tuple[GameDefinition, T]] = {}  # holding the definition keeps its id its own

    @functools.wraps(read)
    def cached(definition: GameDefinition) -> T:
        found = known.get(id(definition))
        if found is None:
            if len(known) >= _AT_MOST:
                known.clear()
            found = known[id(definition)] = (definition, read(definition))
        return found[1]

    return cached
