"""Evaluation of levels by playing them: feasibility first, then fitness.

The constraints are those of the genetic level generator of the GVGAI framework (Khalifa et al. 2016;
reference/generators 12.4) in the reading its authors must have meant: each kind of ending is understood, the cover is
measured inside the frame, chance is met with several plays instead of the worst of fifty, and doing nothing means doing
nothing. Quality is what the judge of levels says (`judging.levels`): like the game's own levels in form, and with plays
in which skill matters and something happens on the way. Looking at the text comes first, then cheap plays, then search,
and an evaluation stops at the first stage that fails.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property, shared_property
from pcg.engine.model import RESERVE
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS, make_agent, play
from pcg.evaluators.analysis import analyse, is_continuous
from pcg.evaluators.effect_semantics import consequences, first_number
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS
from pcg.evaluators.judging.judgement import Judgement
from pcg.evaluators.judging.levels import LevelJudge
from pcg.evaluators.level_constraints import CONSTRAINTS, PARAMETERS, fitness_with_targets, relax_bounds
from pcg.evaluators.level_evaluation import LevelEvaluation, play_seed
from pcg.evaluators.level_grid import palette
from pcg.evaluators.level_statistics import level_statistics
from pcg.evaluators.metrics.play import PlayMetrics
from pcg.evaluators.metrics.registry import METRICS
from pcg.evaluators.metrics.text import TextMetrics
from pcg.evaluators.own_levels import SEED, OwnLevels
from pcg.evaluators.parameters import Setting, resolve
from pcg.evaluators.preferences.model import PreferenceModel, check_names
from pcg.evaluators.proving.level_wins import LevelWins, wins_of
from pcg.evaluators.requirements import requirements
from pcg.evaluators.solvability import capable_players
from pcg.evaluators.target_parsing import resolve_targets
from pcg.evaluators.targets import GROUPS, Target, group
from pcg.evaluators.win_distance import distance_weights, pairs

__all__ = ["CONSTRAINTS", "PARAMETERS", "LevelEvaluator", "fitness_with_targets"]

TICKS_PER_GOAL = 5
"""Ticks that a play may take for everything that must vanish, beside half of `max_length`."""
_EFFORT = frozenset({"nodes", "budget", "planner_budget", "search", "attempts", "max_length"})
"""Parameters that say how long a win is searched for."""
LONG_STRIDES = (8, 5)
"""Ticks that an action lasts in the solver's first searches of levels with continuous physics."""


class LevelEvaluator:
    """Evaluates levels of one game. Safe to use from several threads at once.

    Args:
        game: the game; its own levels (if any) are what constraints are held against: what they do not meet is not
            asked of others (`own_levels`).
        targets: what levels are to be like, as text or read by `parse_targets`. Feasible levels that meet all have a
            fitness of at least one half, by quality; the others less than one half, by how nearly they meet them.
        params: see `PARAMETERS`. Bounds of constraints that are not given make way for targets and own levels;
            those that are given stay.

    Raises:
        PcgError: for unknown parameters or bad values, targets that no level can meet, or a game with two players.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> LevelEvaluator(game).evaluate(game.levels[0], seed=1).constraints["win"]
    1.0
    """

    def __init__(self, game: Game, targets: str | Sequence[Target] = (), **params: object) -> None:
        if game.players != 1:
            raise PcgError(f"{game.name} has {game.players} players; levels are evaluated for games with one player")
        self.game = game
        self.given = frozenset(params)
        """Parameters that were set; what was set is not relaxed."""
        self.settings: dict[str, Setting] = resolve(PARAMETERS, params, "evaluation")
        self.preference = self._preference()
        FITNESS_FUNCTIONS.find(str(self.settings["fitness"]))  # unknown names are an error now
        self.analysis = analyse(game.definition)
        self.targets = resolve_targets(targets, self.analysis)
        self.settings = relax_bounds(self.settings, params, self.targets)
        low, high = self.number("min_cover"), self.number("max_cover")
        if low > high:
            raise PcgError(f"evaluation: min_cover is {low}, expected at most max_cover, which is {high}")
        self.palette = palette(self.analysis)
        self.requirements = requirements(self.analysis)
        statistics = level_statistics(self.palette, game.levels)
        frame = statistics.frame if statistics is not None else (self.palette.wall,) * 4
        groups = {name: group(name, self.analysis) for name in GROUPS}
        self.text = TextMetrics(self.palette, self.requirements, frame, groups)
        self.plays = PlayMetrics(self.analysis)
        self.cover_bounds = self._cover_bounds(low, high)
        self.estimate = distance_weights(self.analysis, self.requirements)
        self.pairs = pairs(self.analysis, self.requirements)
        self.players = capable_players(self.analysis, self.integer("planner_budget"), self.integer("budget"))
        self.horizon = self._horizon()
        self.waiting_wins = self._waiting_wins()
        """True when waiting wins the game's own levels: then a capable player must win sooner, or with more points."""
        if self.waiting_wins:
            budget = self.integer("budget")  # a weak searcher is mostly better than waiting already
            self.players = (("olets", max(25, budget // 10)), ("olets", budget), ("mcts", budget))

    def evaluate(self, level: str, seed: int = 0) -> Evaluation:
        """Evaluate a level.

        Args:
            level: level text in the game's mapping.
            seed: of all plays; the result depends on `level` and `seed` alone.

        Returns:
            The evaluation; bad levels are not an error but infeasible.
        """
        with RESERVE.open():  # searches for a win get hundreds of megabytes, one after the other
            return LevelEvaluation(self, level, seed).result()

    def quick_verdict(self, level: str, seed: int, calls: int) -> tuple[bool | None, int]:
        """Return whether a level is feasible by a small search, and how many forward-model calls it made.

        Args:
            level: level text in the game's mapping.
            seed: of all plays.
            calls: of the search, which is broken off soon after: well below what an evaluation spends on a level that
                it does not win. 0: no win is searched, and the verdict is None on levels that keep all other
                constraints.

        >>> import pcg
        >>> game = pcg.load("boxes")
        >>> LevelEvaluator(game).quick_verdict(game.levels[0], seed=1, calls=20_000)[0]
        True
        """
        evaluation = LevelEvaluation(self, level, seed)
        with RESERVE.open():
            found = evaluation.quick_verdict(calls)
        return found, evaluation.solvability.calls

    def judgement(self, level: str, evaluation: Evaluation) -> Judgement:
        """Return what the judge of levels says of an evaluated level, with a sentence for each part.

        Of a level that is not feasible there are the parts that its text tells, and the constraint that it breaks.

        Args:
            level: the text that was evaluated.
            evaluation: of it, by this evaluator.
        """
        parts = evaluation.parts
        broken = next((name for name, value in evaluation.constraints.items() if value < 1.0), "")
        if not parts:
            with contextlib.suppress(PcgError):
                parts = self.judge.parts(self.judge.view(level))
        problem = f"It breaks the constraint `{broken}`: {CONSTRAINTS[broken]}." if broken else ""
        return Judgement(evaluation.feasible, evaluation.fitness, parts, problem)

    # -- what holds for all levels of the game -------------------------------------------------------------------------

    def number(self, name: str) -> float:
        """Return a setting that is a number."""
        return float(self.settings[name])

    def integer(self, name: str) -> int:
        """Return a setting that is a whole number."""
        return int(self.settings[name])

    def _preference(self) -> PreferenceModel | None:
        """The preference model, where one was given."""
        text = str(self.settings["prefer"])
        if not text:
            return None
        model = PreferenceModel.from_text(text, "parameter `prefer`")
        check_names(model, list(METRICS), "parameter `prefer`")
        return model

    def _cover_bounds(self, low: float, high: float) -> tuple[float, float]:
        """The bounds on the cover, with room for the game's own levels where they were not set."""
        covers = []
        for text in self.game.levels:
            try:
                covers.append(self.text.cover(self.palette.parse(text)))
            except PcgError:
                continue
        least = low if "min_cover" in self.given else min([low, *(0.5 * c for c in covers)])
        most = high if "max_cover" in self.given else max([high, *(min(1.0, 1.25 * c) for c in covers)])
        return least, most

    def _horizon(self) -> int:
        """Ticks after which a play is given up: `max_length`, or longer where winning means waiting.

        That is so where surviving wins, where goals are still to come out of spawners, and where time itself changes
        what there is.
        """
        longest = self.integer("max_length")
        for timed in self.game.definition.time_effects:
            if any(
                c.kind in ("transform", "spawn")
                for c in consequences(self.game.definition, self.game.definition.effects[timed.effect])
            ):
                begins = max(first_number(timed.params.get(name), 0) for name in ("timer", "nextExecution"))
                longest = max(longest, begins + self.integer("max_length") // 2)
        for ending in self.analysis.wins:
            if ending.kind == "timeout":
                longest = max(longest, ending.limit + 1)
            for t in ending.types:
                params = self.game.definition.types[t].params
                if self.analysis.has(t, "spawner"):
                    waiting = first_number(params.get("total"), 0) * first_number(params.get("cooldown"), 1)
                    longest = max(longest, 2 * waiting + 200)
        return min(longest, MAX_TICKS)

    def longest(self, counts: Mapping[int, int]) -> int:
        """Ticks after which a play of a level with these sprites is given up: more where there is much to deal with."""
        longest = self.horizon
        for ending in self.analysis.wins:
            if ending.kind == "vanish":
                left = sum(counts.get(t, 0) for t in ending.types) - ending.limit
                longest = max(longest, self.integer("max_length") // 2 + TICKS_PER_GOAL * left)
        return min(longest, MAX_TICKS)

    @shared_property
    def judge(self) -> LevelJudge:
        """The judge of this game's levels."""
        return LevelJudge(self.text, self.game.levels, self.number("difficulty"))

    @property
    def searches_well(self) -> bool:
        """False where less is spent on the search for a win than by default: not to find one then tells nothing about
        the game, and a level has to be won.
        """
        usual = {p.name: p.default for p in PARAMETERS if p.name in _EFFORT}
        return all(float(self.settings[name]) >= float(value) for name, value in usual.items())

    @shared_property
    def own(self) -> OwnLevels:
        """The game's own levels, which constraints are held against."""
        return OwnLevels(self.judge, functools.partial(LevelEvaluation, self))

    @shared_property
    def wins(self) -> LevelWins:
        """The prover of this game's levels."""
        longest = self.horizon if "max_length" in self.given else MAX_TICKS
        return wins_of(self.game, self.judge.levels, self.integer("search"), longest, play_seed(SEED, 0))

    def _waiting_wins(self) -> bool:
        """Return True when time alone wins the game, and most of its own levels.

        Then no level can be such that doing nothing does not win, and a level is about the score.
        """
        if not any(ending.kind == "timeout" for ending in self.analysis.wins):
            return False
        won: list[bool] = []
        for level in self.game.levels:
            if check_level(level, self.game.definition, reading="gvgai", file="<level>"):
                continue
            start = self.game.start(level, seed=1)
            won.append(play(start, make_agent("nothing", seed=1), max_ticks=self.horizon).winner == 1)
        return 2 * sum(won) > len(won)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Ticks that an action of the solver lasts, one search after the other: where the avatar flies, falls or
        drifts by the pixel, a tick decides next to nothing.
        """
        smooth = any(is_continuous(self.game.definition.types[t]) for t in self.analysis.start_avatars)
        return (*LONG_STRIDES, 1) if smooth else (1,)
