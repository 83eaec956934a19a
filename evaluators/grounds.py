"""The ground of a game: what lies below other sprites and takes no part in the play."""

from __future__ import annotations

from collections import Counter

from pcg.engine.vgdl.definition import GameDefinition


def characters_above(definition: GameDefinition) -> Counter[int]:
    """Return for each type that lies below others how many level characters stand for it and something on it.

    What the sprite set lists first is drawn first: that is what lies below, wherever the level mapping has it. The wall
    and the avatar that every game has come before the sprite set; of a character with one that is not listed it is the
    first name.

    Args:
        definition: of the game.

    >>> import pcg
    >>> definition = pcg.load("dungeon").definition
    >>> {definition.types[t].name: number > 1 for t, number in characters_above(definition).items()}
    {'floor': True}
    """
    index = {t.name: t for t in definition.types}
    above: Counter[int] = Counter()
    for names in definition.mapping.values():
        if len(names) > 1:
            lines = [index[name].line if name in index else 0 for name in names]
            lowest = names[lines.index(min(lines))] if min(lines) else names[0]
            if lowest in index:
                above[index[lowest].id] += 1
    return above


def types_everywhere(definition: GameDefinition) -> set[int]:
    """Return the types that lie below or beside others in three of four level characters, and in four at least:
    whatever they are, they are no things that stand about.

    >>> import pcg
    >>> definition = pcg.load("dungeon").definition
    >>> [definition.types[t].name for t in types_everywhere(definition)]
    ['floor']
    """
    held = Counter(name for names in definition.mapping.values() if len(names) > 1 for name in set(names))
    often = {name for name, number in held.items() if number >= max(4, 0.75 * len(definition.mapping))}
    return {t.id for t in definition.types if t.name in often}


def ground_types(definition: GameDefinition) -> set[int]:
    """Return the static types that lie below others in what at least two level characters stand for.

    >>> import pcg
    >>> definition = pcg.load("dungeon").definition
    >>> [definition.types[t].name for t in ground_types(definition)]
    ['floor']
    """
    above = characters_above(definition)
    return {t.id for t in definition.types if t.class_name == "Immovable" and above[t.id] >= 2}
