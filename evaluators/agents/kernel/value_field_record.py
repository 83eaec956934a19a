"""Record of the value-field agent: parameters, level, movement graph, maps, watcher and look-ahead."""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import view_of

USE = 5
"""Code of the action that shoots or digs, in every VGDL game."""
CODES = 6
"""Action codes of VGDL: NIL, four directions, USE."""
MOVES = 2 * CODES
"""Edges of a node: one per action, and one per action after USE."""
TARGETS = 60
"""Collectables told apart; of more, those nearest to the avatar count."""
IDS = 256
"""Places of the table from sprite ids to targets."""
FAR = 1000
"""Ticks of a way that is too far, or that there is none."""
RADIUS = 8
"""Farthest that a monster is felt, in cells."""

FIELD = np.dtype(
    [
        # --- parameters ---
        ("horizon", "i8"),  # moves looked ahead
        ("inflation", "f8"),  # worth of a point one move later
        ("win_bonus", "f8"),
        ("strategy", "f8"),  # weight of the field
        ("danger", "f8"),  # points lost per tick beside a monster
        ("radius", "i8"),  # cells from which a monster is felt
        ("gold_reward", "f8"),  # points for a collectable, in place of what the score gained; 0: the score
        ("death_cost", "f8"),  # points for losing, or for losing health; 0: `win_bonus`, and health is not looked at
        ("monster_penalty", "f8"),  # points lost per tick on top of a monster, linearly fewer farther away
        ("monsters_stay", "i8"),  # 1: monsters are taken to stay where they are
        ("spread", "i8"),  # how distances of monsters are measured: CELLS, BY_MOVES or STRAIGHT
        ("trap_bonus", "f8"),  # points per tick with a hole between the avatar and a monster
        ("trap_reach", "i8"),  # cells from which a monster counts for that
        ("eaten", "i8"),  # what S makes of targets taken: BOTH_SIDES, AFTERWARDS or NEVER
        ("at_end", "i8"),  # 1: S counts once, where the look-ahead ends
        ("aim", "i8"),  # whose fields make up S: ALL, NEAREST or CHAIN
        ("chain_length", "i8"),
        ("local_maximum", "i8"),  # 1: standing on a local maximum of S changes the strategy at once
        ("suicide", "i8"),  # decisions without a way or a point after which a leap is sought; 0: leaps are moves
        ("leaps", "i8"),  # 1: moves that throw the avatar elsewhere are no ways
        ("frozen_after", "i8"),  # decisions after which a rival that does not move is a wall; 0: never
        ("starvation", "i8"),  # ticks without a point that are too many
        ("nearest_moves", "i8"),  # ticks that the watcher's change of strategy lasts
        ("quota", "i8"),  # forward-model calls per decision for learning the level
        ("hold", "i8"),  # ticks that an action is repeated while nothing changes
        ("positions", "i8"),  # 1: a VGDL game, whose sprites have places; 0: features are all there is to see
        ("stochastic", "i8"),
        ("lures", "i8"),  # float64[kind_count]: worth of being near the nearest of a kind, by features
        # --- the level ---
        ("types", "i8"),
        ("cells", "i8"),
        ("columns", "i8"),
        ("rows", "i8"),
        ("kind_of", "i8"),  # int32[types]: number of the avatar type, -1
        ("worth", "i8"),  # float64[types]: points of a collectable, 0
        ("harmful", "i8"),  # int32[types]: 1 for what moves (or brings forth what moves) and harms
        ("trap", "i8"),  # int32[types]: 1 for what holds or kills monsters, and comes into being in play
        ("heights", "i8"),  # float64[rows]: worth of a target in that row, from the top
        ("kinds", "i8"),  # avatar types
        ("passable", "i8"),  # int8[cells]: 1 where an avatar has been seen
        # --- the movement graph ---
        ("room", "i8"),  # of nodes
        ("used", "i8"),
        ("index", "i8"),  # int32[cells * kinds * 5]: node, -1
        ("name", "i8"),  # int32[room]: place of the node in `index`
        ("done", "i8"),  # int8[room]: NEW, TRIED or WAITING
        ("to", "i8"),  # int32[room * MOVES]: node, -1
        ("cost", "i8"),  # int16[room * MOVES]: ticks
        ("to_before", "i8"),  # the same at the start of the decision, to undo one that ran out of room
        ("cost_before", "i8"),
        ("done_before", "i8"),
        ("used_before", "i8"),
        ("head_before", "i8"),
        ("tail_before", "i8"),
        ("changed", "i8"),  # 1: edges are not those of the maps
        # --- nodes whose moves are still to be tried ---
        ("waiting", "i8"),  # int32[blocks]: nodes
        ("blocks", "i8"),
        ("head", "i8"),
        ("tail", "i8"),
        ("states", "i8"),  # the state of entry k lies in block k % blocks
        ("stride", "i8"),
        ("spare", "i8"),  # address of one more block
        ("learnt", "i8"),  # calls of this decision for learning
        ("ticks", "i8"),  # of the move made last
        # --- distance maps ---
        ("mapped", "i8"),  # nodes that the maps know
        ("start", "i8"),  # int32[room + 1]: first of the edges that lead to a node
        ("origin", "i8"),  # int32[room * MOVES]: where they come from
        ("span", "i8"),  # int16[room * MOVES]: ticks they take
        ("queue", "i8"),  # int32[max(room, cells)]
        ("queued", "i8"),  # int8[room]
        ("targets", "i8"),  # number of them
        ("target_id", "i8"),  # int64[TARGETS]
        ("target_cell", "i8"),  # int64[TARGETS]
        ("target_worth", "i8"),  # float64[TARGETS]
        ("drawn_cell", "i8"),  # int64[TARGETS]: cell for which the map was drawn, -1: none
        ("id_table", "i8"),  # int64[IDS]: sprite id, -1
        ("id_target", "i8"),  # int64[IDS]: its target
        ("ways", "i8"),  # int16[TARGETS * room]: ticks from the node to the target
        ("powers", "i8"),  # float64[FAR + 1]: powers of the strategic inflation
        ("felt", "i8"),  # int8[cells * cells]: steps of a monster between two cells, at most RADIUS + 1
        ("felt_known", "i8"),  # int8[cells]
        ("monsters", "i8"),  # number of those looked at last
        ("monster_cell", "i8"),  # int64[MONSTERS]
        ("chain_of", "i8"),  # int64[CHAINED]: targets that chains are made of, the nearest first
        ("chain_gap", "i8"),  # int64[(CHAINED + 1) * CHAINED]: ticks from each, and from the avatar last, to each
        ("chain_pick", "i8"),  # int64[LINKS]: the chain being made
        ("chain_sum", "i8"),  # int64[LINKS + 1]: its length up to each link
        # --- rivals ---
        ("rival_cell", "i8"),  # int64[players]
        ("rival_still", "i8"),  # int64[players]: decisions for which it has not moved
        ("blocked", "i8"),  # int8[cells]: 1 where a frozen rival stands
        # --- the watcher ---
        ("trail", "i8"),  # int64[TRAIL]: the last cells
        ("moments", "i8"),  # decisions made
        ("last_score", "f8"),
        ("last_gain", "i8"),  # moment of the last point
        ("until", "i8"),  # moment until which only one target counts
        ("only", "i8"),  # id of that target, -1
        ("refused", "i8"),  # id of the target tried in vain, -1
        ("aimed", "i8"),  # id of the target that NEAREST and CHAIN have chosen, -1
        ("last_point", "i8"),  # moment of the last point, whatever has been tried since
        ("lost_for", "i8"),  # decisions for which no target could be reached
        ("desperate", "i8"),  # 1: a leap is sought
        ("stale", "i8"),  # 1: the level is to be learnt again
        ("tried", "i8"),  # moment when that was done last
        ("open", "i8"),  # how far the decision being made has come
        ("learning", "i8"),  # 1 until the decision has learnt its share
        # --- the look-ahead ---
        ("depth_room", "i8"),
        ("width", "i8"),  # action codes
        ("plans", "i8"),  # number of look-ahead nodes
        ("next_plan", "i8"),  # first that is not expanded
        ("passes", "i8"),  # look-aheads completed
        ("plan_states", "i8"),
        ("depth", "i8"),  # int32[depth_room]
        ("place", "i8"),  # int32[depth_room]: node of the movement graph, -1
        ("digest", "i8"),  # int64[depth_room]
        ("left", "i8"),  # int64[depth_room]: bit set of targets not taken
        ("ended", "i8"),  # int8[depth_room]: 1 over, DIED or LEAPT
        ("child", "i8"),  # int32[depth_room * width]: -1 none
        ("reward", "i8"),  # float64[depth_room * width]
        ("value", "i8"),  # float64[depth_room]
        ("layer", "i8"),  # first look-ahead node of the layer being made
        ("total", "i8"),  # float64[width]: values of the root's actions, summed over the look-aheads
        ("here", "i8"),  # float64[2 * kind_count]: features before and
        ("there", "i8"),  # after a move
    ],
    align=True,
)
TRAIL = 16
"""Cells the watcher remembers."""
NEW, TRIED, WAITING = 0, 1, 2
"""Flags of nodes: the moves from it have been tried, or not."""

CELLS, BY_MOVES, STRAIGHT = 0, 1, 2
"""Distances of monsters: over cells, over the moves the avatar has been seen to make, or along the axes."""
BOTH_SIDES, AFTERWARDS, NEVER = 0, 1, 2
"""Sums S in which a target that the move takes does not count: before and after the move, after it only, or neither."""
ALL, NEAREST, CHAIN = 0, 1, 2
"""Targets whose fields make up S."""
DIED, LEAPT = 2, 3
"""Ends of a look-ahead that are no end of the game: health lost, and a leap."""
MONSTERS = 64
"""Monsters looked at, at most."""
CHAINED = 12
"""Targets that chains are made of, at most: the nearest."""
LINKS = 8
"""Longest chain."""

field_at = view_of(FIELD)
