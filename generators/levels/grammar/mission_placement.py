"""Placement of a mission: each symbol becomes sprites of the game, put into its part of the level.

What may stand for a symbol is in `game_elements`; here one of the choices is taken (as often as the game's own levels
show it) and put where it belongs: keys and goals at the far end of their places, dangers away from the avatar, boxes
where they can be pushed from. The rest of what a level has is added by the tools all generators use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.level_grid import BLOCKED, HAZARD
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.grammar.game_elements import PUSHED, Barrier, GameElements, Key, Task
from pcg.generators.levels.grammar.language import LevelGrammar
from pcg.generators.levels.grammar.mission import Mission
from pcg.generators.levels.grammar.mission_map import Cell, MissionLayout, MissionMap, Place
from pcg.generators.levels.grammar.reverse_play import BoxPlacer
from pcg.generators.levels.level_builder import weighted_choice
from pcg.generators.levels.object_counts import Counts
from pcg.generators.levels.object_placement import ground_weights, in_formation, place_avatar, place_object, row_weights

MOST_OF_A_KIND = 3
"""Dangers, traps and rewards put down for one symbol."""


def check_sprites(grammar: LevelGrammar, context: LevelContext) -> None:
    """Look up the sprite types a grammar asks for.

    Raises:
        PcgError: for a name the game does not have, or that no level character creates.
    """
    definition, palette = context.definition, context.palette
    rules = [r for rules in grammar.productions.values() for r in rules] + list(grammar.rewritings)
    for rule in rules:
        for node in (*rule.left.nodes, *(rule.right.nodes if rule.right is not None else ())):
            if not node.sprite:
                continue
            if node.sprite not in definition.type_index:
                hint = did_you_mean(node.sprite, definition.type_index)
                raise PcgError(
                    f"{grammar.file}:{rule.line}: {node.symbol}({node.sprite}): the game has no sprite type"
                    f" `{node.sprite}`{hint}"
                )
            if not tiles_named(context, node.sprite):
                known = ", ".join(definition.types[t].name for t in sorted(palette.by_type))
                raise PcgError(
                    f"{grammar.file}:{rule.line}: {node.symbol}({node.sprite}): no level character of the game"
                    f" creates `{node.sprite}` (there are characters for: {known})"
                )


def tiles_named(context: LevelContext, name: str) -> tuple[int, ...]:
    """The tiles that create sprites of a type or of one below it."""
    definition = context.definition
    types = definition.types[definition.type_index[name]].subtypes
    return tuple(sorted({i for t in types for i in context.palette.by_type.get(t, ())}))


class MissionPlacer:
    """Placement of the sprites of one mission in one level.

    Args:
        level: with its walls.
        mission: what is to be there.
        plan: where; see `space`.
        known: what the game offers.
        counts: tile -> how many there may be in the level: a mission of many tasks and dangers is no reason for more of
            them than the game's levels bear. Locks, boxes and what a grammar names go beyond.
        rng: draws the details.
    """

    def __init__(
        self,
        level: MissionMap,
        mission: Mission,
        plan: MissionLayout,
        known: GameElements,
        counts: Counts,
        rng: np.random.Generator,
    ) -> None:
        self.level, self.mission, self.plan, self.game_elements, self.counts = level, mission, plan, known, counts
        self.context, self.palette = level.context, level.palette
        self.rng = rng
        self.placed: dict[int, int] = {}
        """Tile -> how many were put down for the mission."""
        self.bound: dict[int, Barrier] = {}
        self.opened_by: dict[int, Key] = {}
        """Lock -> what opens it."""
        self.cells: dict[int, list[Cell]] = {}
        """Node -> where its things stand."""
        self.box_placer = BoxPlacer(level)

    def place_required(self) -> bool:
        """Place what winning takes; return whether each lock got what opens it and each portal its exit."""
        self._choose_locks()
        if not self._warps():
            return False
        self._start()
        for lock, gap in self.plan.gaps.items():
            self._put(gap.cell, self.bound[lock].tile, lock)
            self.level.locks.append(gap.cell)
        self.level.invalidate()
        if not self._keys():
            return False
        self._tasks()
        self.level.restrict_to(None)
        return True

    def place_optional(self) -> None:
        """Place what the mission asks for and winning does not: dangers and rewards."""
        for node in self.mission.graph:
            symbol = self.mission.symbol(node)
            if symbol in ("test", "trap", "reward"):
                tiles = {
                    "test": self.game_elements.tests,
                    "trap": self.game_elements.traps,
                    "reward": self.game_elements.rewards,
                }[symbol]
                if not self.mission.sprite(node):
                    tiles = tuple(t for t in tiles if self.placed.get(t, 0) < self.counts.get(t, 0))
                self._scatter(node, tiles)
        self.level.restrict_to(None)

    # -- what comes first ----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        place_of = self.plan.place_of(self.mission.root)
        tile = self.palette.avatars[0]
        if self.plan.closed:
            self.level.restrict_to(place_of.rect)
            weights = ground_weights(self.level, tile)
            ways = np.argwhere(self.level.reserved)
            if len(ways):
                # Away from the ways out: what is near the start is near for all that comes later.
                cells = np.argwhere(np.ones(weights.shape, bool))
                steps = np.abs(cells[:, None, :] - ways[None, :, :]).sum(axis=2).min(axis=1)
                weights = weights * (1.0 + steps.reshape(weights.shape)) ** 1.5
            index = weighted_choice(self.rng, weights.ravel())
            if index is not None:
                width = weights.shape[1]
                self._put((index // width, index % width), tile, self.mission.root)
                return
        elif self.context.analysis.avatar_side is None:
            self.level.restrict_to(place_of.rect)
            if not self.level.free().any():
                self.level.restrict_to(None)
        place_avatar(self.level, self.rng)
        self.level.restrict_to(None)

    def _warps(self) -> bool:
        """An entrance in the place before each closed one, the exit in it; every pair of them once."""
        entrances = list(self.game_elements.warps)
        order = [entrances[i] for i in self.rng.permutation(len(entrances)).tolist()]
        for node in self.plan.warps:
            before = self.mission.predecessor(node)
            if not order or before is None:
                return False
            entrance, exits = order.pop()
            for tile, at in ((entrance, before), (exits[int(self.rng.integers(len(exits)))], node)):
                self.level.restrict_to(self.plan.place_of(at).rect)
                cell = self._corner(tile)
                if cell is None:
                    return False
                self._put(cell, tile, node)
                for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    beside = (cell[0] + dy, cell[1] + dx)
                    if 0 <= beside[0] < self.level.grid.shape[0] and 0 <= beside[1] < self.level.grid.shape[1]:
                        self.level.reserve(beside)
        return True

    def _corner(self, tile: int) -> Cell | None:
        """A free cell of the part being filled, anywhere."""
        return self._draw(ground_weights(self.level, tile))

    # -- locks and keys ------------------------------------------------------------------------------------------------

    def _choose_locks(self) -> None:
        """A barrier for each lock: one the grammar asked for, one that is a goal sooner than others."""
        for lock in self.mission.nodes_with("lock"):
            choices = self._allowed(lock, [b.tile for b in self.game_elements.barriers])
            barriers = [b for b in self.game_elements.barriers if b.tile in choices] or list(
                self.game_elements.barriers
            )
            weights = self._usual([b.tile for b in barriers])
            weights *= np.array([4.0 if b.goal else 1.0 for b in barriers])
            barrier = barriers[weighted_choice(self.rng, weights) or 0]
            wanted = {
                t for k in self.mission.keys_of(lock) for t in self._allowed(k, [key.tile for key in barrier.keys])
            }
            keys = [k for k in barrier.keys if k.tile in wanted] or list(barrier.keys)
            self.bound[lock] = barrier
            self.opened_by[lock] = keys[weighted_choice(self.rng, self._usual([k.tile for k in keys])) or 0]

    def _keys(self) -> bool:
        for node in self.mission.nodes_with("key"):
            for lock in self.mission.locks_of(node):
                key = self.opened_by[lock]
                share = -(-key.amount // len(self.mission.keys_of(lock)))
                rect = self.plan.place_of(node).rect
                if key.how == PUSHED:
                    self.level.restrict_to(rect)
                    cell = self.box_placer.pull(self.plan.gaps[lock].cell, self.rng, least=2)
                    if cell is None:
                        self.level.restrict_to(None)
                        cell = self.box_placer.pull(self.plan.gaps[lock].cell, self.rng, least=1)
                    if cell is None:
                        return False
                    self._put(cell, key.tile, node)
                    continue
                for _ in range(share):
                    if not self._far(node, key.tile):
                        return False
        return True

    # -- tasks ---------------------------------------------------------------------------------------------------------

    def _tasks(self) -> None:
        tasks = self.game_elements.tasks
        nodes = [*self.mission.nodes_with("goal"), *self.mission.nodes_with("task")]
        # Boxes first: what is put down later stands in nobody's way, and what is in the way is known.
        chosen: dict[int, Task] = {}
        for node in nodes:
            allowed = self._allowed(node, [t.tile for t in tasks])
            choices = [t for t in tasks if t.tile in allowed] or list(tasks)
            if not self.mission.sprite(node):
                asked = Counter(task.tile for task in chosen.values())
                few = [t for t in choices if t.box is not None or asked[t.tile] < self.counts.get(t.tile, 0)]
                choices = few if few or chosen else choices
            if choices:
                chosen[node] = choices[weighted_choice(self.rng, self._usual([t.tile for t in choices])) or 0]
        for node in sorted(chosen, key=lambda n: chosen[n].box is None):
            self._task(node, chosen[node])

    def _task(self, node: int, task: Task) -> None:
        if in_formation(self.level, task.tile) or self._full(task.tile):
            return
        if task.box is not None:
            self._push_task(node, task)
            return
        if not self._far(node, task.tile):
            return
        for tile, each in task.company:
            number = each or int(not self.placed.get(tile))
            for _ in range(number):
                self._far(node, tile)

    def _push_task(self, node: int, task: Task) -> None:
        """A target at the node's place and a box that can be pushed there."""
        box = task.box
        assert box is not None
        for within in (self.plan.place_of(node), None):
            self.level.restrict_to(within.rect if within is not None else None)
            for _ in range(6):
                target = self._draw(ground_weights(self.level, task.target))
                if target is None:
                    break
                if self.level.blocks(task.target) and self.level.disconnects(target):
                    continue
                self.level.restrict_to(None)
                cell = self.box_placer.pull(target, self.rng, least=3)
                if cell is not None:
                    self._put(target, task.target, node)
                    self._put(cell, box, node)
                    return
                self.level.restrict_to(within.rect if within is not None else None)

    # -- the rest of the mission ---------------------------------------------------------------------------------------

    def _scatter(self, node: int, tiles: Sequence[int]) -> None:
        """One to a few things of one kind, more in larger places."""
        choices = self._allowed(node, [t for t in tiles if not in_formation(self.level, t)])
        if not choices:
            return
        tile = choices[weighted_choice(self.rng, self._usual(choices)) or 0]
        found = self.plan.place_of(node)
        number = 1 + int(self.rng.integers(max(1, min(MOST_OF_A_KIND, found.rect.area // 12))))
        left = self.counts.get(tile, 0) - self.placed.get(tile, 0)
        for _ in range(max(1, min(number, left))):
            if not self._full(tile):
                self._beside_the_way(node, tile, found)

    def _beside_the_way(self, node: int, tile: int, found: Place) -> bool:
        self.level.restrict_to(found.rect)
        before = self.level.grid.copy()
        if not place_object(self.level, self.rng, tile):
            return False
        (cell,) = np.argwhere(before != self.level.grid).tolist()
        if self.palette.access[tile] in (HAZARD, BLOCKED) and self._cut_off((cell[0], cell[1])):
            self.level.put((cell[0], cell[1]), int(before[cell[0], cell[1]]))
            return False
        self._note((cell[0], cell[1]), tile, node)
        return True

    def _cut_off(self, cell: Cell) -> bool:
        """Return whether something deadly on a cell leaves other cells without a way."""
        steps = self.level.distances()
        walkable = self.level.walkable()
        walkable[cell] = False
        return bool((walkable & (steps < 0)).any())

    def _far(self, node: int, tile: int) -> bool:
        """Put something needed at the far end of its place; anywhere the avatar gets before where that is full."""
        found = self.plan.place_of(node)
        self.level.restrict_to(found.rect)
        weights = ground_weights(self.level, tile) * (row_weights(self.level, tile) if not self.plan.closed else 1.0)
        if self.plan.closed:
            rows, columns = np.indices(weights.shape)
            entry = found.entry or self.level.avatar or (0, 0)
            weights = weights * (1.0 + np.abs(rows - entry[0]) + np.abs(columns - entry[1])) ** 1.5
            weights = weights * (self.level.distances() > 0)
        for _ in range(20):
            cell = self._draw(weights)
            if cell is None:
                break
            if self.level.blocks(tile) and self.level.disconnects(cell):
                weights[cell] = 0
                continue
            self._put(cell, tile, node)
            return True
        if self.plan.closed:
            return False
        self.level.restrict_to(None)
        before = self.level.grid.copy()
        if not place_object(self.level, self.rng, tile):
            return False
        (cell,) = ((y, x) for y, x in np.argwhere(before != self.level.grid).tolist())
        self._note(cell, tile, node)
        return True

    # -- small things --------------------------------------------------------------------------------------------------

    def _allowed(self, node: int, tiles: Sequence[int]) -> list[int]:
        """The tiles of a choice that fit what the grammar asked for at a node."""
        sprite = self.mission.sprite(node)
        if not sprite:
            return list(tiles)
        named = tiles_named(self.context, sprite)
        return [t for t in tiles if t in named] or list(named)

    def _full(self, tile: int) -> bool:
        """Return whether a rule or a target allows no more of what a tile creates, or the game's own levels never had
        more of it.
        """
        statistics = self.context.statistics
        if statistics is not None and self.placed.get(tile, 0) >= max(1, int(statistics.most[tile])):
            return True
        created = self.palette.type_counts[tile]
        for rule in self.context.requirements.counts[1:]:
            if rule.maximum is not None and any(created[t] for t in rule.types):
                present = sum(
                    n * int(self.palette.type_counts[i][t]) for i, n in self.placed.items() for t in rule.types
                )
                if present >= rule.maximum:
                    return True
        return False

    def _usual(self, tiles: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the frequency of each of some tiles in the game's own levels."""
        statistics = self.context.statistics
        if statistics is None:
            return np.ones(len(tiles))
        return np.asarray(statistics.used[list(tiles)] + 0.05, np.float64)

    def _draw(self, weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Cell | None:
        index = weighted_choice(self.rng, weights.ravel())
        width = weights.shape[1]
        return None if index is None else (index // width, index % width)

    def _put(self, cell: Cell, tile: int, node: int) -> None:
        self.level.put(cell, tile)
        self._note(cell, tile, node)

    def _note(self, cell: Cell, tile: int, node: int) -> None:
        self.placed[tile] = self.placed.get(tile, 0) + 1
        self.cells.setdefault(node, []).append(cell)


def left_to_place(
    known: GameElements, plan: MissionLayout, placed: Mapping[int, int], counts: Mapping[int, int]
) -> dict[int, int]:
    """Return what a level should have besides its mission: what was drawn less what is there.

    No locks and nothing that opens one by being used up: these are the mission's; and no portals that would spoil it.
    """
    rest = {tile: number - placed.get(tile, 0) for tile, number in counts.items()}
    if plan.gaps:
        for barrier in known.barriers:
            for tile in (barrier.tile, *(k.tile for k in barrier.keys)):
                rest[tile] = 0
    for task in known.tasks:
        if task.box is not None:
            # A box more may stand in the way of the others, a target more asks for one.
            rest[task.box] = rest[task.target] = 0
    for entrance, exits in known.warps:
        # Portals lead past locks, and one with two exits leads nobody knows where.
        if plan.gaps or placed.get(entrance):
            for tile in (entrance, *exits):
                rest[tile] = 0
    return {tile: number for tile, number in rest.items() if number > 0}
