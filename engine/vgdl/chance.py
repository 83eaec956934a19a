"""Chance on a given level: the types that can ever be there, and whether any of them draws random numbers.

`analysis_flags.is_stochastic` asks this of a game; a level without the random sprites of its game, and without anything
that could create them, is as deterministic as a game without them. Upper bounds from the ontology's flags, as there: a
wrong "no" is impossible as long as the flags are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pcg.engine.vgdl.analysis_flags import is_stochastic
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.facts import EffectFacts, SpriteFacts, facts_of_effects, members, set_of


def possible_types(definition: GameDefinition, placed: Iterable[int]) -> frozenset[int]:
    """Ids of the types of which sprites can be there at some time, when the level creates those of `placed`."""
    sprites = SpriteFacts(definition)
    return frozenset(members(_present(definition, sprites, facts_of_effects(sprites, definition), set_of(placed))[0]))


def level_draws(definition: GameDefinition, sprites: SpriteFacts, effects: Sequence[EffectFacts], placed: int) -> bool:
    """Return True if a tick on a level with sprites of these types can depend on the random generator.

    Args:
        definition: the game.
        sprites: facts of its types.
        effects: facts of its effects.
        placed: the types that the level creates, as a set of bits (`facts.set_of`).
    """
    if not is_stochastic(sprites, effects):
        return False
    present, running = _present(definition, sprites, effects, placed)
    return present & sprites.draws != 0 or any(effects[k].draws for k in running)


def _present(
    definition: GameDefinition, sprites: SpriteFacts, effects: Sequence[EffectFacts], placed: int
) -> tuple[int, set[int]]:
    """The types that can be there, and the effects that can be executed while only sprites of these types are there."""
    subs = sprites.subs
    present = placed
    running: set[int] = set()
    for te in definition.time_effects:
        running |= _with_inner(definition, te.effect)
    while True:
        more = present
        for t in members(present):
            more |= sprites.makes[t]
        for pair in definition.pairs:
            if subs[pair.first] & more and subs[pair.second] & more:
                running.update(pair.effects)
        for t, listed in definition.eos_effects.items():
            if subs[t] & more:
                running.update(listed)
        running |= {k for e in tuple(running) for k in _with_inner(definition, e)}
        for k in running:
            # what creates a sprite of its first sprite's own type adds no type
            more |= effects[k].creates
        if more == present:
            return present, running
        present = more


def _with_inner(definition: GameDefinition, effect: int) -> set[int]:
    found = {effect}
    inner = definition.effects[effect].inner
    return found if inner is None else found | _with_inner(definition, inner)
