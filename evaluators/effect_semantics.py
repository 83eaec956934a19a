"""Consequences of a game's effects for the sprites that meet, as data an analysis can reason about.

A coarse reading of the effect catalogue, as the ontology declares it (`EffectSpec.does`): who dies, changes, is
stopped, pushed, moved or fed, and under which condition. It is not the rule itself (that is the kernel's) and knows
nothing of ticks, pixels or order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pcg.engine.vgdl.definition import Effect, GameDefinition, Value
from pcg.engine.vgdl.ontology import EFFECTS
from pcg.engine.vgdl.ontology_params import FIRST, NAMED, SECOND


@dataclass(frozen=True, slots=True)
class Holding:
    """A condition on resources: `holder` must hold at least (`more`) or at most `limit` units of `resource` (a type
    id).
    """

    holder: str
    resource: int
    limit: int
    more: bool = True
    spent: bool = False
    """True when the units are used up."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """One thing an effect does. `products` are the type ids that come into being (a transformation's result, a
    spawned sprite).
    """

    kind: str
    """kill, transform, spawn, block, push, carry, teleport, collect, gain, heal, hurt, shield, turn, wrap or other."""
    target: str
    effect: int
    """Index into `GameDefinition.effects`."""
    named: tuple[int, ...] = ()
    """The types befallen when `target` is "named"."""
    products: tuple[int, ...] = ()
    holding: Holding | None = None
    situational: bool = False
    """True when more than the meeting decides: a fall, a speed, a count, a chance."""
    amount: int = 1
    """Units of a resource or of health."""
    score: int = 0


def first_number(value: Value | None, default: int) -> int:
    """The number in a parameter; of a per-player list ("1,0") the first entry, which is player 0's."""
    if isinstance(value, bool) or value is None or isinstance(value, tuple):
        return default
    if isinstance(value, str):
        head = value.split(",")[0].strip()
        try:
            return int(head)
        except ValueError:
            return default
    return int(value)


def type_ids(definition: GameDefinition, value: Value | None) -> tuple[int, ...]:
    """The type ids a parameter names (one name or a comma list); unknown names are left out."""
    if not isinstance(value, str):
        return ()
    names = (name.strip() for name in value.split(","))
    return tuple(definition.type_index[name] for name in names if name in definition.type_index)


def flag(params: Mapping[str, Value], name: str, default: bool) -> bool:
    """A boolean parameter, also when it was written as text."""
    value = params.get(name, default)
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def consequences(definition: GameDefinition, effect: Effect) -> Iterator[Consequence]:
    """Everything `effect` does when it runs, the inner effect of a timer included."""
    params = effect.params
    score = first_number(params.get("scoreChange"), 0)
    for template in EFFECTS[effect.name].does:
        if template.only_if is not None and not flag(params, *template.only_if):
            continue
        target = template.target
        named: tuple[int, ...] = ()
        if template.named:
            named = type_ids(definition, params.get(template.named))
        elif effect.name == "subtractHealthPoints" and params.get("stype"):
            target, named = NAMED, type_ids(definition, params.get("stype"))
        products = tuple(t for key in template.products for t in type_ids(definition, params.get(key)))
        if effect.name == "transformToRandomChild":
            products = tuple(t for p in products for t in definition.types[p].subtypes if t != p)
        holding = None
        if template.holding is not None:
            holder, resource_key, limit_key, more = template.holding
            resource = type_ids(definition, params.get(resource_key))
            if resource:
                limit = first_number(params.get(limit_key), int(limit_key == "value"))
                spent = flag(params, "subtract", False) or first_number(params.get("spend"), 0) > 0
                holding = Holding(holder, resource[0], limit, more, spent)
        amount = 1
        if template.kind in ("gain", "heal", "hurt"):
            amount = first_number(params.get("value"), 1)
            if template.kind == "gain":
                products = type_ids(definition, params.get("resource"))
        chance = params.get("prob", 1.0)
        rare = isinstance(chance, int | float) and not isinstance(chance, bool) and chance < 1
        situational = template.situational or rare
        yield Consequence(template.kind, target, effect.index, named, products, holding, situational, amount, score)
    if effect.inner is not None:
        yield from consequences(definition, definition.effects[effect.inner])


__all__ = ["FIRST", "NAMED", "SECOND", "Consequence", "Holding", "consequences", "first_number", "flag", "type_ids"]
