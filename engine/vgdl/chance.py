"""Whether chance can play a part on a given level: which types can ever be there, and whether any of them draws.

`analysis_flags.is_stochastic` asks this of a game; a level without the random sprites of its game, and without anything
that could create them, is as deterministic as a game without them. Upper bounds from the ontology's flags, as there: a
wrong "no" is impossible as long as the flags are right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.analysis_flags import is_stochastic
from pcg.engine.vgdl.definition import Effect, GameDefinition, SpriteType

_DRAWS_WITHOUT_CHOICE = frozenset({"SpawnPoint", "Bomber", "SpawnPointMultiSprite"})


def may_draw(definition: GameDefinition, placed: Iterable[int]) -> bool:
    """Whether a tick on a level with sprites of these types can depend on the random generator.

    Args:
        definition: the game.
        placed: ids of the types that the level creates.
    """
    if not is_stochastic(definition):
        return False
    present = possible_types(definition, placed)
    if any(_type_draws(definition.types[t]) for t in present):
        return True
    return any(_effect_draws(e) for e in _running_effects(definition, present))


def possible_types(definition: GameDefinition, placed: Iterable[int]) -> frozenset[int]:
    """Ids of the types of which sprites can be there at some time, when the level creates those of `placed`."""
    present = set(placed)
    while True:
        more = set(present)
        for t in present:
            more.update(_created_by_type(definition, definition.types[t]))
        for e in _running_effects(definition, present):
            more.update(_created_by_effect(definition, e))
        if more == present:
            return frozenset(present)
        present = more


def _running_effects(definition: GameDefinition, present: Collection[int]) -> list[Effect]:
    """The effects that can be executed while only sprites of these types are there."""

    def there(t: int) -> bool:
        return any(u in present for u in definition.types[t].subtypes)

    running = {te.effect for te in definition.time_effects}
    for pair in definition.pairs:
        if there(pair.first) and there(pair.second):
            running.update(pair.effects)
    for t, effects in definition.eos_effects.items():
        if there(t):
            running.update(effects)
    inside = {e.inner for e in (definition.effects[k] for k in running) if e.inner is not None}
    while not inside <= running:
        running |= inside
        inside = {e.inner for e in (definition.effects[k] for k in inside) if e.inner is not None}
    return [definition.effects[k] for k in sorted(running)]


def _named(definition: GameDefinition, text: object) -> list[int]:
    names = str(text).split(",") if text not in (None, "") else []
    return [definition.type_index[n] for n in names if n in definition.type_index]


def _created_by_type(definition: GameDefinition, t: SpriteType) -> list[int]:
    if t.class_name is None:
        return []
    created = [
        u for key in ontology.SPRITE_CLASSES[t.class_name].creates for u in _named(definition, t.params.get(key))
    ]
    if t.class_name == "OngoingTurningAvatar" and "spawnBehind" not in t.params:
        created.append(0)  # as the reference has it (spec 02 section 3.5)
    return created


def _created_by_effect(definition: GameDefinition, e: Effect) -> list[int]:
    # what creates a sprite of its first sprite's own type adds no type
    spec = ontology.EFFECTS[e.name]
    created = [u for key in spec.creates for u in _named(definition, e.params.get(key))]
    if spec.creates_subtypes:
        created = [v for u in created for v in definition.types[u].subtypes]
    return created


def _certain(params: object) -> bool:
    return float(params) >= 1.0  # type: ignore[arg-type]


def _type_draws(t: SpriteType) -> bool:
    if t.class_name is None or not ontology.SPRITE_CLASSES[t.class_name].stochastic:
        return False
    return not (t.class_name in _DRAWS_WITHOUT_CHOICE and _certain(t.params.get("prob", 1.0)))


def _effect_draws(e: Effect) -> bool:
    spec = ontology.EFFECTS[e.name]
    return spec.stochastic and not (spec.uses_prob and _certain(e.params.get("prob", 1.0)))
