"""Construction of a level from the choices of a derivation: mission, space, objects, check, in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels.constructive.generator import draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.grammar.decisions import Decisions
from pcg.generators.levels.grammar.game_elements import game_elements
from pcg.generators.levels.grammar.language import LevelGrammar
from pcg.generators.levels.grammar.mission import Derivation, Mission
from pcg.generators.levels.grammar.mission_check import mission_order_holds, steps_to_win
from pcg.generators.levels.grammar.mission_map import MissionLayout, MissionMap
from pcg.generators.levels.grammar.mission_placement import MissionPlacer, check_sprites, left_to_place
from pcg.generators.levels.grammar.space import bands, lay_out
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import Counts, draw_counts, fit_counts
from pcg.generators.levels.object_placement import place_objects
from pcg.generators.levels.repair.by_rules import repair, repair_reachability
from pcg.generators.levels.wall_layout import STYLES, lay_lanes, main_wall, place_filler

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
    plan: MissionLayout
    sound: bool
    """True if the mission's order holds and all that the rules call for is there, without repair."""
    steps_to_win: int | None
    """About how many steps winning takes; None where distances do not tell."""


@dataclass(frozen=True)
class Draft:
    """A level with what winning its mission takes, before the rest is added."""

    placer: MissionPlacer
    """Knows the ground, the mission and the plan, and what was put where."""
    sound: bool
    steps_to_win: int | None


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
        self.game_elements = game_elements(context)
        check_sprites(grammar, context)
        self.closed = self._closes(layout)
        self.derivation = Derivation(grammar, self.game_elements.symbols(closed=self.closed))

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
        useful = bool(self.game_elements.barriers or self.game_elements.warps) or context.wall_share >= LEAST_WALLS
        return possible and useful and context.analysis.mobility == "freely"

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
            if draft.sound and (draft.steps_to_win is None or draft.steps_to_win >= least):
                built = self.finish(draft, rng)
                if built.sound and (built.steps_to_win is None or built.steps_to_win >= least):
                    return built
                if longest is None or (built.sound, built.steps_to_win or 0) >= (
                    longest.sound,
                    longest.steps_to_win or 0,
                ):
                    longest = built
            elif best is None or (draft.sound, draft.steps_to_win or 0) >= (best.sound, best.steps_to_win or 0):
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
        level = MissionMap(self.context, LevelBuilder.blank(self.context, width, height).grid)
        plan = self._space(level, mission, decisions, rng)
        top, left, bottom, right = level.inside()
        counts = draw_counts(self.context, rng, (bottom - top) * (right - left))
        placer = MissionPlacer(level, mission, plan, self.game_elements, counts, rng)
        complete = placer.place_required() and level.avatar is not None
        # Where winning is opening locks, a mission without any has no goal.
        aimless = plan.closed and self.game_elements.goals_bar and not plan.gaps
        sound = (
            complete and not aimless and (not plan.closed or mission_order_holds(level, mission, plan, placer.cells))
        )
        steps = steps_to_win(level, mission, plan, placer.cells) if sound and plan.closed else None
        return Draft(placer, sound, steps)

    def finish(self, draft: Draft, rng: np.random.Generator) -> Built:
        """Complete a draft: add the rest of what such levels have, and check that the mission's order still holds."""
        placer = draft.placer
        level, mission, plan, cells = placer.level, placer.mission, placer.plan, placer.cells
        placer.place_optional()
        place_objects(level, rng, self._rest(plan, placer.placed, placer.counts, rng))
        if not plan.closed:
            repair_reachability(level, rng)
        short = self.context.requirements.shortfalls(self.context.palette.count_types(level.grid))
        sound = draft.sound and not short
        sound = sound and (not plan.closed or mission_order_holds(level, mission, plan, cells))
        if not sound:
            repair(LevelBuilder(self.context, level.grid), rng)
        steps = steps_to_win(level, mission, plan, cells) if sound else 0
        return Built(level.text(), mission, plan, sound, steps)

    def _space(
        self, level: MissionMap, mission: Mission, decisions: Decisions, rng: np.random.Generator
    ) -> MissionLayout:
        context = self.context
        if self.closed:
            wall = main_wall(context, rng)
            assert wall is not None
            plan = lay_out(level, mission, self.grammar, decisions, wall, self.loops)
            place_filler(level, rng)
            return plan
        if context.lanes:
            lay_lanes(level, rng)
        share = min(0.6, context.wall_share * rng.uniform(0.7, 1.3))
        if context.walls and share > 0:
            STYLES[draw_style(context, rng)](level, rng, share)
        place_filler(level, rng)
        return bands(level, mission, decisions)

    def _rest(self, plan: MissionLayout, placed: Counts, counts: Counts, rng: np.random.Generator) -> Counts:
        """Return what is still to be placed: brought in line with the rules together with what is there already."""
        rest = left_to_place(self.game_elements, plan, placed, counts)
        own = {tile: number for tile, number in placed.items() if tile in self.context.objects}
        together = {tile: own.get(tile, 0) + rest.get(tile, 0) for tile in sorted({*own, *rest})}
        wanted = fit_counts(self.context, rng, together)
        return {tile: number - own.get(tile, 0) for tile, number in wanted.items() if number > own.get(tile, 0)}
