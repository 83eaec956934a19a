"""The Gymnasium space of the learning track's JSON dictionaries, whose lists vary in length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from pcg.engine.context import Context
from pcg.engine.observation_json import FIELDS, OPTIONAL_FIELDS, Json, as_json

if TYPE_CHECKING:
    from pcg.engine.game import Game

_LONGEST_SAMPLE = 50


class JsonSpace(spaces.Space[Json]):
    """Dictionaries with the fields of reference/state 6.7, each of its type.

    A sample is what a random play on one of the levels shows after at most 50 ticks.
    """

    def __init__(self, game: Game, contexts: Sequence[Context], seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)
        self._game = game
        self._contexts = tuple(contexts)

    def __repr__(self) -> str:
        return f"JsonSpace({self._game.name})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JsonSpace)
            and self._game.digest == other._game.digest
            and [c.level.rows for c in self._contexts] == [c.level.rows for c in other._contexts]
        )

    def __hash__(self) -> int:
        return id(self)

    @property
    def is_np_flattenable(self) -> bool:
        """False: the lists vary in length."""
        return False

    def contains(self, x: Any) -> bool:
        """Return true if `x` has all fields, no other ones, and values of their types, positions and grid in shape."""
        if not isinstance(x, dict) or not FIELDS.keys() <= x.keys() <= FIELDS.keys() | OPTIONAL_FIELDS.keys():
            return False
        kinds = {**FIELDS, **OPTIONAL_FIELDS}
        if not all(type(value) is kinds[name] for name, value in x.items()):
            return False
        grid = x["observationGrid"]
        return (
            all(len(x[name]) == 2 for name in ("worldDimension", "avatarPosition", "avatarOrientation"))
            and len(grid) == x["observationGridNum"]
            and all(len(column) == x["observationGridMaxRow"] for column in grid)
        )

    def sample(self, mask: Any = None, probability: Any = None) -> Json:
        """A dictionary from a random play; masks have no meaning here."""
        if mask is not None or probability is not None:
            raise ValueError("a JsonSpace samples without mask or probability")
        draw = self.np_random
        context = self._contexts[int(draw.integers(len(self._contexts)))]
        state = self._game.start(context.level, int(draw.integers(2**31)))
        for _ in range(int(draw.integers(_LONGEST_SAMPLE + 1))):
            actions = [int(draw.integers(6)) for _ in range(self._game.players)]
            state.advance(actions if self._game.players > 1 else actions[0])
        return as_json(state)
