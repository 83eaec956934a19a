"""The context of level generation, worked out once per game: analysis, palette, requirements, statistics of the game's
own levels.

It sorts the tiles into the parts a level is made of: the frame around it, walls, filling (earth to dig through,
pellets that lie everywhere), lanes for traffic, and objects. Making levels from these is the business of `wall_layout`,
`object_placement` and the generators.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.evaluators.barriers import count_gates
from pcg.evaluators.judging.level_counterparts import Counterparts, gate_openers
from pcg.evaluators.judging.level_features import LevelView
from pcg.evaluators.judging.level_sights import FEWEST
from pcg.evaluators.level_grid import BLOCKED, GATE, Grid, Palette, avatar_cells, distances, edge_of, palette
from pcg.evaluators.level_statistics import LevelStatistics, level_statistics
from pcg.evaluators.metrics.patterns import originality
from pcg.evaluators.metrics.text import TextMetrics
from pcg.evaluators.requirements import CountRule, Requirements, requirements
from pcg.evaluators.targets import GROUPS, Target, group, sprites_of

COUNTERPARTS = 0.001
"""Chance below which equal numbers of two kinds of things are kept in generated levels (see `level_counterparts`)."""
FEW = 2
"""Most things of a tile, in each of the examples, that generated levels have no more of either."""
FRAMED = 0.85
"""Share of the edge from which on something is a frame."""
SMALLEST = 4
"""Sides of generated levels are at least this, plus 2 where there is a frame (reference/generators 12.2)."""
LARGEST = 18


class HasLevels(Protocol):
    """Game as generators see it: its definition and the texts of its own levels (possibly none)."""

    @property
    def definition(self) -> GameDefinition: ...

    @property
    def levels(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Lane:
    """A ground on which traffic runs, and the tiles of that traffic; `horizontal` tells rows from columns."""

    ground: int
    movers: tuple[int, ...]
    horizontal: bool
    density: float
    """Share of a lane's cells that start with a mover."""


@dataclass(frozen=True, eq=False)
class LevelContext:
    """The parts levels of one game are made of. Tiles are numbers into `palette.tiles`."""

    definition: GameDefinition
    analysis: GameAnalysis
    palette: Palette
    requirements: Requirements
    statistics: LevelStatistics | None
    frame: tuple[int | None, int | None, int | None, int | None]
    """The tile along the top, right, bottom and left edge, None where there is none."""
    walls: tuple[int, ...]
    wall_weights: NDArray[np.float64]
    """Relative frequency of each of `walls`, summing to 1."""
    wall_share: float
    """Share of walls inside the frame."""
    filler: int | None
    filler_share: float
    """Share of the filler among the cells that are not walls."""
    lanes: tuple[Lane, ...]
    lane_share: float
    """Share of the rows that are lanes."""
    objects: tuple[int, ...]
    """Every tile that is put down one by one."""
    ground_under: tuple[int, ...]
    """Per tile, the ground it stands on (the empty ground where it tells none)."""
    widths: tuple[int, int]
    heights: tuple[int, int]
    examples: tuple[Grid, ...] = ()
    """The game's own levels as tile numbers, those that can be read with its tiles."""
    unread: str = ""
    """The first reason why a level of the game is not among the examples."""

    @property
    def smallest(self) -> int:
        """Shortest side a level of this game can have."""
        return SMALLEST + 2 * any(side is not None for side in self.frame)

    @cached_property
    def required_tiles(self) -> frozenset[int]:
        """Tiles that must be within the avatar's reach: goals, what is needed for them, what can be collected."""
        needed = {n.other for n in self.requirements.needs}
        return frozenset(
            i for i in self.objects for t in self.palette.tiles[i].content
            if t in needed or self.analysis.has(t, "collectable") or self.analysis.has(t, "goal")
        )  # fmt: skip

    @cached_property
    def background(self) -> int:
        """Tile that is left where something is taken away: the empty ground, or the filler of a game whose own levels
        never leave a cell without it that the avatar comes to.
        """
        if self.filler is None or self.statistics is None or any(map(self._has_empty_ground, self.examples)):
            return self.palette.empty
        return self.filler

    def _has_empty_ground(self, grid: Grid) -> bool:
        empty, starts = grid == self.palette.empty, avatar_cells(self.palette, grid)
        if empty.any() and starts and self.analysis.mobility == "freely":
            empty &= distances(self.palette, grid, starts[0], mask=self.palette.access[grid] <= GATE) >= 0
        return bool(empty.any())

    @cached_property
    def text(self) -> TextMetrics:
        """Measures of texts of the game's levels."""
        groups = {name: group(name, self.analysis) for name in GROUPS}
        return TextMetrics(self.palette, self.requirements, self.frame, groups)

    @cached_property
    def frame_gates(self) -> frozenset[int]:
        """Tiles of gates that may stand in the frame: those that do in an example; without examples those of goals, for
        others would lead nowhere.
        """
        gates = {tile for tile in range(len(self.palette.tiles)) if self.palette.access[tile] == GATE}
        if self.examples:
            return frozenset(gates.intersection(t for e in self.examples for t in e[edge_of(e.shape)].tolist()))
        return frozenset(t for t in gates if any(self.analysis.has(c, "goal") for c in self.palette.tiles[t].content))

    @cached_property
    def frame_at_will(self) -> tuple[int, float] | None:
        """Tile that frames some examples while the others have none of it at the edge, and its least share of the edge
        where it does; None in games whose levels are not of these two kinds.
        """
        edges = [grid[edge_of(grid.shape)] for grid in self.examples]
        found = []
        for tile in sorted({*self.walls, *(tile for tile in self.frame if tile is not None)}):
            framed = [share for share in (float((edge == tile).mean()) for edge in edges) if share]
            if framed and len(framed) < len(edges) and min(framed) >= FRAMED:
                found.append((tile, min(framed)))
        return found[0] if len(found) == 1 else None

    @cached_property
    def barriers(self) -> frozenset[int]:
        """Tiles of gates that bar a way: of no goal, and at least half of those in the examples do so."""
        gates = [tile for tile in range(len(self.palette.tiles)) if self.palette.access[tile] == GATE]
        if not gates:
            return frozenset()
        counts = [count_gates(self.palette, grid) for grid in self.examples]
        placed, barring = np.sum(counts, axis=0) if counts else np.zeros((2, len(self.palette.tiles)), np.int64)
        return frozenset(
            tile for tile in gates if 2 * barring[tile] >= placed[tile]
            and not any(self.analysis.has(c, "goal") for c in self.palette.tiles[tile].content)
        )  # fmt: skip

    @cached_property
    def openers(self) -> Mapping[int, frozenset[int]]:
        """Tile of a gate -> the tiles of what opens it; none for those that nothing in the level opens."""
        return gate_openers(self.palette, self.requirements)

    @cached_property
    def keys(self) -> Mapping[int, frozenset[int]]:
        """Types that open gates and are never in the game's own levels without one of these: a key that opens nothing
        is in the way of whoever looks for its door. None where fewer than two levels have the key.
        """
        opened: dict[int, set[int]] = {}
        for need in self.requirements.all_needs:
            if self.analysis.has(need.base, "gate"):
                opened.setdefault(need.other, set()).add(need.base)
        examples = [self.palette.count_types(grid) for grid in self.examples]
        found = {}
        for key, gates in opened.items():
            having = [counts for counts in examples if counts.get(key)]
            if len(having) >= 2 and all(any(counts.get(gate) for gate in gates) for counts in having):
                found[key] = frozenset(gates)
        return found

    @cached_property
    def counterparts(self) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
        """Pairs of kinds of objects, each by its tiles, of which the examples have equal numbers; gates come second."""
        known = Counterparts([LevelView(self.text.level(grid)) for grid in self.examples], COUNTERPARTS)
        found = []
        for pair in known.known(known.every()) if known.every() else ():
            one, other = (frozenset(np.flatnonzero(known.kinds.tiles[kind]).tolist()) for kind in pair)
            if one | other <= set(self.objects):
                gates_first = any(self.palette.access[tile] == GATE for tile in one)
                found.append((other, one) if gates_first else (one, other))
        return tuple(found)

    @cached_property
    def usual_numbers(self) -> Mapping[int, int]:
        """Object -> its number in each of the examples, where that is one or two in all of at least three: an exit."""
        if len(self.examples) < FEWEST:
            return {}
        tiles = len(self.palette.tiles)
        counts = np.array([np.bincount(grid.ravel(), minlength=tiles) for grid in self.examples])
        usual = np.where((counts == counts[0]).all(axis=0), counts[0], 0)
        return {tile: int(usual[tile]) for tile in self.objects if 1 <= usual[tile] <= FEW}

    @cached_property
    def example_texts(self) -> tuple[str, ...]:
        """The texts of `examples`."""
        return tuple(self.palette.text(grid) for grid in self.examples)

    @cached_property
    def own_originality(self) -> tuple[float, ...]:
        """Originality of each of the game's own levels, compared with the others, in [0, 1], in rising order; none for
        fewer than two levels.
        """
        levels = self.examples
        if len(levels) < 2:
            return ()
        return tuple(sorted(originality(grid, [other for other in levels if other is not grid]) for grid in levels))

    @property
    def has_portals(self) -> bool:
        """True if the game has portals, so that rooms need no opening."""
        return bool(self.palette.links)

    def with_wanted_counts(self, targets: Sequence[Target]) -> LevelContext:
        """The same context with wanted numbers of sprites as further rules on counts, so that whatever builds and
        repairs by those rules aims at them.
        """
        rules = []
        for target in targets:
            types = sprites_of(target.name, self.analysis)
            if types:
                most = None if target.high == math.inf else math.floor(target.high)
                rules.append(CountRule(tuple(sorted(types)), max(0, math.ceil(max(target.low, 0.0))), most, "wanted"))
        if not rules:
            return self
        required = dataclasses.replace(self.requirements, counts=(*self.requirements.counts, *rules))
        return dataclasses.replace(self, requirements=required)

    @classmethod
    def of(cls, game: HasLevels) -> LevelContext:
        """The context of a game.

        Raises:
            PcgError: when its level mapping offers no avatar.
        """
        definition = game.definition
        analysis = analyse(definition)
        tiles = palette(analysis)
        statistics = level_statistics(tiles, game.levels)
        return _ContextBuilder(definition, analysis, tiles, requirements(analysis), statistics).result(game.levels)


class _ContextBuilder:
    """Sorts the tiles of a palette into the parts of a `LevelContext`."""

    def __init__(
        self, definition: GameDefinition, analysis: GameAnalysis, tiles: Palette, required: Requirements,
        statistics: LevelStatistics | None,
    ) -> None:  # fmt: skip
        self.definition, self.analysis, self.palette = definition, analysis, tiles
        self.required, self.statistics = required, statistics
        self.ground_under = tuple(self._ground_under(i) for i in range(len(tiles.tiles)))

    def result(self, levels: Sequence[str]) -> LevelContext:
        frame = self._frame()
        filler, filler_share = self._filler()
        walls, weights, wall_share = self._walls()
        lanes, lane_share = self._lanes()
        in_lanes = {m for lane in lanes for m in lane.movers}
        excluded = {*walls, *in_lanes, *self.palette.grounds, *(() if filler is None else (filler,))}
        objects = tuple(i for i in range(len(self.palette.tiles)) if i not in excluded and self._is_object(i, frame))
        widths, heights = self._sizes(frame)
        examples, unread = self._examples(levels)
        return LevelContext(
            self.definition,
            self.analysis,
            self.palette,
            self.required.kept_by([self.palette.count_types(grid) for grid in examples]),
            self.statistics,
            frame,
            walls,
            weights,
            wall_share,
            filler,
            filler_share,
            lanes,
            lane_share,
            objects,
            self.ground_under,
            widths,
            heights,
            examples,
            unread,
        )

    def _examples(self, levels: Sequence[str]) -> tuple[tuple[Grid, ...], str]:
        found, unread = [], ""
        for number, text in enumerate(levels):
            try:
                found.append(self.palette.parse(text))
            except PcgError as error:
                unread = unread or f"level {number}: {error}"
        return tuple(found), unread

    def _ground_under(self, tile: int) -> int:
        """The ground whose sprites a tile shares; its own number for a ground."""
        tiles = self.palette.tiles
        own = set(tiles[tile].types) - set(tiles[tile].content)
        if tile in self.palette.grounds:
            return tile
        best = [g for g in self.palette.grounds if own and own <= set(tiles[g].types)]
        exact = [g for g in best if own == set(tiles[g].types)]
        return (exact or best or [self.palette.empty])[0]

    def _frame(self) -> tuple[int | None, int | None, int | None, int | None]:
        if self.statistics is not None:
            return self.statistics.frame
        wall = self.palette.wall
        # Without examples: a frame of walls unless the edge of the screen itself holds the avatar back.
        held = any(c.kind == "block" for a in self.analysis.start_avatars for c in self.analysis.edges.get(a, ()))
        return (None,) * 4 if wall is None or held else (wall,) * 4

    def _walls(self) -> tuple[tuple[int, ...], NDArray[np.float64], float]:
        walls = tuple(i for i in self.palette.walls if self.palette.access[i] == BLOCKED)
        if not walls:
            return (), np.zeros(0), 0.0
        if self.statistics is None:
            weights = np.array([float(i == self.palette.wall) for i in walls])
            return walls, weights, 0.1
        shares = self.statistics.share[list(walls)]
        total = float(shares.sum())
        if total == 0:
            return walls, np.array([float(i == self.palette.wall) for i in walls]), 0.0
        return walls, shares / total, min(0.7, total)

    def _filler(self) -> tuple[int | None, float]:
        """A tile that fills the open space: most of it in the game's levels, or what the rules make look like earth."""
        palette, analysis = self.palette, self.analysis
        open_tiles = [
            i
            for i, t in enumerate(palette.tiles)
            if t.content and palette.access[i] < GATE and not any(analysis.has(c, "avatar") for c in t.content)
        ]
        still = [
            i
            for i in open_tiles
            if not any(analysis.has(c, "mover") or analysis.has(c, "pushable") for c in palette.tiles[i].content)
        ]
        if self.statistics is not None:
            share = self.statistics.share
            space = float(share[[*palette.grounds, *open_tiles]].sum())
            best = max(still, key=lambda i: share[i], default=None)
            if best is not None and space > 0 and share[best] > 0.4 * space:
                return best, float(share[best]) / space
            return None, 0.0
        for i in still:
            (content, *others) = palette.tiles[i].content
            if not others and self._like_earth(content):
                return i, 0.6
        return None, 0.0

    def _like_earth(self, type_id: int) -> bool:
        """Dug away by touch for nothing, and in the way of something else that moves."""
        analysis = self.analysis
        if (
            not analysis.has(type_id, "collectable")
            or analysis.has(type_id, "goal")
            or analysis.has(type_id, "resource")
        ):
            return False
        scores = [c.score for (a, b), found in analysis.meetings.items() if type_id in (a, b)
                  and (a in analysis.avatars or b in analysis.avatars) for c in found]  # fmt: skip
        stops = any(c.kind == "block" and a not in analysis.avatars for (a, b), found in analysis.meetings.items()
                    if b == type_id for c in found)  # fmt: skip
        return stops and not any(scores)

    def _lanes(self) -> tuple[tuple[Lane, ...], float]:
        """Grounds other than the empty one that sprites with a fixed direction travel on."""
        palette, analysis = self.palette, self.analysis
        found: dict[tuple[int, bool], list[int]] = {}
        for i, tile in enumerate(palette.tiles):
            ground = self.ground_under[i]
            drifting = [analysis.drifts[c] for c in tile.content if c in analysis.drifts]
            if len(drifting) == 1 and ground != palette.empty:
                found.setdefault((ground, drifting[0][0] != 0), []).append(i)
        lanes, total = [], 0.0
        for (ground, horizontal), movers in sorted(found.items()):
            density = 0.2
            if self.statistics is not None:
                traffic = float(self.statistics.share[movers].sum())
                road = traffic + float(self.statistics.share[ground])
                if road == 0:
                    continue
                density, total = traffic / road, total + road
            lanes.append(Lane(ground, tuple(movers), horizontal, density))
        share = 0.0 if not lanes else min(0.75, total) if self.statistics is not None else 0.45
        return tuple(lanes), share

    def _is_object(self, tile: int, frame: Sequence[int | None]) -> bool:
        content = self.palette.tiles[tile].content
        analysis = self.analysis
        if any(analysis.has(c, "avatar") for c in content):
            return False
        if any(c in self.required.unwinnable for c in content) and len(self.required.unwinnable) < len(
            self.required.placeable
        ):
            return False
        if self.statistics is not None:
            return tile not in frame or bool(self.statistics.share[tile] > 0)
        # Without examples: no tile that only comes about by the avatar's own doing.
        made = {s.product for s in analysis.sources if s.maker in analysis.avatars}
        return not all(c in made for c in content)

    def _sizes(self, frame: Sequence[int | None]) -> tuple[tuple[int, int], tuple[int, int]]:
        if self.statistics is not None:
            return self.statistics.widths, self.statistics.heights
        extra = 2 * (frame[0] is not None)
        kinds = len({c for t in self.palette.tiles for c in t.content})
        low = min(LARGEST, max(SMALLEST + 2, round(0.75 * kinds) + 2)) + extra
        high = min(LARGEST, max(SMALLEST + 4, round(1.5 * kinds) + 2)) + extra
        return (low, high), (low, high)


def require_single_player(context: LevelContext) -> None:
    """Refuse games with more than one avatar, which no generator here lays out.

    Raises:
        PcgError: for a game with `no_players` other than 1.
    """
    players = context.definition.players
    if players != 1:
        raise PcgError(
            f"{context.definition.name} has {players} players; levels are generated for games with one player"
        )
