"""The memory of a game and of a state: record types, flags, and views at an address.

A *context* (`CONTEXT`) is one game on one level: addresses of its tables. A *state* is one block: a header (`STATE`), a
few small sections whose places the header holds, the sprites in use, and scratch that is never copied. Capacities are
data: a larger level only has larger sections, never another compiled kernel.

Sprites that no rule can move, change or create are kept once per level (`level sprites`); a state holds one byte for
each of them that can die, and nothing for the rest. A sprite is handled by its address, 0 meaning none; level sprites
and moving sprites have the same record type.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import view_of

# --- sprite flags ---

DISABLED = 1
KILLED = 2
FIRST_TICK = 4
FROM_AVATAR = 8
ORIENTED = 16
ON_GROUND = 32

# --- type flags ---

T_STATIC = 1
T_ONLY_ACTIVE = 2
T_AVATAR = 4
T_RESOURCE = 8
T_PORTAL = 16
T_NPC = 32
T_SOLID = 64
T_ROTATE = 128
T_STATIONARY = 256
T_HIDDEN = 512
T_AVATAR_CLASS = 1024
T_IDLE = 2048
"""No update of this type does anything after its first tick."""
T_GROUND = 4096
"""Overlap tests with this type as first sprite detect the ground (reference/physics 9.9)."""
T_FLEEING = 8192
T_AIRSTEERING = 16384
T_RANDOM_TARGET = 32768
T_HAS_AMMO = 65536
T_PASSIVE_SKIP = T_STATIC | T_ONLY_ACTIVE
T_PRODUCER = 131072
"""A producer of children that nothing moves: after its first tick its update only draws and spawns."""
T_GLIDER = 262144
"""Its update is the passive step on the grid and nothing else."""
T_AIMLESS = 524288
"""Nothing that can happen reads the orientation of its sprites."""

# --- effect flags ---

E_KILL_SECOND = 1
E_FORCE_ORIENTATION = 2
E_PIXEL_PERFECT = 4
E_TAKE_ORIENTATION = 8
E_ALIGN = 16
E_STEP_BACK = 32
E_ORIENT = 64
E_KILL_RESOURCE = 128
E_SUBTRACT = 256
E_BATCH = 512
E_MOVES_OTHERS = 1024
"""May change rectangles other than that of the first sprite."""

APPLY_SCORE = 1
COUNT = 2
COUNT_ELSE = 4
SCORE_IF_KILLED = 8
FIRED = 16
"""Set in a state's flags of an effect by its first execution, and never cleared."""

SPRITE = np.dtype(
    [
        # --- what tests of overlap and walks over groups and cells read: one line of the cache ---
        ("x", "i4"),
        ("y", "i4"),
        ("w", "i4"),
        ("h", "i4"),
        ("id", "i4"),
        ("type", "i2"),
        ("bits", "i2"),  # sprite flags
        ("slot", "i2"),  # own index among the moving sprites; -1 for level sprites
        ("next", "i2"),  # slot of the next in the group, or of the next free slot
        ("prev", "i2"),
        ("kill_next", "i2"),
        ("near", "i8"),  # bit (type & 63) of every level sprite placed in the cells it covers; -1: not looked up yet
        ("moved", "i4"),  # clock of the last change of the rectangle
        ("level", "i4"),  # index among the level sprites, -1 for moving sprites
        ("cell", "i4"),  # grid cell whose list the sprite is in, -1: none
        ("cell_next", "i2"),
        ("cell_prev", "i2"),
        ("lastmove", "i4"),
        ("hp", "i4"),
        # --- what updates and effects read ---
        ("lx", "i4"),  # lastrect: the rectangle at the start of the sprite's update
        ("ly", "i4"),
        ("lw", "i4"),
        ("lh", "i4"),
        ("ox", "f8"),
        ("oy", "f8"),
        ("speed", "f8"),
        ("max_hp", "i4"),
        ("ttl", "i4"),
        ("res", "i2"),  # row in the resource section, -1: never held any
        ("player", "i2"),  # player number of an avatar in play, else -1
        ("a0", "i4"),  # Flicker: age; SpawnPoint: start; RandomNPC: counter; CarAvatar: facing; Wizard: last block
        ("a1", "i4"),  # SpawnPoint: children so far; RandomNPC: previous direction (-1 none); Wizard: facing direction
        ("a2", "i4"),  # SpawnPoint, Bomber: the type it spawns
        # --- cold part: only games that need it carry it (`CONTEXT.stride`) ---
        ("rotation", "f8"),
        ("gravity", "f8"),
        ("pull_tick", "i4"),
        ("pull_mask", "i4"),
        ("missiles", "i8"),  # BomberRandomMissile: its list of types + 1, 9 bits each, when an effect has changed it
        ("target_id", "i4"),  # PathAltChaser: the remembered target and, once it is gone, its last rectangle
        ("target_slot", "i2"),
        ("target_known", "i2"),  # 1 when last_x, last_y hold a position
        ("tx", "i4"),
        ("ty", "i4"),
        ("tw", "i4"),
        ("th", "i4"),
        ("last_x", "i4"),
        ("last_y", "i4"),
    ],
    align=True,
)
HOT_STRIDE: int = SPRITE.fields["rotation"][1]  # type: ignore[index]
FULL_STRIDE: int = SPRITE.itemsize

GROUP = np.dtype(
    [
        ("head", "i2"),
        ("tail", "i2"),
        ("count", "i4"),  # level sprites alive and moving sprites, killed ones until the end of the tick
        ("disabled", "i4"),
        ("moving", "i4"),  # moving sprites in the group
        ("stamp", "i4"),  # clock of the last change of a rectangle in the group
        ("inside", "i4"),  # clock of the last look at all its moving sprites that found none at the edge of the screen
        ("created", "i2"),  # 1 once the first sprite of the type was built
        ("fresh", "i2"),  # 1 while an idle type has sprites whose first pre-movement is due
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("rng", "i8"),
        ("aux", "i8"),
        ("score0", "f8"),
        ("score1", "f8"),
        ("win0", "i4"),
        ("win1", "i4"),
        ("avatar0", "i4"),  # slot of the player's avatar, -1: none
        ("avatar1", "i4"),
        ("action0", "i4"),
        ("action1", "i4"),
        ("tick", "i4"),
        ("ended", "i4"),
        ("status", "i4"),
        ("can_end", "i4"),
        ("recount", "i4"),  # 1: a type has more or fewer sprites than at the last check of terminations; 2: look again
        ("next_id", "i4"),
        ("sprites", "i4"),  # the reference's sprite counter
        ("slots", "i4"),  # slots ever used: what a copy has to copy
        ("free", "i4"),  # first free slot, -1: none
        ("kill_head", "i4"),
        ("kill_entries", "i4"),
        ("level_kills", "i4"),
        ("clock", "i4"),
        ("timers", "i4"),
        ("events", "i4"),
        ("shields", "i4"),
        ("grid", "i4"),  # 1: moving sprites are kept in lists by cell; 2 for as long as a search changes their marks
        ("res_rows", "i4"),
        ("res_free", "i4"),
        ("work", "i4"),  # executions of effects in this tick, and what costs as much
        # --- the entry being evaluated: here, and not arguments, because only four of those travel in registers ---
        ("since", "i4"),  # clock of its last evaluation without a hit, -1: none; pairs unmoved since are apart
        ("last", "i4"),  # sprites created by this evaluation have ids from here on
        ("hits", "i4"),  # length of the hit list
        # --- from here on: the layout of this very block, never copied ---
        ("room", "i4"),
        ("room_timers", "i4"),
        ("room_events", "i4"),
        ("room_res", "i4"),
        ("bytes", "i4"),
        ("at_dirty", "i4"),
        ("at_effects", "i4"),
        ("at_clean", "i4"),
        ("at_shields", "i4"),
        ("at_counters", "i4"),
        ("at_alive", "i4"),
        ("at_timers", "i4"),
        ("at_res", "i4"),
        ("at_events", "i4"),
        ("at_cells", "i4"),  # int32[cells], see `store.link_cell`; only in blocks with room for many sprites
        ("at_sprites", "i4"),
        ("at_scratch", "i4"),
    ],
    align=True,
)
COPIED_HEADER: int = STATE.fields["room"][1]  # type: ignore[index]
RNG_AT: int = STATE.fields["rng"][1]  # type: ignore[index]
AUX_AT: int = STATE.fields["aux"][1]  # type: ignore[index]
SCORE_AT: int = STATE.fields["score0"][1]  # type: ignore[index]
WIN_AT: int = STATE.fields["win0"][1]  # type: ignore[index]
AVATAR_AT: int = STATE.fields["avatar0"][1]  # type: ignore[index]
ACTION_AT: int = STATE.fields["action0"][1]  # type: ignore[index]

TIMER = np.dtype([("due", "i4"), ("effect", "i4")], align=True)
EVENT = np.dtype(
    [
        ("from_avatar", "i4"),
        ("active", "i4"),
        ("passive", "i4"),
        ("active_id", "i4"),
        ("passive_id", "i4"),
        ("x", "i4"),
        ("y", "i4"),
        ("tick", "i4"),
    ],
    align=True,
)

TYPE = np.dtype(
    [
        ("cls", "i4"),
        ("bits", "i4"),
        ("physics", "i4"),  # 0 grid, 1 continuous: which movement rules
        ("grid_number", "i4"),  # 1 when `physicstype` is 0: what some avatars test
        ("cooldown", "i4"),
        ("w", "i4"),
        ("h", "i4"),
        ("limit_hp", "i4"),
        ("res_limit", "i4"),
        ("res", "i4"),  # Resource: column of the resource it stands for
        ("res_type", "i4"),  # and its type id
        ("value", "i4"),
        ("limit", "i4"),
        ("total", "i4"),
        ("cons", "i4"),
        ("stype", "i4"),
        ("itype", "i4"),  # what teleportToExit reads, -1: nothing
        ("list_at", "i4"),
        ("list_n", "i4"),
        ("ammo_at", "i4"),
        ("ammo_n", "i4"),
        ("ammo_cost", "i4"),
        ("min_ammo", "i4"),
        ("path_at", "i4"),
        ("path_n", "i4"),
        ("sub_at", "i4"),
        ("sub_n", "i4"),
        ("single_at", "i4"),  # the singleton types among the type's ancestors and itself
        ("single_n", "i4"),
        ("actions_at", "i4"),
        ("actions_n", "i4"),
        ("actions_mask", "i4"),  # bit by code of the same actions, NIL and ESCAPE as well
        ("in_order", "i4"),
        ("own_at", "i4"),  # own parameters of a user's class, in the pool of doubles
        ("update", "i8"),  # address of a user's update for the class, 0: built in
        ("max_distance", "f8"),
        ("prob", "f8"),
        ("epsilon", "f8"),
        ("angle", "f8"),
        ("mass", "f8"),
        ("friction", "f8"),
        ("max_speed", "f8"),
        ("jump", "f8"),
        ("ground_factor", "f8"),
        ("air_factor", "f8"),
        ("spawn_ox", "f8"),
        ("spawn_oy", "f8"),
    ],
    align=True,
)

EFFECT = np.dtype(
    [
        ("kind", "i4"),
        ("bits", "i4"),
        ("initial", "i4"),  # apply-score and count flags before the first execution
        ("score0", "i4"),
        ("score1", "i4"),
        ("killed0", "i4"),  # scoreChangeIfKilled
        ("killed1", "i4"),
        ("stype", "i4"),
        ("stype2", "i4"),
        ("stype3", "i4"),
        ("res", "i4"),  # column of the resource, -1: a type nobody can hold
        ("res_limit", "i4"),
        ("limit", "i4"),
        ("value", "i4"),
        ("geq", "i4"),
        ("leq", "i4"),
        ("list_at", "i4"),
        ("list_n", "i4"),
        ("counters_at", "i4"),  # deltas per counter, then those of counterElse
        ("time_effect", "i4"),  # addTimer: the time effect it starts
        ("shields_at", "i4"),  # shieldFrom: type id -> shield number (or -1)
        ("pull", "i4"),  # pullWithIt: its number among the pullWithIt effects
        ("has_counters", "i4"),
        ("own_at", "i4"),  # own parameters of a user's effect, in the pool of doubles
        ("prob", "f8"),
        ("number", "f8"),
    ],
    align=True,
)

ENTRY = np.dtype(
    [
        ("first", "i4"),
        ("second", "i4"),
        ("effect", "i4"),
        ("shield", "i4"),  # number of the shield that blocks it, -1: none can
        ("bits", "i4"),
        ("first_at", "i4"),  # the types of sub(first) that can have sprites
        ("first_n", "i4"),
        ("second_at", "i4"),
        ("second_n", "i4"),
        ("first_moving_at", "i4"),  # those of them that can have moving sprites
        ("first_moving_n", "i4"),
        ("second_moving_at", "i4"),
        ("second_moving_n", "i4"),
        ("second_has_level", "i4"),
        ("second_mask", "i8"),  # bit (type & 63) of every second type with level sprites
        ("first_mask", "i8"),  # the same of every first type
    ],
    align=True,
)
N_GROUND = 1
"""Entry flag: the first sprite may be a ground-detecting one, so no evaluation may be skipped."""
N_SLOW_FIRST = 2
"""Entry flag: the effect may move other sprites, so candidates cannot be collected beforehand."""
N_SHARED = 4
"""Entry flag: some type with moving sprites is on both sides, so executions change what others overlap."""
N_ONCE = 8
"""Entry flag: the effect takes its first sprite away and moves none that is there, and the entry has no flag else."""
N_AGAIN = 16
"""Entry flag: the entry before it has the same pair and, but for `N_ONCE`, the same flags: both meet the same."""

MEMO = np.dtype(
    [
        ("x", "i4"),
        ("y", "i4"),
        ("w", "i4"),
        ("h", "i4"),
        ("hit", "i8"),  # address of the first sprite met, 0: none
        ("kind", "i8"),  # 0: none is kept, 1: of first sprites that have moved, 2: of other first ones, 3: of second
    ],
    align=True,
)
"""Hits of the last first sprites of one rectangle: scratch memory of blocks with lists by cell."""

TIME_EFFECT = np.dtype(
    [
        ("effect", "i4"),
        ("bound", "i4"),
        ("timer", "i4"),
        ("repeating", "i4"),
        ("enabled", "i4"),
        ("initial", "i4"),
        ("first", "i4"),  # tick of the first execution (TIME lines)
        ("score0", "i4"),
        ("score1", "i4"),
        ("counters_at", "i4"),
    ],
    align=True,
)

TERMINATION = np.dtype(
    [
        ("kind", "i4"),
        ("limit", "i4"),
        ("win0", "i4"),
        ("win1", "i4"),
        ("count_score", "i4"),
        ("stype1", "i4"),
        ("stype2", "i4"),
        ("stype3", "i4"),
        ("min_flag", "i4"),
        ("sub_types", "i4"),
        ("use_counter", "i4"),
        ("compare", "i4"),
        ("list_at", "i4"),
        ("list_n", "i4"),
    ],
    align=True,
)

CONTEXT = np.dtype(
    [
        ("types", "i8"),
        ("templates", "i8"),
        ("effects", "i8"),
        ("entries", "i8"),
        ("time_effects", "i8"),
        ("terminations", "i8"),
        ("ints", "i8"),  # one pool of int32 that all `*_at` fields index
        ("doubles", "i8"),  # one pool of float64: parameters of users' classes and effects
        ("rank", "i8"),  # int16[types, types]: place of u in sub(t), -1: not in it
        ("level", "i8"),  # SPRITE records, sorted by type; those that can die come first
        ("level_start", "i8"),  # int32[types, 2]: first level sprite of a type, and how many
        ("level_corners", "i8"),  # int32[2, n_level]: their x, then their y
        ("cell_start", "i8"),  # int32[cells + 1]
        ("cell_items", "i8"),  # int32: level sprites by cell
        ("cell_mask", "i8"),  # int64[cells]: bit (type & 63) of the level sprites placed there
        ("level_mates", "i8"),  # int64[n_level]: bit (type & 63) of the others that each can touch, -1: a giant
        ("dirty_masks", "i8"),  # int64[types, n_dirty]: the entries to evaluate when a sprite of the type has moved
        ("inverse", "i8"),  # ceil(2^32 / block): cells by multiplication; 0 where that would not be exact
        ("paths", "i8"),  # int8[cells, cells]: first step (0 up, 1 left, 2 down, 3 right) or -1; 0: no path-finder
        ("initial", "i8"),  # a formatted state before tick 0
        ("extensions", "i8"),  # addresses of the effects that users have registered
        ("advance", "i8"),  # address of the entry point that plays a tick
        ("n_types", "i4"),
        ("n_order", "i4"),
        ("order_at", "i4"),
        ("n_update", "i4"),  # the types of the draw order, last first, whose moving sprites have an update
        ("update_at", "i4"),  # offset of the group in a state, and type, of each
        ("n_effects", "i4"),
        ("n_entries", "i4"),
        ("n_dirty", "i4"),  # words of the set of entries
        ("n_time_effects", "i4"),
        ("n_terminations", "i4"),
        ("n_eos", "i4"),
        ("eos_at", "i4"),  # offset of the group in a state, type, and effect, in order of execution
        ("n_shields", "i4"),
        ("n_counters", "i4"),
        ("n_level", "i4"),
        ("n_mortal", "i4"),  # how many of the level sprites can die
        ("n_res", "i4"),
        ("res_at", "i4"),  # type id of each resource column
        ("players", "i4"),
        ("block", "i4"),
        ("width", "i4"),  # pixels
        ("height", "i4"),
        ("columns", "i4"),
        ("rows", "i4"),
        ("stride", "i4"),  # bytes of a sprite in a state of this game
        ("has_path_targets", "i4"),
        ("stochastic", "i4"),
        ("time_matters", "i4"),
        ("max_tick", "i4"),
        ("grid", "i4"),  # 1: the level has so many moving sprites that states begin with lists by cell
        ("max_w", "i4"),  # widest and highest sprite, pixels
        ("max_h", "i4"),
        ("n_ints", "i4"),
        ("n_doubles", "i4"),
        ("max_work", "i4"),  # work after which a tick is cut short and the game over, at most `bounds.MAX_WORK`
        ("max_moving", "i4"),  # moving sprites there can be; fewer than `bounds.MAX_MOVING`: one more is too much work
        ("violations", "i4"),  # accesses outside a table in this tick (only counted with bounds checks on)
    ],
    align=True,
)

context_at = view_of(CONTEXT)
state_at = view_of(STATE)
sprite_at = view_of(SPRITE)
group_view = view_of(GROUP)
timer_view = view_of(TIMER)
event_view = view_of(EVENT)
type_view = view_of(TYPE)
effect_view = view_of(EFFECT)
entry_view = view_of(ENTRY)
memo_view = view_of(MEMO)
time_effect_view = view_of(TIME_EFFECT)
termination_view = view_of(TERMINATION)

SPRITE_BYTES = SPRITE.itemsize
GROUP_BYTES = GROUP.itemsize
TIMER_BYTES = TIMER.itemsize
EVENT_BYTES = EVENT.itemsize
TYPE_BYTES = TYPE.itemsize
EFFECT_BYTES = EFFECT.itemsize
ENTRY_BYTES = ENTRY.itemsize
MEMO_BYTES = MEMO.itemsize
MEMOS = 64
"""Number of rectangles remembered, each at the place that its cell gives it."""
TIME_EFFECT_BYTES = TIME_EFFECT.itemsize
TERMINATION_BYTES = TERMINATION.itemsize
STATE_BYTES = STATE.itemsize
GROUPS_AT = (STATE_BYTES + 7) & ~7
"""Offset of the groups in every state block."""
DIRTY_BITS = 60
"""Entries per word of the set of entries to be evaluated (no sign bit, so that both modes compute alike)."""
