"""What each effect does to the two sprites that meet, as data an analysis can reason about.

It is a coarse reading of the effect catalogue (reference/effects 10): who dies, changes, is stopped, pushed, moved or
fed, and under which condition. It is not the rule itself (that is the kernel's) and knows nothing of ticks, pixels or
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pcg.engine.vgdl.definition import Effect, GameDefinition, Value

FIRST, SECOND, NAMED = "first", "second", "named"
"""Whom a consequence befalls: the first sprite, the second one, or sprites of a type named by a parameter."""


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
    """Whether the units are used up."""


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


@dataclass(frozen=True, slots=True)
class _Template:
    kind: str
    target: str = FIRST
    products: tuple[str, ...] = ()
    named: str = ""
    situational: bool = False
    holding: tuple[str, str, str, bool] | None = None
    """(holder, parameter with the resource, parameter with the limit, at least?)."""
    only_if: tuple[str, bool] | None = None
    """(parameter, its default): the consequence holds only where this flag is on."""


_KILL_SECOND = _Template("kill", SECOND, only_if=("killSecond", False))
_T = _Template

MEANINGS: Mapping[str, tuple[_Template, ...]] = {
    "stepBack": (_T("block"),),
    "undoAll": (_T("block"),),
    "wallStop": (_T("block"),),
    "wallBounce": (_T("block"), _T("turn")),
    "wallReverse": (_T("block"), _T("turn")),
    "bounceDirection": (_T("turn"),),
    "align": (_T("other"),),
    "wrapAround": (_T("wrap"),),
    "turnAround": (_T("turn"),),
    "bounceForward": (_T("push"),),
    "pullWithIt": (_T("carry"),),
    "teleportToExit": (_T("teleport"),),
    "reverseDirection": (_T("turn"),),
    "flipDirection": (_T("turn"),),
    "attractGaze": (_T("turn"),),
    "halfSpeed": (_T("other"),),
    "increaseSpeedToAll": (_T("other"),),
    "decreaseSpeedToAll": (_T("other"),),
    "setSpeedForAll": (_T("other"),),
    "waterPhysics": (_T("other"),),
    "killSprite": (_T("kill"),),
    "killBoth": (_T("kill"), _T("kill", SECOND)),
    "killAll": (_T("kill", NAMED, named="stype"),),
    "killIfAlive": (_T("kill"),),
    "killIfHasMore": (_T("kill", holding=(FIRST, "resource", "limit", True)),),
    "killIfHasLess": (_T("kill", holding=(FIRST, "resource", "limit", False)),),
    "killIfOtherHasMore": (_T("kill", holding=(SECOND, "resource", "limit", True)),),
    "killIfFromAbove": (_T("kill", situational=True),),
    "killIfFrontal": (_T("kill", situational=True),),
    "killIfNotFrontal": (_T("kill", situational=True),),
    "killIfFast": (_T("kill", situational=True),),
    "killIfSlow": (_T("kill", situational=True),),
    "killIfNotUpright": (_T("kill", situational=True),),
    "transformTo": (_T("transform", products=("stype",)), _KILL_SECOND),
    "transformToAll": (_T("transform", NAMED, ("stypeTo",), named="stype"), _KILL_SECOND),
    "transformIfCount": (_T("transform", products=("stype", "estype"), situational=True), _KILL_SECOND),
    "transformToRandomChild": (_T("transform", products=("stype",)), _KILL_SECOND),
    "transformToSingleton": (
        _T("transform", products=("stype",)),
        _T("transform", NAMED, ("stype_other",), named="stype"),
    ),
    "cloneSprite": (_T("spawn"),),
    "spawn": (_T("spawn", products=("stype",)),),
    "spawnBehind": (_T("spawn", products=("stype",)),),
    "spawnAbove": (_T("spawn", products=("stype",)),),
    "spawnBelow": (_T("spawn", products=("stype",)),),
    "spawnLeft": (_T("spawn", products=("stype",)),),
    "spawnRight": (_T("spawn", products=("stype",)),),
    "spawnIfHasMore": (_T("spawn", products=("stype",), holding=(FIRST, "resource", "limit", True)),),
    "spawnIfHasLess": (_T("spawn", products=("stype",), holding=(FIRST, "resource", "limit", False)),),
    "spawnIfCounterSubTypes": (_T("spawn", products=("stype", "estype"), situational=True),),
    "updateSpawnType": (_T("spawn", products=("stype",), situational=True),),
    "collectResource": (_T("collect"), _T("kill", only_if=("killResource", True))),
    "collectResourceIfHeld": (
        _T("collect", holding=(SECOND, "heldResource", "value", True)),
        _T("kill", holding=(SECOND, "heldResource", "value", True), only_if=("killResource", True)),
    ),
    "changeResource": (_T("gain"), _T("kill", SECOND, only_if=("killResource", False))),
    "addHealthPoints": (_T("heal"), _KILL_SECOND),
    "addHealthPointsToMax": (_T("heal"), _KILL_SECOND),
    "subtractHealthPoints": (_T("hurt"),),
    "removeScore": (_T("other"), _KILL_SECOND),
    "shieldFrom": (_T("shield"),),
    "addTimer": (),
}
"""Effect name -> its consequences. addTimer has those of its inner effect."""


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
    for template in MEANINGS.get(effect.name, (_T("other"),)):
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
