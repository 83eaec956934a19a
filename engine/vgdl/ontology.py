"""The registry of everything that can be named in a VGDL game: sprite classes, avatars, effects, terminations.

Parser checks, resolver, compiler, reference pages, completion and rule generators read it; nothing else in the toolkit
lists a parameter. Users add entries with `register_sprite_class`, `register_effect` and `register_termination`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pcg.engine.vgdl import ontology_avatars, ontology_effects, ontology_sprites, ontology_terminations
from pcg.engine.vgdl.definition import Value
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.engine.vgdl.ontology_params import (
    FIELD_TYPES,
    TYPE_HELP,
    EffectSpec,
    Param,
    SpriteClass,
    TerminationSpec,
)
from pcg.engine.vgdl.ontology_terminations import GAME_PARAMS, SPACE_PARAMS

_sprite_classes: dict[str, SpriteClass] = {**ontology_sprites.sprite_classes(), **ontology_avatars.avatar_classes()}
_effects: dict[str, EffectSpec] = ontology_effects.effects()
_terminations: dict[str, TerminationSpec] = ontology_terminations.terminations()

SPRITE_CLASSES: Final[Mapping[str, SpriteClass]] = MappingProxyType(_sprite_classes)
"""All 50 classes by name; avatars have `.avatar`."""
EFFECTS: Final[Mapping[str, EffectSpec]] = MappingProxyType(_effects)
"""All 58 effects by name."""
TERMINATIONS: Final[Mapping[str, TerminationSpec]] = MappingProxyType(_terminations)
"""All six terminations by name."""
TIME_EFFECT_PARAMS: Final[Mapping[str, Param]] = MappingProxyType(
    {p.name: p for p in (*ontology_effects.BASE_PARAMS, *ontology_effects.TIME_PARAMS)}
)
"""The fields of a TIME line's own effect object."""
EFFECT_BASE_PARAMS: Final[Mapping[str, Param]] = MappingProxyType({p.name: p for p in ontology_effects.BASE_PARAMS})
"""The fields every effect has."""
SPRITE_BASE_PARAMS: Final[Mapping[str, Param]] = MappingProxyType({p.name: p for p in ontology_sprites.BASE_PARAMS})
"""The fields every sprite has."""


def _check_name(name: str, known: Mapping[str, Any], params: Iterable[Param]) -> None:
    if not name or any(c.isspace() or c in "#=>," for c in name):
        raise PcgError(f"`{name}` cannot be written in a game: expected a word without blanks and without # = > ,")
    if name in known:
        raise PcgError(f"`{name}` is already registered")
    for param in params:
        if param.type not in FIELD_TYPES:
            hint = nearest(param.type, FIELD_TYPES)
            raise PcgError(
                f"parameter `{param.name}` of `{name}` has the unknown type `{param.type}`"
                + (f", did you mean `{hint}`?" if hint else "")
            )


def register_sprite_class(
    name: str, *, parent: str, help: str, params: Iterable[Param] = (), defaults: Mapping[str, Value] | None = None,
    runnable: bool = False, **flags: Any,
) -> SpriteClass:  # fmt: skip
    """Add a sprite class below an existing one and return its entry.

    It can be written in games, checked and formatted at once; to play it, the kernel needs code for it and the entry
    `runnable=True`. `flags` are the remaining fields of `SpriteClass`. Raises PcgError for a taken or impossible name.

    >>> from pcg.engine.vgdl.ontology import register_sprite_class, unregister
    >>> ghost = register_sprite_class("Ghost", parent="Chaser", help="fades away",
    ...     params=[Param("fade", "int", 10, "ticks until it is gone", "ticks", (1, 100))], dies=True)
    >>> "fade" in ghost.params and "stype" in ghost.params
    True
    >>> unregister("Ghost")
    """
    params = tuple(params)
    _check_name(name, _sprite_classes, params)
    if parent not in _sprite_classes:
        hint = nearest(parent, _sprite_classes)
        raise PcgError(f"unknown parent class `{parent}`" + (f", did you mean `{hint}`?" if hint else ""))
    known = dict(_sprite_classes)
    for key in defaults or {}:
        if key not in known[parent].params:
            raise PcgError(f"`{parent}` has no parameter `{key}` to give a default to")
    entry = ontology_sprites.define(
        known, name, parent, "user", help, *params, defaults=defaults, runnable=runnable, **flags
    )
    _sprite_classes[name] = entry
    return entry


def register_effect(
    name: str, *, help: str, params: Iterable[Param] = (), runnable: bool = False, **flags: Any
) -> EffectSpec:
    """Add an effect and return its entry; `flags` are the write flags and the other fields of `EffectSpec`.

    State every write: the compiler leaves sprites that nothing writes out of the state. Raises PcgError for a taken or
    impossible name.

    >>> from pcg.engine.vgdl.ontology import register_effect, unregister
    >>> freeze = register_effect("freeze", help="stops A for a while", needs_first=True, changes_first=True,
    ...     params=[Param("ticks", "int", 5, "how long", "ticks", (1, 100))])
    >>> freeze.own
    ('ticks',)
    >>> unregister("freeze")
    """
    params = tuple(params)
    _check_name(name, _effects, params)
    ontology_effects.define(_effects, name, "user", help, *params, runnable=runnable, **flags)
    return _effects[name]


def register_termination(
    name: str, *, help: str, params: Iterable[Param] = (), runnable: bool = False
) -> TerminationSpec:
    """Add a termination and return its entry. Raises PcgError for a taken or impossible name."""
    params = tuple(params)
    _check_name(name, _terminations, params)
    base = {p.name: p for p in ontology_terminations.BASE_PARAMS}
    entry = TerminationSpec(
        name, {**base, **{p.name: p for p in params}}, help, "user", tuple(p.name for p in params), runnable
    )
    _terminations[name] = entry
    return entry


def unregister(name: str) -> None:
    """Remove an entry that was registered by a user. Raises PcgError when there is none."""
    for known in (_sprite_classes, _effects, _terminations):
        entry = known.get(name)
        if entry is not None and entry.rule == "user":
            del known[name]
            return
    raise PcgError(f"`{name}` is not an entry registered by a user")


def cannot_run(entry: SpriteClass | EffectSpec | TerminationSpec) -> str:
    """The message for an entry the kernel does not have; "" for a runnable one."""
    kind = {SpriteClass: "sprite class", EffectSpec: "effect", TerminationSpec: "termination"}[type(entry)]
    return "" if entry.runnable else f"the {kind} `{entry.name}` can be checked and formatted but cannot be run yet"


__all__ = [
    "EFFECTS",
    "EFFECT_BASE_PARAMS",
    "FIELD_TYPES",
    "GAME_PARAMS",
    "SPACE_PARAMS",
    "SPRITE_BASE_PARAMS",
    "SPRITE_CLASSES",
    "TERMINATIONS",
    "TIME_EFFECT_PARAMS",
    "TYPE_HELP",
    "EffectSpec",
    "Param",
    "SpriteClass",
    "TerminationSpec",
    "cannot_run",
    "register_effect",
    "register_sprite_class",
    "register_termination",
    "unregister",
]
