"""Curriculum of a game: the kinds of objects that levels introduce one after the other, and which of them go together.

A gate and what opens it, or a portal and the place it leads to, are introduced together, for the rules need both; so
are the states of a thing, which turn into each other, as a candle and one that burns. What meets only some other kind,
as cheese that only mice eat, comes after that kind. Kinds that harm come after those that do not, but before what
brings them forth, and among these the order is that in which the game's own levels show them (Butler, Smith, Liu,
Popović: A Mixed-Initiative Tool for Designing Level Progressions in Games, UIST 2013).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import networkx as nx
import numpy as np

from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_sights import FEWEST
from pcg.evaluators.level_grid import BLOCKED, HAZARD, Grid
from pcg.generators.levels.context import LevelContext

Kinds = frozenset[int]
TERRAIN = 0.1
"""Share of the cells of each of a game's levels from which on what stops or kills the avatar is terrain, no object."""


class Curriculum:
    """Kinds of objects of a game, as sprite types, in the order in which a beginner had better meet them.

    Args:
        context: of the game.

    >>> import pcg
    >>> context = LevelContext.of(pcg.load("portals"))
    >>> [" ".join(context.analysis.names(sorted(kinds))) for kinds in Curriculum(context).steps][:3]
    ['blueArrival blueGate', 'orangeArrival orangeGate', 'painting']
    """

    def __init__(self, context: LevelContext) -> None:
        self.context = context
        """Of the game."""
        palette = context.palette
        left_out = {*context.walls, *context.frame, *palette.avatars, *palette.grounds, context.filler}
        tiles = enumerate(palette.tiles)
        self._of_tile = {t: frozenset(tile.content) for t, tile in tiles if t not in left_out}
        under_all = (*palette.grounds, *palette.avatars, context.filler)
        no_kinds = {c for t in under_all if t is not None for c in palette.tiles[t].content}
        self._of_tile = {t: kinds - no_kinds for t, kinds in self._of_tile.items()}
        terrain = self._scenery()
        self._of_tile = {t: kinds - terrain for t, kinds in self._of_tile.items()}
        self._own = [self.kinds_in(grid) for grid in context.examples]

    def _scenery(self) -> Kinds:
        """Return the kinds that make up the terrain of each of the game's own levels, and those that nothing meets."""
        analysis, palette = self.context.analysis, self.context.palette
        kinds = frozenset[int]().union(*self._of_tile.values())
        met = {t for pair in analysis.meetings for t in pair} | {s.maker for s in analysis.sources}
        found = set(kinds - met)
        for kind in kinds & met if self.context.examples else ():
            tiles = palette.by_type[kind]
            bare = [palette.access[tile] for tile in tiles if self.of_tile(tile) == {kind}]
            shares = [np.isin(grid, tiles).mean() for grid in self.context.examples]
            if min(shares) >= TERRAIN and bare and set(bare) <= {BLOCKED, HAZARD}:
                found.add(kind)
        return frozenset(found)

    def of_tile(self, tile: int) -> Kinds:
        """Return the kinds of objects that a tile creates."""
        return self._of_tile.get(tile, frozenset())

    def without(self, tile: int, kinds: Kinds) -> int | None:
        """Return the tile that creates what a tile does but for some kinds; None where that is ground or no tile."""
        palette = self.context.palette
        left = set(palette.tiles[tile].types) - kinds
        found = (t for t, other in enumerate(palette.tiles) if set(other.types) == left and t not in palette.grounds)
        return next(found, None)

    def kinds_in(self, grid: Grid) -> Kinds:
        """Return the kinds of objects in a level, without walls and ground."""
        return frozenset[int]().union(*map(self.of_tile, set(grid.ravel().tolist())))

    def together(self, kinds: Iterable[int]) -> frozenset[Kinds]:
        """Return the steps of which some kinds are."""
        return frozenset(step for step in self.steps if not step.isdisjoint(kinds))

    @cached_property
    def fixed(self) -> Kinds:
        """Kinds of steps of which each of at least three own levels has the same number, in whichever states."""
        found: set[int] = set()
        for step in self.steps:
            tiles = [tile for tile, kinds in self._of_tile.items() if kinds & step]
            numbers = {int(np.isin(grid, tiles).sum()) for grid in self.context.examples}
            if len(self.context.examples) >= FEWEST and len(numbers) == 1:
                found |= step
        return frozenset(found)

    def share(self, step: Kinds) -> float:
        """Return the share of the game's own levels that have one of a step's kinds, at least half a level."""
        having = sum(not step.isdisjoint(own) for own in self._own)
        return max(having, 0.5) / max(len(self._own), 1)

    @cached_property
    def steps(self) -> tuple[Kinds, ...]:
        """Sets of kinds that are introduced together, in order."""
        left = sorted(self._joined, key=self._rank)
        known: set[int] = set()
        ordered = []

        def ready(step: Kinds) -> bool:
            company = self.company.get(min(step))
            return (company is None or bool(company & known)) and self._harmful_products(step) <= known

        while left:
            step = next(filter(ready, left), left[0])
            left.remove(step)
            ordered.append(step)
            known |= step
        return tuple(ordered)

    def _harmful_products(self, step: Kinds) -> Kinds:
        """Return the kinds of other steps that a step's kinds bring forth and that harm: they are met alone first."""
        analysis, there = self.context.analysis, frozenset[int]().union(*self._joined)
        made = {source.product for source in analysis.sources if source.maker in step}
        return frozenset(kind for kind in made & there - step if analysis.harms(kind))

    @cached_property
    def company(self) -> dict[int, Kinds]:
        """Kind -> others, or what makes them, of which one must be there for it to mean anything; none for kinds that
        do more to the avatar, or what that makes, than stop it, that are introduced together with others, or that mean
        nothing else at all.
        """
        analysis = self.context.analysis
        own = {*analysis.avatars, *(s.product for s in analysis.sources if s.maker in analysis.avatars)}
        counted = {t for ending in analysis.endings for t in ending.types}
        kinds = frozenset[int]().union(*self._joined)
        single = {kind for step in self._joined for kind in step if len(step) == 1} - counted
        met: dict[int, set[int]] = {kind: set() for kind in single}
        for (first, second), happening in analysis.meetings.items():
            for kind, other in ((first, second), (second, first)):
                if kind in met and kind != other and (other not in own or any(c.kind != "block" for c in happening)):
                    met[kind].add(other)
        makers = {
            kind: others | {s.maker for s in analysis.sources if s.product in others} for kind, others in met.items()
        }  # fmt: skip
        return {
            kind: frozenset(others & kinds - {kind}) for kind, others in makers.items()
            if others & kinds - {kind} and not met[kind] & own
        }  # fmt: skip

    @cached_property
    def _joined(self) -> list[Kinds]:
        """Sets of kinds that are one thing for a player: one needs the other, and no third one does, or either turns
        into the other.
        """
        together = nx.Graph()
        for kinds in self._of_tile.values():
            together.add_nodes_from(kinds)
        needs = [need for need in self.context.requirements.all_needs if {need.base, need.other} <= set(together)]
        served = Counter(need.other for need in needs)
        together.add_edges_from((need.base, need.other) for need in needs if served[need.other] == 1)
        sources = self.context.analysis.sources
        turns = nx.DiGraph((source.maker, source.product) for source in sources if source.consumes_maker)
        for states in nx.strongly_connected_components(turns):
            nx.add_path(together, sorted(states & set(together)))
        return [frozenset(found) for found in nx.connected_components(together)]

    def _rank(self, step: Kinds) -> tuple[bool, int, float, tuple[str, ...]]:
        analysis = self.context.analysis
        first = next((k for k, own in enumerate(self._own) if not step.isdisjoint(own)), len(self._own))
        return any(map(analysis.harms, step)), first, -self.share(step), analysis.names(sorted(step))
