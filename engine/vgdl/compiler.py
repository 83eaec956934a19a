"""From a resolved game to the tables that the kernel reads.

Everything that can be decided before a level is known is decided here: parameters with their defaults, the numbers of
types and resources, which types can have sprites at all, and which of them no rule can move or change, so that their
sprites live once in the level (design.md section 3, rule 6). `pcg.engine.context` adds a level.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import ACTION_ID, CLASS_ID, EFFECT_ID, FIRST_AVATAR_CLASS, TERMINATION_ID
from pcg.engine.vgdl import analysis_flags as flags_of
from pcg.engine.vgdl import extensions, ontology
from pcg.engine.vgdl.definition import Effect, GameDefinition, SpriteType, Value
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.values import parse_int, truncate

MAX_TICK = 2000
"""The engine's own time limit (spec 01 section 3.2)."""

_TYPE_BITS = (
    ("is_static", L.T_STATIC),
    ("only_active", L.T_ONLY_ACTIVE),
    ("is_avatar", L.T_AVATAR),
    ("is_resource", L.T_RESOURCE),
    ("portal", L.T_PORTAL),
    ("is_npc", L.T_NPC),
    ("solid", L.T_SOLID),
    ("rotateInPlace", L.T_ROTATE),
    ("stationary", L.T_STATIONARY),
    ("fleeing", L.T_FLEEING),
    ("airsteering", L.T_AIRSTEERING),
    ("randomTarget", L.T_RANDOM_TARGET),
)
_SPRITE_BITS = (
    ("isFirstTick", L.FIRST_TICK),
    ("is_from_avatar", L.FROM_AVATAR),
    ("is_oriented", L.ORIENTED),
    ("on_ground", L.ON_GROUND),
)
_EFFECT_BITS = (
    ("killSecond", L.E_KILL_SECOND),
    ("forceOrientation", L.E_FORCE_ORIENTATION),
    ("pixelPerfect", L.E_PIXEL_PERFECT),
    ("takeOrientation", L.E_TAKE_ORIENTATION),
    ("align", L.E_ALIGN),
    ("stepBack", L.E_STEP_BACK),
    ("orient", L.E_ORIENT),
    ("killResource", L.E_KILL_RESOURCE),
    ("subtract", L.E_SUBTRACT),
    ("inBatch", L.E_BATCH),
)
_GROUND_CLASSES = frozenset({"PlatformerAvatar", "WizardAvatar", "Walker", "WalkerJumper"})
_LIST_PARAMS = {
    "ShootAvatar": "stype",
    "OngoingShootAvatar": "stype",
    "ShootOnlyAvatar": "stype",
    "AimedAvatar": "stype",
    "SpaceshipAvatar": "stype",
    "WizardAvatar": "stype",
    "AlternateChaser": "stype1",
    "RandomAltChaser": "stype1",
    "PathAltChaser": "stype1",
    "RandomPathAltChaser": "stype1",
    "BomberRandomMissile": "stypeMissile",
    "SpawnPointMultiSprite": "stypes",
}
_SPAWNERS = frozenset({"SpawnPoint", "Bomber", "RandomBomber", "BomberRandomMissile"})
_EXIT_OWNERS = frozenset({"Portal", "Spreader", "Chaser", "Fleeing", "LOSChaser", "PathChaser", "FlakAvatar"})


class GameTables:
    """The compiled form of a game, shared by all its levels and states.

    The arrays are what the kernel reads by address; they must outlive every state of the game, which is why contexts
    keep a reference to this object.
    """

    def __init__(self, definition: GameDefinition) -> None:
        _require_runnable(definition)
        self.definition = definition
        self.names = tuple(t.name for t in definition.types)
        self._ints: list[int] = []
        self._index = dict(definition.type_index) or {t.name: t.id for t in definition.types}
        self.resources = _resource_types(definition, self._index)
        self._column = {t: i for i, t in enumerate(self.resources)}
        self.roles = flags_of.type_flags(definition)
        self.players = definition.players
        self.order_at = self._pool(definition.draw_order)
        updated = [t for t in reversed(definition.draw_order) if self._has_update(t)]
        self.update_at, self.n_update = self._pool(updated), len(updated)
        self.shields = self._shield_numbers()
        self.block_dependent: dict[int, tuple[float, float]] = {}
        self._user_effects = sorted({e.name for e in definition.effects} - EFFECT_ID.keys())
        addresses = [extensions.effect_address(name) for name in self._user_effects]
        self.extensions = np.array(addresses or [0], np.int64)
        self._doubles: list[float] = []
        self.types = np.zeros(len(definition.types), L.TYPE)
        self.templates = np.zeros(len(definition.types), L.SPRITE)
        for t in definition.types:
            self._compile_type(t)
        self.effects = np.zeros(max(1, len(definition.effects)), L.EFFECT)
        self.time_effects = self._compile_time_effects()
        pulls = 0
        for e in definition.effects:
            self._compile_effect(e, pulls)
            pulls += e.name == "pullWithIt"
        self.entries = self._compile_entries()
        self.eos_at, self.n_eos = self._compile_eos()
        self.terminations = self._compile_terminations()
        self.rank = self._ranks()
        self.res_at = self._pool(self.resources)
        self.stride = L.FULL_STRIDE if flags_of.needs_cold(definition) else L.HOT_STRIDE
        self.stochastic = flags_of.is_stochastic(definition)
        self.time_matters = flags_of.time_matters(definition)
        self.ints = np.array(self._ints or [0], np.int32)
        self.doubles = np.array(self._doubles or [0.0], np.float64)

    def __repr__(self) -> str:
        return f"<tables of {self.definition.name}: {len(self.types)} types, {len(self.entries)} rule entries>"

    # --- small helpers ---

    def _has_update(self, t: int) -> bool:
        """Whether moving sprites of the type can exist and are updated with the others (avatars are not)."""
        role, kind = self.roles[t], self.definition.types[t].class_name
        if kind is None or CLASS_ID[_kernel_class(kind)] >= FIRST_AVATAR_CLASS:
            return False
        return role.possible and (not role.level or role.created)

    def _pool(self, values: Iterable[int]) -> int:
        at = len(self._ints)
        self._ints.extend(int(v) for v in values)
        return at

    def _id(self, name: Value | None) -> int:
        return self._index.get(str(name), -1) if name not in (None, "") else -1

    def _ids(self, names: Value | None) -> list[int]:
        return [self._id(n) for n in str(names).split(",")] if names not in (None, "") else []

    def _own_numbers(self, params: Any, own: Iterable[str], given: Any) -> int:
        """Put own parameters into the pool of doubles: references as type ids, flags as 0 or 1."""
        at = len(self._doubles)
        for name in own:
            value = given.get(name, params[name].default)
            if params[name].references:
                value = self._id(value)
            self._doubles.append(float(value) if isinstance(value, (int, float)) else 0.0)
        return at

    # --- sprite types ---

    def _compile_type(self, t: SpriteType) -> None:
        row = self.types[t.id]
        template = self.templates[t.id]
        role = self.roles[t.id]
        row["sub_at"], row["sub_n"] = self._pool(t.subtypes), len(t.subtypes)
        row["path_at"], row["path_n"] = self._pool(t.path), len(t.path)
        singles = [u for u in t.path if self.definition.types[u].singleton]
        row["single_at"], row["single_n"] = self._pool(singles), len(singles)
        row["res_limit"] = t.resource_limit
        row["in_order"] = t.id in self.definition.draw_order
        row["cls"] = row["stype"] = row["itype"] = row["res"] = row["res_type"] = -1
        template["type"] = t.id
        if t.class_name is None:
            return
        spec = ontology.SPRITE_CLASSES[t.class_name]

        def get(name: str, default: Any = 0) -> Any:
            param = spec.params.get(name)
            return t.params.get(name, param.default if param is not None else default)

        cls = CLASS_ID[_kernel_class(t.class_name)]
        row["cls"] = cls
        bits = sum(bit for name, bit in _TYPE_BITS if get(name, False))
        hidden = str(get("hidden", None)).split(",")[0].strip().lower() == "true"
        bits |= L.T_HIDDEN if hidden else 0
        bits |= L.T_AVATAR_CLASS if cls >= FIRST_AVATAR_CLASS else 0
        bits |= L.T_IDLE if role.idle else 0
        bits |= L.T_GROUND if t.class_name in _GROUND_CLASSES else 0
        bits |= L.T_PRODUCER if role.producer else 0
        bits |= L.T_GLIDER if role.glider else 0
        bits |= L.T_AIMLESS if role.aimless else 0
        physics = int(get("physicstype"))
        row["physics"] = 1 if physics == 1 else 0
        row["grid_number"] = 1 if physics == 0 else 0
        row["cooldown"] = max(1, int(get("cooldown")))
        row["limit_hp"] = get("limitHealthPoints")
        row["value"], row["limit"], row["total"] = get("value"), get("limit"), get("total")
        row["cons"] = get("cons")
        row["max_distance"] = get("maxDistance", -1)
        row["epsilon"] = get("epsilon")
        row["angle"] = get("angle_diff")
        with np.errstate(over="ignore"):
            row["mass"] = float(np.float32(get("mass")))
        row["friction"], row["max_speed"] = get("friction"), get("max_speed")
        row["jump"] = get("jump_strength")
        row["ground_factor"], row["air_factor"] = get("ground_speedup_factor", 1), get("air_slowdown_factor", 1)
        row["spawn_ox"], row["spawn_oy"] = get("spawnorientation", (0.0, 0.0))
        chance = {"Spreader": "spreadprob", "WalkerJumper": "probability"}.get(t.class_name, "prob")
        row["prob"] = get(chance, 1.0)
        self._compile_references(t, get, row, template)
        ammo = get("ammo", None)
        if ammo not in (None, ""):
            bits |= L.T_HAS_AMMO
            columns = [self._column.get(i, -1) for i in self._ids(ammo)]
            row["ammo_at"], row["ammo_n"] = self._pool(columns), len(columns)
        row["ammo_cost"], row["min_ammo"] = get("ammoCost", 1), get("minAmmo", -1)
        if t.class_name in ("Resource", "ResourcePack"):
            row["res_type"] = self._id(get("resource_name", None) or t.name)
            row["res"] = self._column.get(int(row["res_type"]), -1)
            if row["res_type"] >= 0:
                # what may be held of it is declared by the resource, not by the pack
                row["res_limit"] = self.definition.types[int(row["res_type"])].resource_limit
        actions = [ACTION_ID[a] for a in spec.actions]
        row["actions_at"], row["actions_n"] = self._pool(actions), len(actions)
        row["bits"] = bits
        if t.class_name not in CLASS_ID:
            row["update"] = extensions.update_address(t.class_name)
            row["own_at"] = self._own_numbers(spec.params, spec.own, t.params)
        self._compile_template(t, get, template)

    def _compile_references(self, t: SpriteType, get: Any, row: Any, template: Any) -> None:
        name = t.class_name or ""
        list_param = _LIST_PARAMS.get(_kernel_class(name))
        if list_param is not None:
            ids = self._ids(get(list_param, None))
            row["list_at"], row["list_n"] = self._pool(ids), len(ids)
        if list_param != "stype":
            row["stype"] = self._id(get("stype", None))
        if name == "Spreader" and row["stype"] < 0:
            row["stype"] = t.id
        if name == "OngoingTurningAvatar":
            # without spawnBehind the reference's id is 0, which is `wall` (spec 02 section 3.5)
            row["stype"] = max(0, self._id(get("spawnBehind", None)))
        if name in _SPAWNERS:
            row["itype"] = -2
            template["a2"] = row["stype"]
        elif name in _EXIT_OWNERS:
            row["itype"] = row["stype"]

    def _compile_template(self, t: SpriteType, get: Any, template: Any) -> None:
        ox, oy = get("orientation", (0.0, 0.0))
        template["ox"], template["oy"] = ox, oy
        bits = sum(bit for name, bit in _SPRITE_BITS if get(name, False))
        if (ox, oy) != (0.0, 0.0):
            bits |= L.ORIENTED
        template["bits"] = bits
        template["speed"] = get("speed")
        template["lastmove"] = get("lastmove")
        hp, max_hp = int(get("healthPoints")), int(get("maxHealthPoints"))
        if max_hp == 0:
            max_hp = hp
        template["hp"], template["max_hp"] = min(hp, max_hp), max_hp
        template["ttl"] = get("timeToLive", -1)
        template["rotation"], template["gravity"] = get("rotation"), get("gravity")
        template["res"] = template["player"] = template["level"] = -1
        template["near"] = -1
        template["target_id"] = template["target_slot"] = -1
        template["pull_tick"] = -2
        name = _kernel_class(t.class_name or "")
        if name in _SPAWNERS or name == "SpawnPointMultiSprite":
            template["a0"] = -1
        elif name in ("Flicker", "OrientedFlicker", "Spreader"):
            template["a0"] = get("age")
        elif name == "CarAvatar":
            template["a0"] = truncate(get("facing"))
        elif name == "WizardAvatar":
            template["a0"] = get("last_block_time")
            template["a1"] = -1 if get("facing_dir", (1.0, 0.0))[0] < 0 else 1
        elif name in _MOVERS:
            template["a1"] = -1
            template["a2"] = 1 if get("fleeing", False) else 0
        self.block_dependent[t.id] = (float(get("wMult")), float(get("hMult")))

    # --- effects ---

    def _scores(self, text: Value | None) -> list[int]:
        return [_integer(_piece(text, p)) for p in range(2)]

    def _counters_at(self, params: Any) -> int:
        n = self.definition.counters
        deltas = [_integer(_piece(params.get("counter", "0"), i)) for i in range(n)]
        other = [_integer(_piece(params.get("counterElse", "0"), i)) for i in range(n)]
        return self._pool(deltas + other)

    def _initial_flags(self, get: Any) -> int:
        return (
            (L.APPLY_SCORE if get("applyScore") else 0)
            | (L.COUNT if get("count") else 0)
            | (L.COUNT_ELSE if get("countElse") else 0)
        )

    def _compile_effect(self, e: Effect, pulls: int) -> None:
        row = self.effects[e.index]
        spec = ontology.EFFECTS[e.name]

        def get(name: str, default: Any = 0) -> Any:
            param = spec.params.get(name)
            return e.params.get(name, param.default if param is not None else default)

        if e.name in EFFECT_ID:
            row["kind"] = EFFECT_ID[e.name]
        else:
            row["kind"] = len(EFFECT_ID) + self._user_effects.index(e.name)
            row["own_at"] = self._own_numbers(spec.params, spec.own, e.params)
        row["bits"] = sum(bit for name, bit in _EFFECT_BITS if get(name, False))
        row["initial"] = self._initial_flags(get)
        row["score0"], row["score1"] = self._scores(get("scoreChange", "0"))
        row["killed0"], row["killed1"] = self._scores(get("scoreChangeIfKilled", "0"))
        row["stype"] = self._id(get("stype", None))
        second = {"transformToAll": "stypeTo", "transformToSingleton": "stype_other", "updateSpawnType": "spawnPoint"}
        row["stype2"] = self._id(get(second.get(e.name, "estype"), None))
        row["stype3"] = self._id(get("stypeCount", None))
        resource = self._id(get("heldResource" if e.name == "collectResourceIfHeld" else "resource", None))
        row["res"] = self._column.get(resource, -1)
        row["res_limit"] = self.definition.types[resource].resource_limit if resource >= 0 else 0
        row["limit"] = get("limit")
        value = {"spawnIfHasMore": "spend", "spawnIfCounterSubTypes": "subTypesNum"}.get(e.name, "value")
        if not e.name.endswith(("ToAll", "ForAll")):
            row["value"] = get(value)
        row["geq"], row["leq"] = get("geq"), get("leq")
        row["prob"] = get("prob", 1.0)
        number = {"wrapAround": "offset", "bounceDirection": "maxBounceAngleDeg"}.get(
            e.name, "limspeed" if e.name in ("killIfFast", "killIfSlow") else "value"
        )
        row["number"] = float(get(number))
        spared = self._ids(get("notStype", None)) if e.name == "undoAll" else []
        row["list_at"], row["list_n"] = self._pool(spared), len(spared)
        row["counters_at"] = self._counters_at(e.params)
        row["has_counters"] = any(self._ints[row["counters_at"] :]) if self.definition.counters else 0
        row["time_effect"] = self._timer_number.get(e.index, -1)
        row["pull"] = pulls % 31
        if e.name == "shieldFrom":
            blocked, effect = self._id(get("stype", None)), str(get("ftype", ""))
            row["shields_at"] = self._pool(self.shields.get((t.id, blocked, effect), -1) for t in self.definition.types)

    def _compile_time_effects(self) -> Any:
        definition = self.definition
        timers = [e for e in definition.effects if e.name == "addTimer" and e.inner is not None]
        rows = np.zeros(max(1, len(definition.time_effects) + len(timers)), L.TIME_EFFECT)
        self.n_time_effects = len(definition.time_effects) + len(timers)
        self._timer_number = {e.index: len(definition.time_effects) + k for k, e in enumerate(timers)}
        sources: list[tuple[int, int, Any, bool]] = [
            (te.effect, te.bound, te.params, False) for te in definition.time_effects
        ]
        sources += [(int(e.inner or 0), -1, e.params, True) for e in timers]
        for row, (effect, bound, params, added) in zip(rows, sources, strict=False):

            def get(name: str, params: Any = params) -> Any:
                return params.get(name, ontology.TIME_EFFECT_PARAMS[name].default)

            row["effect"], row["bound"] = effect, bound
            row["timer"] = get("timer")
            row["repeating"], row["enabled"] = get("repeating"), get("enabled")
            row["initial"] = self._initial_flags(get)
            row["score0"], row["score1"] = self._scores(get("scoreChange"))
            row["counters_at"] = self._counters_at(params)
            # spec 01 section 3.5: nextExecution only decides whether the first tick is `timer`
            row["first"] = -2 if added else (get("timer") if get("nextExecution") != -1 else -1)
        return rows

    def _shield_numbers(self) -> dict[tuple[int, int, str], int]:
        numbers: dict[tuple[int, int, str], int] = {}
        for e in self.definition.effects:
            if e.name == "shieldFrom":
                for t in self.definition.types:
                    key = (t.id, self._id(e.params.get("stype")), str(e.params.get("ftype", "")))
                    numbers.setdefault(key, len(numbers))
        return numbers

    # --- rules ---

    def _compile_entries(self) -> Any:
        possible = {r.id for r in self.roles if r.possible}
        moving = {r.id for r in self.roles if r.possible and (not r.level or r.created)}
        level = {r.id for r in self.roles if r.possible and r.level}
        rows: list[Any] = []
        for pair in self.definition.pairs:
            first = [u for u in self.definition.types[pair.first].subtypes if u in possible]
            second = [u for u in self.definition.types[pair.second].subtypes if u in possible]
            for index in pair.effects:
                e = self.definition.effects[index]
                if not first or not second or not e.params.get("enabled", True):
                    continue
                row = np.zeros(1, L.ENTRY)[0]
                row["first"], row["second"], row["effect"] = pair.first, pair.second, index
                row["shield"] = self.shields.get((pair.first, pair.second, e.name), -1)
                bits = int(self.effects[index]["bits"]) & L.E_BATCH
                spec = ontology.EFFECTS[e.name]
                if spec.moves_second or spec.touches_all or spec.touches:
                    bits |= L.N_SLOW_FIRST
                if any(self.types[u]["bits"] & L.T_GROUND for u in first):
                    bits |= L.N_GROUND
                if any(u in moving and u in second for u in first):
                    bits |= L.N_SHARED
                row["bits"] = bits
                for key, ids in (
                    ("first", first),
                    ("second", second),
                    ("first_moving", [u for u in first if u in moving]),
                    ("second_moving", [u for u in second if u in moving]),
                ):
                    row[f"{key}_at"], row[f"{key}_n"] = self._pool(ids), len(ids)
                row["second_has_level"] = any(u in level for u in second)
                row["second_mask"] = _mask(u for u in second if u in level)
                rows.append(row)
        self.n_entries = len(rows)
        table = np.zeros(max(1, len(rows)), L.ENTRY)
        for k, row in enumerate(rows):
            table[k] = row
        self.n_dirty = max(1, -(-len(rows) // L.DIRTY_BITS))
        self.dirty_masks = np.zeros((len(self.definition.types), self.n_dirty), np.int64)
        for k, row in enumerate(rows):
            for side in ("first_moving", "second_moving"):
                at = int(row[f"{side}_at"])
                for u in self._ints[at : at + int(row[f"{side}_n"])]:
                    self.dirty_masks[u, k // L.DIRTY_BITS] |= 1 << (k % L.DIRTY_BITS)
        return table

    def _compile_eos(self) -> tuple[int, int]:
        pairs: list[int] = []
        for t in self.definition.eos_types:
            for index in self.definition.eos_effects[t]:
                if self.definition.effects[index].params.get("enabled", True):
                    pairs += [t, index]
        return self._pool(pairs), len(pairs) // 2

    def _compile_terminations(self) -> Any:
        self.n_terminations = len(self.definition.terminations)
        table = np.zeros(max(1, self.n_terminations), L.TERMINATION)
        for row, term in zip(table, self.definition.terminations, strict=False):
            get = term.params.get
            row["kind"] = TERMINATION_ID[term.name]
            row["limit"] = get("limit", 0)
            wins = str(get("win", "")).split(",")
            for p in range(2):
                row[f"win{p}"] = p < len(wins) and wins[p].strip().lower() == "true"
            row["count_score"] = bool(get("count_score", False))
            row["stype1"] = self._id(get("stype1", get("stype")))
            row["stype2"], row["stype3"] = self._id(get("stype2")), self._id(get("stype3"))
            row["min_flag"] = bool(get("min", False))
            row["sub_types"] = get("subTypesNum", -1)
            row["use_counter"], row["compare"] = bool(get("use_counter", False)), bool(get("compare", False))
            limits = [_integer(piece) for piece in str(get("limits", "0")).split(",")]
            row["list_at"], row["list_n"] = self._pool(limits), len(limits)
        return table

    def _ranks(self) -> Any:
        n = len(self.definition.types)
        rank = np.full((n, n), -1, np.int16)
        for t in self.definition.types:
            for place, u in enumerate(t.subtypes):
                rank[t.id, u] = place
        return rank


_MOVERS = frozenset(
    {
        "RandomNPC", "RandomInertial", "Chaser", "Fleeing", "LOSChaser", "PathChaser",
        "AlternateChaser", "RandomAltChaser", "PathAltChaser", "RandomPathAltChaser",
    }
)  # fmt: skip


def _kernel_class(name: str) -> str:
    """The built-in class whose code a class runs: itself, or for a user's class its nearest built-in ancestor."""
    while name not in CLASS_ID:
        parent = ontology.SPRITE_CLASSES[name].parent
        if parent is None:
            raise PcgError(f"the class `{name}` has no built-in ancestor")
        name = parent
    return name


def _mask(types: Iterable[int]) -> int:
    """Bit (type & 63) of every type, as a signed 64-bit number."""
    bits = 0
    for t in types:
        bits |= 1 << (t & 63)
    return bits - (1 << 64) if bits >= 1 << 63 else bits


def _piece(text: Value | None, index: int) -> str:
    parts = str(text if text is not None else "0").split(",")
    return parts[index] if index < len(parts) else parts[0]


def _integer(text: str) -> int:
    """Java's Integer.parseInt; anything else counts 0 (spec 03 section 2.7)."""
    return parse_int(text) or 0


def _resource_types(definition: GameDefinition, index: dict[str, int]) -> tuple[int, ...]:
    """Ids of the types that somebody can hold amounts of, ascending."""
    found: set[int] = set()
    for t in definition.types:
        if t.class_name in ("Resource", "ResourcePack"):
            found.add(index.get(str(t.params.get("resource_name", t.name)), -1))
        for name in str(t.params.get("ammo", "")).split(","):
            found.add(index.get(name, -1))
    for e in definition.effects:
        for key in ("resource", "heldResource"):
            found.add(index.get(str(e.params.get(key, "")), -1))
    return tuple(sorted(found - {-1}))


def _require_runnable(definition: GameDefinition) -> None:
    problems = [
        ontology.cannot_run(ontology.SPRITE_CLASSES[t.class_name])
        for t in definition.types
        if t.class_name is not None and t.class_name in ontology.SPRITE_CLASSES
    ]
    problems += [ontology.cannot_run(ontology.EFFECTS[e.name]) for e in definition.effects]
    problems += [ontology.cannot_run(ontology.TERMINATIONS[t.name]) for t in definition.terminations]
    real = sorted({p for p in problems if p})
    if real:
        raise PcgError(f"{definition.name}: " + "; ".join(real))
    if not 1 <= definition.players <= 2:
        raise PcgError(f"{definition.name}: no_players={definition.players}, expected 1 or 2")
