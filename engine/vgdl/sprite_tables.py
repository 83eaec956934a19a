"""Tables of a sprite set: the part of a game's tables that does not depend on its rules.

Rule sets for one sprite set share it (`rule_compiler`): rows and templates of the types, pools of numbers, and what is
known of levels. `compiler.GameTables` adds the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import ACTION_ID, CLASS_ID, FIRST_AVATAR_CLASS
from pcg.engine.vgdl import extensions, ontology
from pcg.engine.vgdl.definition import GameDefinition, SpriteType, Value
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.facts import SpriteFacts, set_of
from pcg.engine.vgdl.lru_cache import Recent
from pcg.engine.vgdl.values import truncate

_VARIANTS_KEPT = 64
"""Sets of resources for which the rows of the types are kept."""
_SIZES_KEPT = 8
"""Block sizes for which sizes and templates are kept."""
_PLANS_KEPT = 16
"""Levels for which it is kept what they create (`pcg.engine.placement`)."""

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


class NumberPool:
    """Lists of integers in one array, equal ones once. `base` is a pool that this one goes on from, left as it is."""

    def __init__(self, base: NumberPool | None = None) -> None:
        self._base: dict[tuple[int, ...], int] = base.places if base is not None else {}
        self._before = base.array() if base is not None else np.zeros(0, np.int32)
        self._count = len(self._before)
        self.places: dict[tuple[int, ...], int] = {}
        self._added: list[int] = []

    def put(self, values: tuple[int, ...]) -> int:
        """Store a list unless it is there, and return its place."""
        at = self._base.get(values)
        if at is None:
            at = self.places.get(values)
        if at is None:
            at = self.places[values] = self._count
            self._added += values
            self._count += len(values)
        return at

    def array(self) -> Any:
        """All numbers, int32."""
        if not self._added:
            return self._before
        return np.concatenate((self._before, np.array(self._added, np.int32)))


def table_of(rows: list[Any], kind: np.dtype[Any]) -> Any:
    """A record array of tuples or of dicts with the fields that are not 0; one empty record for no rows.

    What lies between the fields is 0: images of games have the same bytes each time.
    """
    if not rows:
        return np.zeros(1, kind)
    if isinstance(rows[0], dict):
        names = kind.names or ()
        rows = [tuple([row.get(name, 0) for name in names]) for row in rows]
    table = np.zeros(len(rows), kind)
    table[:] = rows
    return table


def copy_of(table: Any) -> Any:
    """A copy of a record array. What lies between the fields is 0, which numpy's own does not promise."""
    copy = np.zeros(len(table), table.dtype)
    copy[:] = table
    return copy


class SpriteSet:
    """The types of a game, for all rules that it may have.

    Attributes:
        definition: any game with these sprites and this level mapping.
        facts: what analyses know of the sprites.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.definition = definition
        self.types = definition.types
        self.index = dict(definition.type_index) or {t.name: t.id for t in definition.types}
        self.names = tuple(t.name for t in definition.types)
        self.facts = SpriteFacts(definition)
        self.problems = _problems(definition)
        held: set[int] = set()
        for t in definition.types:
            if t.class_name in ("Resource", "ResourcePack"):
                held.add(self.index.get(str(t.params.get("resource_name", t.name)), -1))
            for name in str(t.params.get("ammo", "")).split(","):
                held.add(self.index.get(name, -1))
        self.resources = frozenset(held - {-1})
        """Ids of the types that somebody can hold amounts of, whatever the rules."""
        classes = [(t.id, CLASS_ID[kernel_class(t.class_name)]) for t in self.types if t.class_name is not None]
        self.updated = set_of(t for t, cls in classes if cls < FIRST_AVATAR_CLASS)
        """Types whose moving sprites are updated with the others (avatars are not)."""
        stands = {t.id for t in self.types if t.class_name and ontology.SPRITE_CLASSES[t.class_name].stands}
        self.ground = set_of(stands)
        n = len(self.types)
        self.rank = np.full((n, n), -1, np.int16)
        for t in self.types:
            for place, u in enumerate(t.subtypes):
                self.rank[t.id, u] = place
        self.classes = frozenset(t.class_name for t in self.types)
        self.plans: Recent[Any, Any] = Recent(_PLANS_KEPT)
        self._variants: Recent[tuple[int, ...], SpriteTables] = Recent(_VARIANTS_KEPT)

    def id(self, name: Value | None) -> int:
        """Type id of a name, -1 for none."""
        return self.index.get(str(name), -1) if name not in (None, "") else -1

    def ids(self, names: Value | None) -> list[int]:
        """Type ids of names separated by commas."""
        return [self.id(n) for n in str(names).split(",")] if names not in (None, "") else []

    def own_numbers(self, params: Any, own: Iterable[str], given: Any) -> list[float]:
        """Own parameters of a user's class or effect: references as type ids, flags as 0 or 1."""
        numbers = []
        for name in own:
            value = given.get(name, params[name].default)
            if params[name].references:
                value = self.id(value)
            numbers.append(float(value) if isinstance(value, (int, float)) else 0.0)
        return numbers

    def tables(self, resources: tuple[int, ...]) -> SpriteTables:
        """The rows of the types when these types can be held as resources."""
        found = self._variants.get(resources)
        if found is None:
            found = self._variants.put(resources, SpriteTables(self, resources))
        return found


class SpriteTables:
    """Rows of the types (without what rules decide), their templates, and the beginnings of the pools."""

    def __init__(self, sprites: SpriteSet, resources: tuple[int, ...]) -> None:
        definition = sprites.definition
        self._sprites = sprites
        self.definition = definition
        self.resources = resources
        self.column = {t: i for i, t in enumerate(resources)}
        self._id, self._ids = sprites.id, sprites.ids
        self.pool = NumberPool()
        self._pool = self.pool.put
        self.doubles: list[float] = []
        self.block_dependent: dict[int, tuple[float, float]] = {}
        self.order_at = self._pool(definition.draw_order)
        self.res_at = self._pool(resources)
        types: list[dict[str, Any]] = []
        templates: list[dict[str, Any]] = []
        for t in definition.types:
            row: dict[str, Any] = {}
            template: dict[str, Any] = {}
            self._compile_type(t, row, template)
            types.append(row)
            templates.append(template)
        self.types = table_of(types, L.TYPE)
        self.templates = table_of(templates, L.SPRITE)
        self.plans = sprites.plans
        self._sized: Recent[int, tuple[Any, Any, Any]] = Recent(_SIZES_KEPT)

    def sized(self, block: int) -> tuple[Any, Any, Any]:
        """Widths and heights int32[types], and the templates, for a block size: block * multiplier, truncated."""
        found = self._sized.get(block)
        if found is None:
            scale = [self.block_dependent.get(t.id, (1.0, 1.0)) for t in self.definition.types]
            width = np.array([truncate(block * w) for w, _ in scale], np.int32)
            height = np.array([truncate(block * h) for _, h in scale], np.int32)
            templates = copy_of(self.templates)
            templates["w"] = templates["lw"] = width
            templates["h"] = templates["lh"] = height
            found = self._sized.put(block, (width, height, templates))
        return found

    def _compile_type(self, t: SpriteType, row: dict[str, Any], template: dict[str, Any]) -> None:
        row["sub_at"], row["sub_n"] = self._pool(t.subtypes), len(t.subtypes)
        row["path_at"], row["path_n"] = self._pool(t.path), len(t.path)
        singles = tuple(u for u in t.path if self.definition.types[u].singleton)
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

        cls = CLASS_ID[kernel_class(t.class_name)]
        row["cls"] = cls
        bits = sum(bit for name, bit in _TYPE_BITS if get(name, False))
        hidden = str(get("hidden", None)).split(",")[0].strip().lower() == "true"
        bits |= L.T_HIDDEN if hidden else 0
        bits |= L.T_AVATAR_CLASS if cls >= FIRST_AVATAR_CLASS else 0
        bits |= L.T_GROUND if spec.stands else 0
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
            columns = tuple(self.column.get(i, -1) for i in self._ids(ammo))
            row["ammo_at"], row["ammo_n"] = self._pool(columns), len(columns)
        row["ammo_cost"], row["min_ammo"] = get("ammoCost", 1), get("minAmmo", -1)
        if t.class_name in ("Resource", "ResourcePack"):
            row["res_type"] = self._id(get("resource_name", None) or t.name)
            row["res"] = self.column.get(int(row["res_type"]), -1)
            if row["res_type"] >= 0:
                # what may be held of it is declared by the resource, not by the pack
                row["res_limit"] = self.definition.types[int(row["res_type"])].resource_limit
        actions = tuple(ACTION_ID[a] for a in spec.actions)
        row["actions_at"], row["actions_n"] = self._pool(actions), len(actions)
        row["actions_mask"] = sum({1 << code for code in (*actions, ACTION_ID["NIL"], ACTION_ID["ESCAPE"])})
        row["bits"] = bits
        if t.class_name not in CLASS_ID:
            row["update"] = extensions.update_address(t.class_name)
            row["own_at"] = len(self.doubles)
            self.doubles += self._sprites.own_numbers(spec.params, spec.own, t.params)
        self._compile_template(t, get, template)

    def _compile_references(self, t: SpriteType, get: Any, row: Any, template: Any) -> None:
        name = t.class_name or ""
        list_param = _LIST_PARAMS.get(kernel_class(name))
        if list_param is not None:
            ids = tuple(self._ids(get(list_param, None)))
            row["list_at"], row["list_n"] = self._pool(ids), len(ids)
        if list_param != "stype":
            row["stype"] = self._id(get("stype", None))
        if name == "Spreader" and row["stype"] < 0:
            row["stype"] = t.id
        if name == "OngoingTurningAvatar":
            # without spawnBehind the reference's id is 0, which is `wall` (reference/avatars 8.5)
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
        name = kernel_class(t.class_name or "")
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


_MOVERS = frozenset(
    {
        "RandomNPC", "RandomInertial", "Chaser", "Fleeing", "LOSChaser", "PathChaser",
        "AlternateChaser", "RandomAltChaser", "PathAltChaser", "RandomPathAltChaser",
    }
)  # fmt: skip


def kernel_class(name: str) -> str:
    """The built-in class whose code a class runs: itself, or for a user's class its nearest built-in ancestor."""
    while name not in CLASS_ID:
        parent = ontology.SPRITE_CLASSES[name].parent
        if parent is None:
            raise PcgError(f"the class `{name}` has no built-in ancestor")
        name = parent
    return name


def _problems(definition: GameDefinition) -> list[str]:
    """Return the reasons for which the sprites of a game cannot be run."""
    return [
        ontology.cannot_run(ontology.SPRITE_CLASSES[t.class_name])
        for t in definition.types
        if t.class_name is not None and t.class_name in ontology.SPRITE_CLASSES
    ]
