"""From choices to a level: mission, space, furniture, proof, in this order. Both generators of the package build so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels.constructive.generator import draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.grammar.decisions import Decisions
from pcg.generators.levels.grammar.game_elements import means
from pcg.generators.levels.grammar.language import LevelGrammar
from pcg.generators.levels.grammar.mission import Derivation, Mission
from pcg.generators.levels.grammar.mission_check import order_holds, walk
from pcg.generators.levels.grammar.mission_map import Ground, Plan
from pcg.generators.levels.grammar.mission_placement import Settler, check_sprites, left_to_place
from pcg.generators.levels.grammar.space import bands, lay_out
from pcg.generators.levels.level_builder import Site
from pcg.generators.levels.object_counts import Counts, draw_counts, fit
from pcg.generators.levels.object_placement import furnish
from pcg.generators.levels.repair.by_rules import repair, repair_reachability
from pcg.generators.levels.wall_layout import STYLES, fill, lay_lanes, main_wall

LAYOUTS = ("auto", "rooms", "bands")
LEAST_WALLS = 0.08
"""Games whose levels have fewer walls than this (a share of the level) get rooms only for locks and portals."""
AREA_OF_A_NODE = 11
FEWEST_NODES, MOST_NODES = 4, 18


@dataclass(frozen=True)
class Built:
    """A level, the mission it stands for, and whether it is sound."""

    level: str
    mission: Mission
    plan: Plan
    sound: bool
    """Whether the mission's order holds and all that the rules call for is there, without repair."""
    walk: int | None
    """About how many steps winning takes; None where distances do not tell."""


@dataclass(frozen=True)
class Draft:
    """A level with what winning its mission takes, before the rest is added."""

    settler: Settler
    """Knows the ground, the mission and the plan, and what was put where."""
    sound: bool
    walk: int | None


class Builder:
    """Builds levels of one game by one grammar.

    Args:
        context: of the game.
        grammar: missions and spaces.
        layout: "rooms", "bands", or "auto": what suits the game.
        loops: share of the neighbouring rooms that are joined once more where no lock keeps them apart.

    Raises:
        PcgError: when the grammar asks for what the game does not have, or rooms are asked for in a game without walls.
    """

    def __init__(self, context: LevelContext, grammar: LevelGrammar, layout: str = "auto", loops: float = 0.5) -> None:
        self.context, self.grammar, self.loops = context, grammar, loops
        self.means = means(context)
        check_sprites(grammar, context)
        self.closed = self._closes(layout)
        self.derivation = Derivation(grammar, self.means.symbols(closed=self.closed))

    def _closes(self, layout: str) -> bool:
        context = self.context
        wall = main_wall(context, np.random.default_rng(0))
        possible = wall is not None and not context.lanes
        if layout == "rooms" and not possible:
            raise PcgError("this game has no walls to make rooms of; expected layout auto or bands")
        if layout != "auto":
            return layout == "rooms"
        if not any(e.kind != "timeout" for e in context.analysis.wins):
            return False  # walls would keep from the avatar what it has to survive
        worth = bool(self.means.barriers or self.means.warps) or context.wall_share >= LEAST_WALLS
        return possible and worth and context.analysis.mobility == "freely"

    def size(self, width: int, height: int) -> int:
        """The number of nodes that suits a level."""
        sides = [int(side is not None) for side in self.context.frame]
        area = (height - sides[0] - sides[2]) * (width - sides[1] - sides[3])
        return int(np.clip(area // AREA_OF_A_NODE, FEWEST_NODES, MOST_NODES))

    def first_good(self, drafts: Iterable[Draft], rng: np.random.Generator, least: int) -> Built:
        """The level of the first sound draft that takes at least so many steps; else the longest sound one of all, else
        the last one, repaired.

        Args:
            drafts: at least one; taken one by one until one is good.
            rng: draws the details of what is added.
            least: steps winning should take.
        """
        best: Draft | None = None
        longest: Built | None = None
        for draft in drafts:
            if draft.sound and (draft.walk is None or draft.walk >= least):
                built = self.finish(draft, rng)
                if built.sound and (built.walk is None or built.walk >= least):
                    return built
                if longest is None or (built.sound, built.walk or 0) >= (longest.sound, longest.walk or 0):
                    longest = built
            elif best is None or (draft.sound, draft.walk or 0) >= (best.sound, best.walk or 0):
                best = draft
        if best is not None and (longest is None or not longest.sound):
            longest = self.finish(best, rng)
        assert longest is not None
        return longest

    def mission(self, decisions: Decisions, size: int) -> Mission:
        """Derive a mission this game can have."""
        return self.derivation.mission(decisions, size)

    def draft(self, mission: Mission, decisions: Decisions, rng: np.random.Generator, width: int, height: int) -> Draft:
        """The space of a mission with what winning takes, and nothing besides.

        Args:
            mission: stays as it is; the draft's own leaves out what found no room.
            decisions: takes the choices of the shape grammar.
            rng: draws the details.
            width: columns.
            height: rows.
        """
        mission = mission.copy()
        ground = Ground(self.context, Site.blank(self.context, width, height).grid)
        plan = self._space(ground, mission, decisions, rng)
        top, left, bottom, right = ground.inside()
        counts = draw_counts(self.context, rng, (bottom - top) * (right - left))
        settler = Settler(ground, mission, plan, self.means, counts, rng)
        settled = settler.settle() and ground.avatar is not None
        # Where winning is opening locks, a mission without any has no goal.
        aimless = plan.closed and self.means.goals_bar and not plan.gaps
        sound = settled and not aimless and (not plan.closed or order_holds(ground, mission, plan, settler.cells))
        steps = walk(ground, mission, plan, settler.cells) if sound and plan.closed else None
        return Draft(settler, sound, steps)

    def finish(self, draft: Draft, rng: np.random.Generator) -> Built:
        """A level of a draft: the rest of what such levels have is added, and looked whether all still holds."""
        settler = draft.settler
        ground, mission, plan, cells = settler.ground, settler.mission, settler.plan, settler.cells
        settler.adorn()
        furnish(ground, rng, self._rest(plan, settler.placed, settler.counts, rng))
        if not plan.closed:
            repair_reachability(ground, rng)
        short = self.context.requirements.shortfalls(self.context.palette.count_types(ground.grid))
        sound = draft.sound and not short
        sound = sound and (not plan.closed or order_holds(ground, mission, plan, cells))
        if not sound:
            repair(Site(self.context, ground.grid), rng)
        steps = walk(ground, mission, plan, cells) if sound else 0
        return Built(ground.text(), mission, plan, sound, steps)

    def _space(self, ground: Ground, mission: Mission, decisions: Decisions, rng: np.random.Generator) -> Plan:
        context = self.context
        if self.closed:
            wall = main_wall(context, rng)
            assert wall is not None
            plan = lay_out(ground, mission, self.grammar, decisions, wall, self.loops)
            fill(ground, rng)
            return plan
        if context.lanes:
            lay_lanes(ground, rng)
        share = min(0.6, context.wall_share * rng.uniform(0.7, 1.3))
        if context.walls and share > 0:
            STYLES[draw_style(context, rng)](ground, rng, share)
        fill(ground, rng)
        return bands(ground, mission, decisions)

    def _rest(self, plan: Plan, placed: Counts, counts: Counts, rng: np.random.Generator) -> Counts:
        """What is still to be put down: brought in line with the rules together with what is there already."""
        rest = left_to_place(self.means, plan, placed, counts)
        own = {tile: number for tile, number in placed.items() if tile in self.context.objects}
        together = {tile: own.get(tile, 0) + rest.get(tile, 0) for tile in sorted({*own, *rest})}
        wanted = fit(self.context, rng, together)
        return {tile: number - own.get(tile, 0) for tile, number in wanted.items() if number > own.get(tile, 0)}
