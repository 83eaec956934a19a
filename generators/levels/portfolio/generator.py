"""The portfolio generator: a bandit chooses among families of levels by how useful their levels were in this game.

It reads off the rules of what kind a game is, begins with the families that suit it (quilts of its own levels, rooms,
missions, rows of traffic, ...), and gives the next level to the family whose levels have lately been good and new.
Every candidate is the best of several drafts, as the judge of levels rates their texts, so that plays, which take long,
are made of promising levels only. Levels are crossed as soon as there are two; small edits come last.

After the portfolio of generators in Khalifa et al. 2016 and algorithm selection by bandits (Gagliolo, Schmidhuber:
Algorithm Portfolio Selection as a Bandit Problem, 2011); drafts that are judged before they are played follow surrogate
models in evolution (Jin 2011).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.likeness import LevelShape
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.scores import APART
from pcg.evaluators.metrics.skeletons import StructuralShapes
from pcg.evaluators.parameters import Parameter, Setting
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, DelayedGenerator, Evaluation
from pcg.generators.levels.examples import repair_around_locked_cells
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.operators import mirror_edits
from pcg.generators.levels.portfolio.ahead import (
    ASSISTANTS,
    Chosen,
    Draft,
    DraftsAhead,
    Grounds,
    InVain,
    Limited,
    Step,
    Trail,
    TriedOut,
    Verdict,
    WentOn,
)
from pcg.generators.levels.portfolio.bandit import Bandit
from pcg.generators.levels.portfolio.elites import Elite, Elites
from pcg.generators.levels.portfolio.example_objects import ExampleObjects
from pcg.generators.levels.portfolio.families import FAMILIES, Workshop, mirrored_halves, share_beside_boards
from pcg.generators.levels.portfolio.formations import Formations
from pcg.generators.levels.portfolio.game_kinds import game_kinds
from pcg.generators.levels.portfolio.lessons import Lessons
from pcg.generators.levels.portfolio.local_structure import LocalStructure
from pcg.generators.levels.portfolio.polishing import Polishing
from pcg.generators.levels.portfolio.rating import DraftRating
from pcg.generators.levels.portfolio.sketches import read_sketch
from pcg.generators.levels.portfolio.tryouts import Tryouts
from pcg.generators.levels.repair.by_rules import repair

RELIEF = 4
"""Until a level is feasible, one of so many candidates is a nearly empty level."""
FORESIGHT = 2
"""Factor by which these are rarer until the first verdict is known."""
LESSON_TRIES = 4
"""Most simplified levels from which one is taken that a tryout wins."""
LESSON = "lesson"
"""Origin of candidates with only some kinds of objects."""
SHOWN = 10
"""Number of best levels; a level among them is a full reward for its family."""
SYMMETRIC = 0.5
"""Symmetry asked for by a target from which on levels are made of two mirrored halves."""
NEW = 0.5
"""Reward for a level that is kept as an elite but is not among the best."""
FINALISTS = 3
"""One of so many drafts is polished and rated by the judge of levels."""
CHOICE = 3
"""Batches of new drafts from which the next level is chosen, as long as there are few good ones."""
BATCHES = 8
"""Most times that drafts are made for one level."""
SPREADS = (0.0, 0.5, 1.0, 2.0)
"""Spread of the numbers of objects after so many batches of drafts that were all like known levels."""


def wanted_axis(targets: Iterable[Target]) -> int | None:
    """Return the axis along which levels are to be mirrored: 1 for left and right, 0 for top and bottom; None for none.

    >>> wanted_axis([Target("symmetry", 0.8, 1.0)]), wanted_axis([Target("enemies", 3, 3)])
    (1, None)
    """
    wanted = {target.name for target in targets if target.low >= SYMMETRIC}
    if wanted & {"symmetry", "symmetry_horizontal", "symmetry_both"}:
        return 1
    return 0 if "symmetry_vertical" in wanted else None


class PortfolioGenerator(DelayedGenerator):
    """Portfolio of families of levels with a bandit over them."""

    name = "portfolio"
    help = "what suits the game: families of levels side by side, of which those go on that prove themselves"
    papers = (
        "Gagliolo, Schmidhuber: Algorithm Portfolio Selection as a Bandit Problem (2011)",
        "Efros, Freeman: Image Quilting for Texture Synthesis and Transfer (SIGGRAPH 2001)",
        "Lucas, Volz: Tile Pattern KL-Divergence for Analysing and Evolving Game Levels (GECCO 2019)",
        "Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (GECCO 2016)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("drafts", 1.0, "drafts for one level, as a multiple of what its family has", 0.1, 20.0),
        Parameter("polish", 60, "small edits tried on a draft towards the patterns of the game's levels", 0, 10_000),
        Parameter("originality", 0.2, "least share of cells in which a level differs from each of the game's own; less "
                  "where these differ less from each other", 0.0, 1.0),
        Parameter("elites", 60, "good and different levels that are kept to be crossed and edited", 2, 10_000),
        Parameter("niche", APART, "levels closer than this to a better one are not kept; less where the game's own "
                  "levels are closer to each other", 0.0, 1.0, "distance"),
        Parameter("lessons", 0.0, "share of levels with only some of the kinds of things, for courses", 0.0, 1.0),
        Parameter("sketch", "", "a level drawn in part, with `?` for what is open; all levels keep what is drawn"),
        Parameter("like", "", "levels of which the new ones are to be reminiscent, with empty lines between them"),
        Parameter("unlike", "", "levels of which the new ones are to be nothing like, with empty lines between them"),
        Parameter("delay", 16, "levels under way that were made before the verdict on an earlier one", 1, 1000),
    )  # fmt: skip

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        self.sketch = read_sketch(context.palette, str(params["sketch"])) if params.get("sketch") else None
        """The part of the level that a person has drawn; None without one."""
        if self.sketch is not None:
            height, width = self.sketch.grid.shape
            params |= {"min_width": width, "max_width": width, "min_height": height, "max_height": height}
        super().__init__(context, seed=seed, targets=targets, **params)
        self.like = tuple(LevelShape(text) for text in self._levels_in("like"))
        self.unlike = tuple(LevelShape(text) for text in self._levels_in("unlike"))
        liked = [context.palette.parse(text) for text in self._levels_in("like")]
        self.kinds = game_kinds(self.context)
        """Kinds that the game is of (see `game_kinds`)."""
        self.least = self._least_originality()
        self.workshop = Workshop(self.context, self.widths, self.heights, self.targets, liked, self.least)
        expected = {name: family.suits(self.context, self.kinds) for name, family in FAMILIES.items()}
        self.bandit = Bandit({name: share for name, share in expected.items() if share > 0})
        self.niche = niche_width(self.context.example_texts, self.number("niche"))
        """Distance below which two levels count as one."""
        self._shape = StructuralShapes(self.context.palette, self.context.examples, self.niche)
        self._shape_of = lru_cache(4 * self.integer("delay"))(self._shape)
        self.elites = Elites(self.integer("elites"), self.niche, self._shape)
        self.nearly = Elites(self.integer("elites"), 0.0, self._shape)
        """Infeasible levels, ranked by how nearly they keep all constraints."""
        self.under_way: dict[int, str] = {}
        """Levels whose verdict has not taken effect, by number."""
        self._ahead: DraftsAhead | None = None
        """Drafts that other processes make; None without any."""
        self._trail: Trail | None = None
        """Notes on the draft that is made; None where nobody asks for them."""
        self.tryouts = Tryouts(self.context, self.targets)
        """Quick plays of drafts."""
        self.batches = BATCHES
        """Most times that drafts are made for the next level: fewer where these were all like known levels."""
        self.lessons = Lessons(self.context)
        """Maker of levels with only some kinds of objects."""
        self._axis = wanted_axis(self.targets)

    def judged_with(self, settings: Mapping[str, Setting]) -> None:
        """Try drafts out by the settings of the evaluation."""
        self.tryouts.settings = settings

    def _levels_in(self, name: str) -> list[str]:
        """Return the levels that a parameter names by their texts.

        Raises:
            PcgError: for a text that is no level of the game.
        """
        levels = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", str(self.settings[name])) if part.strip()]
        for text in levels:
            self.context.palette.parse(text)
        return levels

    def _least_originality(self) -> float:
        """Return the originality asked for: no more than half of the game's own levels have."""
        known = self.context.own_originality
        if not known:
            return self.number("originality") if self.context.examples else 0.0
        return min(self.number("originality"), float(np.median(known)))

    # -- parts, made when they are first needed ------------------------------------------------------------------------

    @property
    def example_objects(self) -> ExampleObjects:
        """Numbers and places of objects in the game's own levels."""
        return self.workshop.example_objects

    @cached_property
    def formations(self) -> Formations:
        """Rows of objects in the game's own levels."""
        return Formations(self.context)

    @cached_property
    def polishing(self) -> Polishing:
        """Local search towards the patterns of the game's own levels."""
        return Polishing(self.context, self.workshop.images, self.example_objects, self.formations, self.least)

    @property
    def structure(self) -> LocalStructure:
        """Walls and stretches as they are in the game's own levels, cell by cell."""
        return self.workshop.structure

    @cached_property
    def rating(self) -> DraftRating:
        """The rating of drafts before they are played."""
        polishing = self.polishing if self.context.examples else None
        return DraftRating(
            self.context, self.targets, self.workshop, polishing, self.elites, self.nearly, self.like, self.unlike
        )

    # -- learning --------------------------------------------------------------------------------------------------

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; they take effect when the level `delay` later is made."""
        super().tell(candidates, evaluations)
        if self._ahead is not None:
            self._ahead.tell(candidates, evaluations)

    def _learn(self, candidate: Candidate, evaluation: Evaluation) -> None:
        self.under_way.pop(candidate.id, None)
        self.reward(candidate.origin, self.take(Verdict.of(candidate, evaluation)))

    def take(self, verdict: Verdict) -> float:
        """Take a verdict into account, but for the bandit; returns the reward of its family, in [0, 1]."""
        if verdict.origin == LESSON or self.number("lessons"):
            self.lessons.take(verdict.level, verdict.feasible)
        one = Elite(verdict.level, verdict.value, verdict.number)
        kept = (self.elites if verdict.feasible else self.nearly).add(one)
        if not (verdict.feasible and kept):
            return 0.0
        return 1.0 if self.elites.rank(one) < SHOWN else NEW

    def reward(self, origin: str, value: float) -> None:
        """Reward the family that a candidate comes from."""
        if origin != LESSON:
            self.bandit.reward(origin, value)

    # -- making --------------------------------------------------------------------------------------------------------

    def _make(self, number: int) -> Candidate:
        draft = self._ahead.draft(number) if self._ahead is not None else None
        text, name = self._level(number) if draft is None else (draft.text, draft.family)
        self.under_way[number] = text
        if self._ahead is not None:
            self._ahead.give_out()
        return Candidate(number, text, name)

    @contextmanager
    def assisted(self, build: Callable[[], PortfolioGenerator], count: int) -> Iterator[None]:
        """Let other processes draft levels ahead of time, for the time of a `with`; candidates stay the same.

        Args:
            build: makes the same generator again, in another process; can be pickled.
            count: processes, at most `ASSISTANTS`.
        """
        self._ahead = DraftsAhead(self, build, min(count, ASSISTANTS))
        try:
            yield
        finally:
            self._ahead.close()
            self._ahead = None

    def grounds(self) -> Grounds:
        """Return what the next draft depends on beside the verdicts and the levels under way."""
        return Grounds(self.bandit.state_dict(), self.tryouts.state_dict(), self.batches)

    def stand_on(self, grounds: Grounds) -> None:
        """Go on from what `grounds` returned."""
        self.bandit.load_state_dict(grounds.bandit)
        self.tryouts.load_state_dict(grounds.tryouts)
        self.batches = grounds.batches

    def draft(self, number: int, known: int, under_way: Mapping[int, str]) -> Draft:
        """Draft a candidate ahead of time.

        Args:
            number: of the candidate.
            known: number of verdicts that have taken effect.
            under_way: levels whose verdict has not, by number.
        """
        self.applied, self.under_way, self._trail = known, dict(under_way), Trail()
        self.tryouts.note = lambda tryout: self._step(TriedOut(tryout))
        text, family = self._level(number)
        first, trail = not under_way and not known, self._trail
        return Draft(number, text, family, trail.steps, first, under_way if trail.looked else {}, trail.compared)

    def _step(self, step: Step) -> None:
        if self._trail is not None:
            self._trail.steps.append(step)

    def confirm(self, draft: Draft) -> bool:
        """Tell whether a draft that was made ahead of time is the one that would be made now, and take its steps."""
        if draft.first == bool(self.under_way or self.applied):
            return False
        if any(self.under_way.get(number) != text for number, text in draft.under_way.items()):
            return False
        if draft.compared:
            others = [self._shape_of(text) for number, text in self.under_way.items() if number not in draft.under_way]
            if any(shape.distance(other) < self.niche for shape in draft.compared for other in others):
                return False
        before = self.grounds()
        if all(step.repeats(self) for step in draft.steps):
            return True
        self.stand_on(before)
        return False

    def _level(self, number: int) -> tuple[str, str]:
        """Return the level of a candidate and the name of its family."""
        rng = self.rng(number)
        every = RELIEF if self.applied else FORESIGHT * RELIEF
        if not self.elites.members and number % every == every - 1:
            # Agents may be unable to win levels like the game's own; nearly empty ones are a beginning.
            if number % (2 * every) == every - 1:
                return self._best_draft(rng, "sparse")
            return self._lesson(rng), LESSON
        if self.number("lessons") and rng.random() < self.number("lessons"):
            return self._lesson(rng), LESSON
        return self._best_draft(rng)

    def _lesson(self, rng: np.random.Generator) -> str:
        """Return a level with only some kinds of objects: an elite half of the time, else a new draft, simplified; from
        an elite of which a known level is made, a new draft takes over.
        """
        known = self.elites.draw(rng, 1) if rng.random() < 0.5 else []
        text = known[0].text if known else self._best_draft(rng)[0]
        whole, simple = self.context.palette.parse(text), ""
        for _ in range(LESSON_TRIES):
            simple = self.context.palette.text(self.lessons.draw(whole, rng))
            if self.elites.knows(simple) or self.nearly.knows(simple):
                whole = self.context.palette.parse(self._best_draft(rng)[0])
            elif not self.tryouts.lost(simple, rng):
                break
        return simple

    def choose_family(self, rng: np.random.Generator) -> str:
        """Return the name of the family that is next, by the bandit."""
        parents = self.elites if self.elites.members else self.nearly
        among = {}
        others = share_beside_boards(self.bandit.mean("boards")) if "boards" in self.bandit.arms else 1.0
        for name in self.bandit.arms:
            family = FAMILIES[name]
            if not family.breeds:
                among[name] = 1.0 if family.whole else others
            elif parents.members:
                # Before there are several elites, edits only make copies of the first one.
                among[name] = min(1.0, len(parents.members) / (2 * SHOWN)) if name == "edits" else 1.0
        return self.bandit.choose(rng, among)

    def _chosen_family(self, rng: np.random.Generator) -> str:
        if self._trail is None:
            return self.choose_family(rng)
        before = rng.bit_generator.state
        family = self.choose_family(rng)
        self._step(Chosen(before, family, rng.bit_generator.state))
        return family

    def goes_on(self, drafts: int) -> bool:
        """Tell whether more drafts are made for one level after so many that tryouts did not win."""
        return drafts < self.tryouts.patience

    def _best_draft(self, rng: np.random.Generator, wanted: str = "") -> tuple[str, str]:
        """Return the best of several drafts, polished, and the name of its family; "" lets the bandit choose.

        As long as there are few levels, the best of `CHOICE` families' drafts is taken, and those that are like known
        ones, and those that a tryout does not win, make way for further drafts, with numbers of objects that differ
        ever more from those of the game's own levels. The more rarely tryouts are won, the longer they go on.
        """
        # The best of those that had better make way: whether it is not lost, and new, its value, text and family.
        fallback: tuple[bool, bool, float, str, str] | None = None
        # Value, text and family of new drafts that were not tried out.
        choice: list[tuple[float, str, str]] = []
        # Games of dear evaluations see few levels. Only the very first is not to wait for others.
        choose_from = CHOICE if self._few_known and not wanted and (self.under_way or self.applied) else 1
        alike, new = 0, 0
        allowed = self.batches
        batch, most = 0, allowed
        while batch < most:
            name = wanted or self._chosen_family(rng)
            last = batch == most - 1
            found = self._drafts(rng, name, SPREADS[min(alike, len(SPREADS) - 1)], last)
            alike += all(near for near, _, _ in found)
            new += not found[0][0]
            for near, value, text in found:
                if not near:
                    choice.append((value, text, name))
                    continue
                lost = last and self._is_lost(text, name, rng)
                if fallback is None or (not lost, False, value) > fallback[:3]:
                    fallback = not lost, False, value, text, name
            batch += 1
            if new >= choose_from or batch == most:
                for value, text, family in sorted(choice, key=lambda draft: -draft[0]):
                    if not self._is_lost(text, family, rng):
                        self._limit(allowed, min(BATCHES, 2 * allowed))
                        return text, family
                    if fallback is None or (False, True, value) > fallback[:3]:
                        fallback = False, True, value, text, family
                choice = []
            if batch == most and new and self._few_known:
                goes_on = self.goes_on(most)
                self._step(WentOn(most, goes_on))
                most += goes_on
        self._limit(allowed, allowed if new else max(1, allowed // 2))
        assert fallback is not None
        return fallback[3:]

    def _limit(self, before: int, after: int) -> None:
        """Take another limit of batches for the next level."""
        self.batches = after
        self._step(Limited(before, after))

    def _drafts(self, rng: np.random.Generator, name: str, spread: float, last: bool) -> list[tuple[bool, float, str]]:
        """Return the best drafts of a family: whether each is like a known level, its value and its text; best first.

        Args:
            rng: draws.
            name: of the family.
            spread: of the numbers of objects (see `ExampleObjects.wanted`).
            last: whether no more drafts are made, so that one like a known level may be the one.
        """
        family = FAMILIES[name]
        parents = self.elites if self.elites.members else self.nearly
        number = max(1, round(family.drafts * self.number("drafts")))
        drafts: list[tuple[bool, float, int, Grid]] = []
        for k in range(number):
            chosen = [self.context.palette.parse(one.text) for one in parents.draw(rng, 2)] if family.breeds else []
            made = self._whole(family.make(self.workshop, rng, chosen), chosen)
            grid = self._finished(made, rng, family.settles, spread)
            drafts.append((self._is_known(grid), self.rating.penalty(grid), k, grid))
        drafts.sort(key=lambda draft: draft[:3])
        found: list[tuple[bool, float, str]] = []
        copies = 0
        for near, price, _, grid in drafts[: max(1, number // FINALISTS)]:
            if near and not last:
                found.append((True, -price, self.context.palette.text(grid)))
                copies += family.whole
                continue
            if self.context.examples and self.integer("polish") and family.polishes:
                axis = 1 if family.symmetric and self._axis is None else self._axis
                polished = self._polished(grid, rng, axis)
                # one that polishing has made like a known level stays as it was
                if near or not self._is_known(polished):
                    grid = polished
            text = self.context.palette.text(grid)
            copies += self.least > 0.0 and self.polishing.originals.originality(grid) < self.least
            found.append((self._is_known(grid), self.rating.value(text, grid), text))
        if copies == len(found):  # a game has only so many levels that are nearly its own
            self.bandit.reward(name, 0.0, made=False)
            self._step(InVain(name))
        return sorted(found, key=lambda one: (one[0], -one[1]))

    @property
    def _few_known(self) -> bool:
        """True until as many good levels are known as are shown; then harder ones, and better ones like them, come."""
        return len(self.elites.members) < SHOWN

    def _is_lost(self, text: str, name: str, rng: np.random.Generator) -> bool:
        """Tell whether a tryout does not win a draft; families that build levels to be won need none."""
        return self._few_known and not FAMILIES[name].proves and self.tryouts.lost(text, rng)

    def _is_known(self, grid: Grid) -> bool:
        """Tell whether a level is in the niche of a level that is good, or under way, while there are few good ones."""
        if self.niche <= 0.0 or not self._few_known:
            return False
        shape = self._shape(self.context.palette.text(grid))
        under_way = map(self._shape_of, self.under_way.values())
        known = any(shape.distance(other) < self.niche for other in (*self.elites.shapes, *under_way))
        if self._trail is not None:
            self._trail.looked = True
            if not known:
                self._trail.compared.append(shape)
        return known

    def _finished(self, draft: Grid, rng: np.random.Generator, settles: bool, spread: float = 0.0) -> Grid:
        """Return a draft with corrected numbers of objects, repaired."""
        height, width = min(draft.shape[0], self.heights[1]), min(draft.shape[1], self.widths[1])
        builder = LevelBuilder(self.context, np.ascontiguousarray(draft[:height, :width], np.int16))
        if settles and self.context.examples:
            self._one_avatar(builder, rng)
            if self.sketch is None:
                self.workshop.set_pieces.place(builder, rng)
            self.example_objects.settle(builder, rng, spread)
            # Objects that were placed one by one stand in no order.
            if self.formations.tiles and rng.random() < 2.0 * self.formations.disorder(builder.grid):
                self.formations.draw(builder, rng)
        if self._draws_lines and self.workshop.lines.faults(builder.grid):
            self.workshop.lines.draw(builder, rng)
        self._mirror(builder)
        return self._repaired(builder, rng)

    @property
    def _draws_lines(self) -> bool:
        """True where lines are drawn as a whole: not where a person has drawn, and not in mirrored levels."""
        return bool(self.workshop.lines.kinds) and self.sketch is None and self._axis is None

    def _whole(self, made: Grid, parents: Sequence[Grid]) -> Grid:
        """Return a level that was made from others with the lines of the first, where its own were cut."""
        lines = self.workshop.lines
        if not parents or not self._draws_lines or parents[0].shape != made.shape or not lines.faults(made):
            return made
        return lines.kept(made, parents[0])

    def _repaired(self, builder: LevelBuilder, rng: np.random.Generator) -> Grid:
        """Return a level repaired, with what a person has drawn as it was drawn."""
        if self.sketch is None:
            repair(builder, rng)
            support = self.example_objects.support
            if self.context.examples and support.strays(builder.grid).any():
                support.let_fall(builder, self.example_objects.stretches)
                repair(builder, rng)
            return builder.grid
        return repair_around_locked_cells(self.context, self.sketch.over(builder.grid), self.sketch.drawn, rng)

    def _mirror(self, builder: LevelBuilder) -> None:
        """Make the second half of a level the mirror image of the first, where symmetry is wanted."""
        if self._axis is not None:
            builder.grid[:] = mirrored_halves(self.context, builder.grid, self._axis)
            builder.invalidate()

    def _one_avatar(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """Leave one of several avatars."""
        cells = np.argwhere(builder.palette.lookup(builder.palette.avatars)[builder.grid]).tolist()
        for k in rng.permutation(len(cells)).tolist()[1:]:
            builder.clear((cells[k][0], cells[k][1]))

    def _polished(self, grid: Grid, rng: np.random.Generator, axis: int | None) -> Grid:
        """Return a grid after small edits, mended and repaired where these broke something.

        Args:
            grid: a draft.
            rng: draws.
            axis: along which all edits are mirrored, 1 for left and right, 0 for top and bottom; None for no mirroring.
        """
        drawn = self.sketch.drawn if self.sketch is not None else None
        if drawn is None and self.workshop.set_pieces.pieces:
            drawn = self.workshop.set_pieces.cells(grid)
        if self._draws_lines:
            lines = self.workshop.lines.cells(grid)
            drawn = lines if drawn is None else drawn | lines
        polished = self.polishing.polish(grid, rng, self.integer("polish"), axis, drawn)
        mended = self.structure.mend(polished, rng, drawn)
        if axis is not None:
            mended = mirror_edits(self.context, polished, mended, axis)
        if self.polishing.originals.originality(mended) < min(
            self.least, self.polishing.originals.originality(polished)
        ):
            mended = polished
        if self._draws_lines:
            mended = self.workshop.lines.kept(mended, grid)
        return self._repaired(LevelBuilder(self.context, mended.copy()), rng)

    # -- what was found ------------------------------------------------------------------------------------------------

    def findings(self) -> dict[str, Any]:
        """Return the kinds of the game and, by family, the number of levels made and the expected reward."""
        families = {
            name: {"levels": self.bandit.times[name], "expected": round(self.bandit.mean(name), 3)}
            for name in self.bandit.arms
        }
        return {"kinds": sorted(self.kinds), "families": families}

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the bandit, the elites, and the evaluations that have not taken effect yet."""
        return {
            **super().state_dict(),
            "bandit": self.bandit.state_dict(),
            "elites": self.elites.state(),
            "nearly": self.nearly.state(),
            "under_way": [[number, text] for number, text in self.under_way.items()],
            "batches": self.batches,
            "tryouts": self.tryouts.state_dict(),
            "lessons": self.lessons.state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.bandit.load_state_dict(state["bandit"])
        self.elites.load_state(state["elites"])
        self.nearly.load_state(state["nearly"])
        self.under_way = {int(number): str(text) for number, text in state["under_way"]}
        self.batches = int(state["batches"])
        self.tryouts.load_state_dict(state["tryouts"])
        self.lessons.load_state(state["lessons"])
