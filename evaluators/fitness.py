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
import math
from collections.abc import Mapping, Sequence

import numpy as np

from pcg.engine.game import Game
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS, Agent, Playout, Solution, make_agent, play, solve
from pcg.evaluators.agents.registry import read_agent
from pcg.evaluators.analysis import analyse, is_continuous
from pcg.evaluators.effect_semantics import consequences, first_number
from pcg.evaluators.evaluation import Evaluation, encode_play
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS, fitness_of
from pcg.evaluators.judging.judgement import Judgement, Part
from pcg.evaluators.judging.level_play import LevelPlays
from pcg.evaluators.judging.levels import LevelJudge, value_of
from pcg.evaluators.level_grid import palette
from pcg.evaluators.level_statistics import level_statistics
from pcg.evaluators.metrics.agents import AgentPlays
from pcg.evaluators.metrics.play import PlayMetrics
from pcg.evaluators.metrics.registry import AGENTS, JUDGEMENT, METRICS, TEXT, measure
from pcg.evaluators.metrics.text import TextMetrics
from pcg.evaluators.parameters import Parameter, Setting, resolve
from pcg.evaluators.preferences.model import PreferenceModel, check_names
from pcg.evaluators.proving.level_wins import LevelWins
from pcg.evaluators.requirements import requirements
from pcg.evaluators.solvability import WAY_PLANNER, SolvabilityPlays, capable_players
from pcg.evaluators.target_parsing import resolve_targets
from pcg.evaluators.targets import GROUPS, Target, group, target_value
from pcg.evaluators.win_distance import distance_weights, pairs

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("min_length", 20, "shortest winning play of a feasible level", 0, 2000, "ticks"),
    Parameter("target_length", 80, "winning plays from this length on count as fully long", 1, 2000, "ticks"),
    Parameter("max_length", 400, "plays end here unless the rules make winning take longer", 1, 2000, "ticks"),
    Parameter("start", 8, "a player who does nothing lives at least so long", 0, 2000, "ticks"),
    Parameter("survival", 40, "a player who looks one step ahead lives at least so long", 0, 2000, "ticks"),
    Parameter("min_cover", 0.05, "smallest share of the level that is not bare", 0.0, 1.0),
    Parameter("max_cover", 0.6, "largest share of the level that is not bare", 0.0, 1.0),
    Parameter("min_kinds", 0.5, "smallest share of the kinds of sprites that must occur", 0.0, 1.0),
    Parameter("nodes", 60_000, "states the solver may visit in games without chance", 1, 100_000_000, "states"),
    Parameter("budget", 500, "what MCTS may spend on a decision", 1, 10_000_000, "forward-model calls"),
    Parameter("planner_budget", 1500, "what the planner may spend on a decision", 1, 10_000_000, "forward-model calls"),
    Parameter("search", 100_000, "what the prover may spend on a level that nobody else wins", 0, 10**9, "calls"),
    Parameter("attempts", 1, "plays of each capable agent before a level counts as not won", 1, 100),
    Parameter("weak_plays", 4, "plays of each weak agent", 1, 1000),
    Parameter("weight_gap", 0.4, "weight of the gap between capable and weak players", 0.0, 1.0),
    Parameter("weight_length", 0.2, "weight of the length of the winning play", 0.0, 1.0),
    Parameter("weight_variety", 0.25, "weight of the variety of what happens in the winning play", 0.0, 1.0),
    Parameter("weight_coverage", 0.15, "weight of the share of the level the winning play visits", 0.0, 1.0),
    Parameter("difficulty", 0.6, "difficulty at which levels are judged best (metric `difficulty`)", 0.0, 1.0),
    Parameter("fitness", "quality", "the fitness function of feasible levels: quality, skill, or one of your own"),
    Parameter(
        "prefer", "", "a preference model as JSON text; its estimate then takes the place of the fitness function"
    ),
)
"""Parameters of an evaluation, with their defaults."""

CONSTRAINTS: Mapping[str, str] = {
    "check": "the level check finds nothing, not even a warning",
    "avatar": "there is exactly one avatar",
    "goal": "no ending fires at once, and what winning needs is there",
    "cover": "the level is neither bare nor crammed",
    "kinds": "enough kinds of sprites occur",
    "start": "a player who does nothing is not lost in the first moments",
    "survival": "a player who looks one step ahead is not lost early",
    "idle": "doing nothing does not win, or (where the rules reward waiting) less well than playing",
    "win": "a capable player wins",
    "length": "winning takes some time",
}
"""The constraints by name, in the order in which they are looked at; all values lie in [0, 1] and 1 means kept."""

IDLE_SEEDS = 3
FUTURES = 2
"""Futures in which the prover, which foresees chance, must win a level that nobody else has won."""
SOON = 4_000
"""States after which the solver lets the planner that knows the walls try first, before it visits all it may."""
TICKS_PER_GOAL = 5
"""Ticks that a play may take for everything that must vanish, beside half of `max_length`."""
LONG_STRIDES = (8, 5)
"""Ticks that an action lasts in the solver's first searches of levels with continuous physics."""
TRUST = 5.0
"""Weight of the estimate in these searches: it counts cells, and a cell takes such an avatar several ticks."""


@functools.lru_cache(maxsize=4096)
def _play_seed(seed: int, k: int) -> int:
    return int(np.random.SeedSequence([seed, k]).generate_state(1)[0] >> 1)


_BOUNDED_BY: Mapping[str, tuple[str | None, str | None]] = {
    "solution_length": ("min_length", "max_length"),
    "cover": ("min_cover", "max_cover"),
    "kinds": ("min_kinds", None),
    "idle_ticks": ("start", None),
}
"""Metric -> the parameters that bound it from below and from above."""


def relax_bounds(
    settings: Mapping[str, Setting], given: Mapping[str, object], targets: Sequence[Target]
) -> dict[str, Setting]:
    """The settings of an evaluation with bounds moved so that targets can be met; what was `given` is not moved.

    Raises:
        PcgError: for a target that contradicts a given bound.
    """
    moved = dict(settings)
    for target in targets:
        if target.name == "solution_length" and target.low > MAX_TICKS:
            raise PcgError(f"target `{target}`: plays end after {MAX_TICKS} ticks")
        least, most = _BOUNDED_BY.get(target.name, (None, None))
        for name, wanted, beyond in ((least, target.high, 1), (most, target.low, -1)):
            if name is None or beyond * (float(moved[name]) - wanted) <= 0:
                continue
            if name in given:
                raise PcgError(
                    f"target `{target}` contradicts the evaluation's parameter {name}, which is {moved[name]}"
                )
            moved[name] = type(moved[name])(math.floor(wanted) if isinstance(moved[name], int) else wanted)
    if "max_length" not in given:
        # plays may go on until a little after the longest that is wanted
        longest = [w.high if w.high < math.inf else 2 * w.low for w in targets if w.name == "solution_length"]
        moved["max_length"] = max(int(moved["max_length"]), *(min(MAX_TICKS, math.ceil(x)) for x in longest), 0)
    return moved


def fitness_with_targets(quality: float, targets: Mapping[str, float]) -> float:
    """The fitness in [0, 1] of a feasible level: targets first, then quality.

    Where all targets are achieved it lies in [0.5, 1] and tells the quality; else below one half, mostly by how nearly
    the targets are met.
    """
    if not targets:
        return quality
    met = math.fsum(targets.values()) / len(targets)
    return 0.5 + 0.5 * quality if met >= 1.0 else 0.45 * met + 0.05 * quality


class LevelEvaluator:
    """Evaluates levels of one game. Safe to use from several threads at once.

    Args:
        game: the game; its own levels (if any) widen the bounds on the cover.
        targets: what levels are to be like, as text or read by `parse_targets`. Feasible levels that meet all have a
            fitness of at least one half, by quality; the others less than one half, by how nearly they meet them.
        params: see `PARAMETERS`. Bounds of constraints that are not given make way for targets.

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
        self.settings: dict[str, Setting] = resolve(PARAMETERS, params, "evaluation")
        self.preference = self._preference()
        FITNESS_FUNCTIONS.find(str(self.settings["fitness"]))  # unknown names are an error now
        self.analysis = analyse(game.definition)
        self.targets = resolve_targets(targets, self.analysis)
        self.settings = relax_bounds(self.settings, params, self.targets)
        low, high = self._number("min_cover"), self._number("max_cover")
        if low > high:
            raise PcgError(f"evaluation: min_cover is {low}, expected at most max_cover, which is {high}")
        self.palette = palette(self.analysis)
        self.requirements = requirements(self.analysis)
        statistics = level_statistics(self.palette, game.levels)
        frame = statistics.frame if statistics is not None else (self.palette.wall,) * 4
        groups = {name: group(name, self.analysis) for name in GROUPS}
        self.text = TextMetrics(self.palette, self.requirements, frame, groups)
        self.plays = PlayMetrics(self.analysis)
        self._bounds = self._cover_bounds(low, high)
        self.estimate = distance_weights(self.analysis, self.requirements)
        self.pairs = pairs(self.analysis, self.requirements)
        self.players = capable_players(self.analysis, self._integer("planner_budget"), self._integer("budget"))
        self.wins = LevelWins(game, self._integer("search"))
        self.horizon = self._horizon()
        self.waiting_wins = self._waiting_wins()
        """True when waiting wins the game's own levels: then a capable player must win sooner, or with more points."""
        if self.waiting_wins:
            self.players = (("olets", self._integer("budget")), ("mcts", self._integer("budget")))

    def evaluate(self, level: str, seed: int = 0) -> Evaluation:
        """Evaluate a level.

        Args:
            level: level text in the game's mapping.
            seed: of all plays; the result depends on `level` and `seed` alone.

        Returns:
            The evaluation; bad levels are not an error but infeasible.
        """
        return _LevelEvaluation(self, level, seed).result()

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

    def _number(self, name: str) -> float:
        return float(self.settings[name])

    def _integer(self, name: str) -> int:
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
        covers = []
        for text in self.game.levels:
            try:
                covers.append(self.text.cover(self.palette.parse(text)))
            except PcgError:
                continue
        return min([low, *(0.5 * c for c in covers)]), max([high, *(min(1.0, 1.25 * c) for c in covers)])

    def _horizon(self) -> int:
        """Ticks after which a play is given up: `max_length`, or longer where winning means waiting.

        That is so where surviving wins, where goals are still to come out of spawners, and where time itself changes
        what there is.
        """
        longest = self._integer("max_length")
        for timed in self.game.definition.time_effects:
            if any(
                c.kind in ("transform", "spawn")
                for c in consequences(self.game.definition, self.game.definition.effects[timed.effect])
            ):
                begins = max(first_number(timed.params.get(name), 0) for name in ("timer", "nextExecution"))
                longest = max(longest, begins + self._integer("max_length") // 2)
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
                longest = max(longest, self._integer("max_length") // 2 + TICKS_PER_GOAL * left)
        return min(longest, MAX_TICKS)

    @functools.cached_property
    def judge(self) -> LevelJudge:
        """The judge of this game's levels."""
        return LevelJudge(self.text, self.game.levels, self._number("difficulty"))

    @functools.cached_property
    def least_length(self) -> int:
        """Ticks that winning must take: `min_length`, or less where most of the game's own levels are won sooner."""
        least = self._integer("min_length")
        agent, budget = self.players[0]
        soon = []
        for level in self.game.levels:
            if not check_level(level, self.game.definition, reading="gvgai", file="<level>"):
                start = self.game.start(level, seed=1)
                played = play(start, make_agent(agent, seed=1, budget=budget), max_ticks=least)
                if played.winner == 1:
                    soon.append(played.ticks)
        return max(1, min(soon)) if 2 * len(soon) > len(self.game.levels) else least

    @functools.cached_property
    def least_survival(self) -> int:
        """Ticks that a player who looks one step ahead must live: `survival`, or less where such a player is lost
        sooner in most of the game's own levels.
        """
        wanted = self._integer("survival")
        lost = []
        for level in self.game.levels:
            if not check_level(level, self.game.definition, reading="gvgai", file="<level>"):
                start = self.game.start(level, seed=1)
                playouts = [play(start, make_agent(a, seed=1), max_ticks=wanted) for a in ("nothing", "onestep")]
                lived = max(wanted if p.winner != 0 else p.ticks for p in playouts)
                if lived < wanted:
                    lost.append(lived)
        return min(lost) if 2 * len(lost) > len(self.game.levels) else wanted

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

    @functools.cached_property
    def strides(self) -> tuple[int, ...]:
        """Ticks that an action of the solver lasts, one search after the other: where the avatar flies, falls or
        drifts by the pixel, a tick decides next to nothing.
        """
        smooth = any(is_continuous(self.game.definition.types[t]) for t in self.analysis.start_avatars)
        return (*LONG_STRIDES, 1) if smooth else (1,)


class _LevelEvaluation:
    """One evaluation, stage by stage."""

    def __init__(self, evaluator: LevelEvaluator, level: str, seed: int) -> None:
        self.of = evaluator
        self.level = level
        self.seed = seed
        self.constraints = dict.fromkeys(CONSTRAINTS, 0.0)
        self.metrics: dict[str, float] = {}
        self.counts: Mapping[int, int] | None = None
        self.mechanics: tuple[str, ...] = ()
        self.parts: tuple[Part, ...] = ()
        self.plays = AgentPlays()
        self.solvability = SolvabilityPlays(evaluator.analysis, lambda k: self._game_seed(1000 + k))
        self.waited: Playout | None = None
        """The best win of doing nothing, where that is what the rules reward."""

    def result(self) -> Evaluation:
        if not self._look():
            return self._verdict("static")
        self.read = self.of.game.read_level(self.level)
        self.start = self.of.game.start(self.read, seed=self._game_seed(0))
        if not self._idle():
            return self._verdict("idle")
        won = self._win()
        if won is None:
            return self._verdict("capable")
        winner, game_seed, playout = won
        self._follow(game_seed, playout)
        least = self.of._integer("min_length")
        if playout.ticks < least:
            least = self.of.least_length
        self.constraints["length"] = min(1.0, playout.ticks / max(1, least))
        if self.constraints["length"] < 1:
            return self._verdict("capable", winner, game_seed, playout)
        fitness = self._quality(playout)
        return self._verdict("complete", winner, game_seed, playout, fitness)

    def _verdict(
        self, stage: str, winner: str = "", game_seed: int = 0, playout: Playout | None = None, fitness: float = 0.0
    ) -> Evaluation:
        self.plays.calls = self.solvability.calls
        if stage in ("capable", "complete"):
            self.plays.win = self.constraints["win"]
        self.metrics |= measure(AGENTS, self.plays)
        feasible = all(v >= 1.0 for v in self.constraints.values())
        constraint = 1.0 if feasible else math.fsum(self.constraints.values()) / len(self.constraints)
        targets = self._targets(bool(winner))
        return Evaluation(
            feasible,
            fitness_with_targets(fitness, targets) if feasible else 0.0,
            constraint,
            self.constraints,
            self.metrics,
            stage,
            winner,
            game_seed,
            encode_play(playout.actions) if playout is not None else "",
            targets,
            self.mechanics,
            self.parts if feasible else (),
        )

    def _targets(self, won: bool) -> dict[str, float]:
        """The satisfaction of each target; their values join the metrics."""
        of, found = self.of, {}
        fired = self.mechanics if won else None
        for target in of.targets:
            value = target_value(target.name, of.analysis, self.metrics, self.counts, fired)
            if value is not None:
                self.metrics[target.name] = value
            found[target.name] = target.satisfaction(value)
        return found

    def _game_seed(self, k: int) -> int:
        """Seed of the k-th play, as the game's generator takes it (31 bits)."""
        return _play_seed(self.seed, k)

    # -- stage 1: the text ---------------------------------------------------------------------------------------------

    def _look(self) -> bool:
        of, held = self.of, self.constraints
        held["check"] = float(not check_level(self.level, of.game.definition, reading="strict", file="<level>"))
        try:
            self.grid = of.palette.parse(self.level)
        except PcgError:
            held["check"] = 0.0
            return False
        self.seen = of.text.level(self.grid)
        counts = self.counts = self.seen.sprites
        measured = measure(TEXT, self.seen)
        share = measured["kinds"]
        self.metrics |= measured
        if not held["check"]:
            return False
        avatars = sum(counts.get(t, 0) for t in of.analysis.avatars)
        held["avatar"] = 1.0 if avatars == 1 else 1.0 / (1 + avatars) if avatars else 0.0
        held["goal"] = of.requirements.satisfaction(counts)
        cover = measured["cover"]
        low, high = of._bounds
        held["cover"] = cover / low if cover < low else (1 - cover) / (1 - high) if cover > high else 1.0
        least = of._number("min_kinds")
        held["kinds"] = 1.0 if share >= least else share / least
        self.longest = self.plays.longest = of.longest(counts)
        return all(held[name] >= 1.0 for name in ("check", "avatar", "goal", "cover", "kinds"))

    # -- stage 2: next to no skill -------------------------------------------------------------------------------------

    def _idle(self) -> bool:
        """Plays of those who do nothing or next to nothing; chance is met with the median of a few."""
        of, held = self.of, self.constraints
        longest = self.longest
        starts = [of.game.start(self.read, seed=self._game_seed(100 + k)) for k in range(IDLE_SEEDS)]
        idle = [self.solvability.play_weak(s, "nothing", k, longest) for k, s in enumerate(starts)]
        self.plays.idle = idle
        lived = sorted(longest if p.winner != 0 else p.ticks for p in idle)[IDLE_SEEDS // 2]
        held["start"] = min(1.0, lived / max(1, of._integer("start")))
        held["idle"] = 1.0 - sum(p.winner == 1 for p in idle) / IDLE_SEEDS
        if of.waiting_wins and held["idle"] < 1:
            held["idle"] = 1.0  # settled by whoever plays
            self.waited = max((p for p in idle if p.winner == 1), key=lambda p: p.score)
        wanted = of._integer("survival")
        if lived >= wanted:
            held["survival"] = 1.0
        else:
            careful = [self.solvability.play_weak(s, "onestep", k, wanted) for k, s in enumerate(starts)]
            ticks = sorted(wanted if p.winner != 0 else p.ticks for p in careful)[IDLE_SEEDS // 2]
            ticks = max(ticks, lived)
            if ticks < wanted:
                wanted = of.least_survival
            held["survival"] = min(1.0, ticks / max(1, wanted))
        return all(held[name] >= 1.0 for name in ("start", "survival", "idle"))

    # -- stage 3: skill ------------------------------------------------------------------------------------------------

    def _win(self) -> tuple[str, int, Playout] | None:
        """A win by a capable player: the solver where nothing is left to chance, else planning and MCTS in turn."""
        of = self.of
        longest = self.longest
        if of.waiting_wins:
            return self._play_better()
        solution = self._solve(min(SOON, of._integer("nodes")))
        if solution.status == "budget" and any(agent == WAY_PLANNER for agent, _ in of.players):
            playout = self.solvability.by_way(self.start, 0, longest)
            if playout.winner == 1:
                self.constraints["win"] = 1.0
                return "solver", self._game_seed(0), playout
        if solution.status == "budget" and of._integer("nodes") > SOON:
            solution = self._solve(of._integer("nodes"))
        self.plays.proved = solution.status in ("solved", "unsolvable")
        if solution.status == "solved":
            self.constraints["win"] = 1.0
            self.plays.nodes = solution.nodes
            return "solver", self._game_seed(0), play(self.start, _Plan(solution.actions), max_ticks=longest)
        best = 0.0
        if solution.status != "unsolvable":
            # where the solver has just been beaten by the level, the planner would be too
            players = [p for p in of.players if not p[0].startswith("solver") or solution.status != "budget"]
            for attempt in range(of._integer("attempts")):
                game_seed = self._game_seed(attempt)
                start = self.start if attempt == 0 else of.game.start(self.read, seed=game_seed)
                for agent, playout in self.solvability.in_turns(start, players, attempt, longest):
                    if playout.winner == 1:
                        self.constraints["win"] = 1.0
                        return read_agent(agent).name, game_seed, playout
                    best = max(best, self.solvability.progress(start, playout))
            actions, calls = of.wins.find(self.level, [self._game_seed(k) for k in range(FUTURES)], longest)
            self.solvability.calls += calls
            if actions is not None:
                self.constraints["win"] = 1.0
                return "prover", self._game_seed(0), play(self.start, _Plan(actions), max_ticks=longest)
        self.constraints["win"] = best
        return None

    def _solve(self, nodes: int) -> Solution:
        """The solver's answer within so many states, with coarser searches first where `LevelEvaluator.strides` says
        so; the states are shared out among them.
        """
        of = self.of
        for stride in of.strides:
            solution = solve(
                self.start, max_nodes=max(1, nodes // len(of.strides)), max_ticks=self.longest, algorithm="astar",
                weights=of.estimate, weight=1.0 if stride == 1 else TRUST, stride=stride, pairs=of.pairs,
            )  # fmt: skip
            self.solvability.calls += solution.calls
            if solution.status in ("solved", "unsolvable", "stochastic"):
                break
        return solution

    def _play_better(self) -> tuple[str, int, Playout] | None:
        """A win that is better than waiting: sooner, or with more points."""
        of, waited = self.of, self.waited
        best = 0.0
        for attempt in range(of._integer("attempts")):
            game_seed = self._game_seed(attempt)
            start = of.game.start(self.read, seed=game_seed)
            for agent, budget in of.players:
                playout = self.solvability.play(start, agent, attempt, self.longest, budget)
                if playout.winner == 1:
                    best = self.constraints["win"] = 1.0
                    if waited is None or playout.score > waited.score or 2 * playout.ticks <= waited.ticks:
                        return agent, game_seed, playout
                    self.constraints["idle"] = 0.5
                else:
                    best = max(best, self.solvability.progress(start, playout))
        self.constraints["win"] = best
        return None

    def _follow(self, game_seed: int, won: Playout) -> None:
        """Measure the winning play."""
        of = self.of
        start = of.game.start(self.read, seed=game_seed)
        steps = self.seen.steps
        assert steps is not None  # there is an avatar
        room = int((steps >= 0).sum())
        if of.analysis.mobility != "freely":
            room = max(self.grid.shape) if of.analysis.mobility in ("horizontal", "vertical") else 1
        trace = of.plays.follow(start, won.actions)
        self.trace, self.mechanics = trace, trace.mechanics
        self.metrics |= of.plays.measure(trace, won.actions, won.events, 1 + len(start.actions), room, float(won.score))

    # -- stage 4: quality ----------------------------------------------------------------------------------------------

    def _quality(self, won: Playout) -> float:
        """The fitness of a feasible level in [0, 1]: by the fitness function, or what people are expected to think."""
        of = self.of
        patience = min(self.longest, 2 * won.ticks + 20)
        weak = []
        for k in range(of._integer("weak_plays")):
            start = of.game.start(self.read, seed=self._game_seed(200 + k))
            weak += [self.solvability.play_weak(start, agent, 200 + k, patience) for agent in ("random", "onestep")]
        self.plays.weak, self.plays.won = weak, won
        self.metrics |= measure(AGENTS, self.plays)
        judge = of.judge
        self.parts = judge.parts(judge.view(self.seen), LevelPlays(won, self.trace, weak, self.metrics))
        self.metrics |= measure(JUDGEMENT, Judgement(True, value_of(self.parts), self.parts))
        if of.preference is not None:
            return of.preference.fitness(self.metrics, strict=False)
        return fitness_of(str(of.settings["fitness"]), self.metrics, of.settings)


class _Plan(Agent):
    """Plays a list of actions."""

    def __init__(self, actions: Sequence[str]) -> None:
        self._actions = tuple(actions)
        self._next = 0

    def reset(self, state: object) -> None:
        """Start the list again."""
        self._next = 0

    def act(self, state: object) -> str:
        """The next action."""
        self._next += 1
        return self._actions[self._next - 1]
