"""The ground of a game: what lies below other sprites and takes no part in the play."""

from __future__ import annotations

from collections import Counter

from pcg.engine.vgdl.definition import GameDefinition


def ground_types(definition: GameDefinition) -> set[int]:
    """Return the static types that lie below others in what at least two level characters stand for.

    What the sprite set lists first is drawn first: that is the ground, wherever the level mapping has it. The wall and
    the avatar that every game has come before the sprite set; a character with one that is not listed has the ground as
    its first name.

    >>> import pcg
    >>> definition = pcg.load("dungeon").definition
    >>> [definition.types[t].name for t in ground_types(definition)]
    ['floor']
    """
    index = {t.name: t for t in definition.types}
    below: Counter[str] = Counter()
    for names in definition.mapping.values():
        if len(names) > 1:
            lines = [index[name].line if name in index else 0 for name in names]
            below[names[lines.index(min(lines))] if min(lines) else names[0]] += 1
    return {t.id for t in definition.types if t.class_name == "Immovable" and below[t.name] >= 2}
