"""Sprite classes and effects of one's own: a registry entry and a compiled function.

Built-in kernels call a user's function by address, so it is compiled alone, on first use, and nobody else pays for it.
docs/language/extending.md has a worked example. What the function may call is in `pcg.engine.kernel`: `groups` and
`store` (sprites, resources), `physics` (movement), `random` (draws), `layout` (records and flags).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Value
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.ontology_params import Param

if TYPE_CHECKING:
    from pcg.engine.kernel.runtime import EntryPoint

_effects: dict[str, EntryPoint] = {}
_updates: dict[str, EntryPoint] = {}


def effect(
    name: str, *, help: str, params: Iterable[Param] = (), **flags: Any
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register an effect: decorates ``f(gm, st, e, a, b) -> 0``.

    Args:
        name: how games write it.
        help: one line for the reference.
        params: its own parameters; the function reads the k-th with ``own_number(gm, effect_at(gm, e).own_at, k)``.
        flags: what it may write: moves_first, changes_first, kills_first, the same for second, creates, touches,
            stochastic, ... (`ontology_params.EffectSpec`). State every write: sprites that nothing writes are kept out
            of the state.

    The function gets addresses: the game, the state, the number of the effect, the first and the second sprite (0 when
    absent). It must not allocate, raise, or use Python objects.
    """
    from pcg.engine.kernel.runtime import entry_point

    def register(function: Callable[..., int]) -> Callable[..., int]:
        ontology.register_effect(name, help=help, params=params, runnable=True, **flags)
        _effects[name] = entry_point("i8(i8, i8, i8, i8, i8)")(function)
        return function

    return register


def sprite_class(
    name: str,
    *,
    parent: str,
    help: str,
    params: Iterable[Param] = (),
    defaults: Mapping[str, Value] | None = None,
    **flags: Any,
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a sprite class below an existing one: decorates its update ``f(gm, st, a, action) -> 0``.

    The update runs instead of the parent's, after pre-movement; `action` is the player's action code for avatar
    classes. The k-th own parameter is ``own_number(gm, type_at(gm, sprite_at(a).type).own_at, k)``. Other arguments as
    `effect`.
    """
    from pcg.engine.kernel.runtime import entry_point

    def register(function: Callable[..., int]) -> Callable[..., int]:
        ontology.register_sprite_class(
            name, parent=parent, help=help, params=params, defaults=defaults, runnable=True, **flags
        )
        _updates[name] = entry_point("i8(i8, i8, i8, i8)")(function)
        return function

    return register


def unregister(name: str) -> None:
    """Remove a user's class or effect again."""
    ontology.unregister(name)
    for known in (_effects, _updates):
        if name in known:
            known.pop(name).withdraw()


def effect_address(name: str) -> int:
    """Address of a user's compiled effect."""
    if name not in _effects:
        raise PcgError(f"the effect `{name}` is registered without a function, so it cannot be run")
    return _effects[name].address


def update_address(name: str) -> int:
    """Address of a user's compiled update; a class without one runs its nearest built-in ancestor's (0)."""
    return _updates[name].address if name in _updates else 0
