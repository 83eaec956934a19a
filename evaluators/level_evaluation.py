"""One evaluation of a level, stage by stage, from cheap to dear.

Chance is met with several plays instead of the worst of fifty, and doing nothing means doing nothing. Looking at the
text comes first, then cheap plays, then search, and an evaluation stops at the first stage that fails. A constraint
that is broken is held against the game's own levels (`own_levels`) before it counts; one whose bound was set is not.
A level of which no win is found is feasible only where the search does not win all of the game's own levels, and the
text is like theirs (`winnability`); it is worth no more than the chance that it can be won.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS, Agent, Playout, Solution, play, solve
from pcg.evaluators.agents.registry import read_agent
from pcg.evaluators.evaluation import Evaluation, encode_play
from pcg.evaluators.fitness_functions import fitness_of
from pcg.evaluators.judging.judgement import Judgement, Part
from pcg.evaluators.judging.level_play import LevelPlays, measure_plays, unseen_plays
from pcg.evaluators.judging.levels import bounded_parts, value_of
from pcg.evaluators.level_constraints import CONSTRAINTS, fitness_with_targets
from pcg.evaluators.metrics.agents import AgentPlays
from pcg.evaluators.metrics.registry import AGENTS, JUDGEMENT, TEXT, measure
from pcg.evaluators.own_levels import SEED as OWN_SEED
from pcg.evaluators.proving.level_wins import QUICK
from pcg.evaluators.solvability import PLANNER, WAY_PLANNER, SolvabilityPlays
from pcg.evaluators.targets import target_value
from pcg.evaluators.winnability import AT_HALF, LIKELY, ask_own_levels, may_count, must_be_won

if TYPE_CHECKING:
    from pcg.evaluators.fitness import LevelEvaluator

IDLE_SEEDS = 3
LIFETIMES = 4
"""Multiple of the wanted survival after which a play of an own level ends that only tells how long one lives there."""
FUTURES = 2
"""Futures in which the prover, which foresees chance, must win a level that nobody else has won."""
SOON = 4_000
"""States after which the solver lets the planner that knows the walls try first, before it visits all it may."""
TRUST = 5.0
"""Weight of the estimate in searches of long strides: it counts cells, and a cell takes such an avatar several
ticks."""
_MEMORY = 64 * 2**20
"""Bytes of states that the solver keeps at most. Beyond them states are played again, which takes no longer than having
the system clear more memory, and a worker stays small."""
LOOKED_AT = ("cover", "kinds")
"""Metrics that constraints on a text ask for."""
_RAGGED = "language 2.1.3"
"""Rule of the reference by which rows of unequal length are filled with blanks."""


@functools.lru_cache(maxsize=4096)
def play_seed(seed: int, k: int) -> int:
    """Return the seed of the k-th play of an evaluation, as the game's generator takes it (31 bits)."""
    return int(np.random.SeedSequence([seed, k]).generate_state(1)[0] >> 1)


@dataclass(frozen=True)
class Idleness:
    """Plays of a level by a player who does nothing."""

    plays: Sequence[Playout]
    lived: int
    """Ticks that it lives, the median."""
    won: float
    """Share of the plays that are won."""
    best: tuple[int, Playout] | None
    """The win with most points and the seed of the game; None without a win."""


@dataclass(frozen=True)
class WinSearch:
    """The answer of the search for a win."""

    won: tuple[str, int, Playout] | None
    """Agent, seed of the game and play of a win."""
    progress: float = 0.0
    """Progress of the best play towards a win, in [0, 1]; 1 for a win."""
    proved: bool = False
    """A search has settled it."""
    nodes: int | None = None
    """States that the solver visited before it won."""
    calls: int = 0
    """Forward-model calls."""
    waits: bool = False
    """Nobody did better than by waiting."""


class LevelEvaluation:
    """One evaluation, stage by stage.

    Args:
        evaluator: of levels of the game.
        level: text of the level.
        seed: of all plays.
    """

    def __init__(self, evaluator: LevelEvaluator, level: str, seed: int) -> None:
        self.of = evaluator
        self.level = level
        self.seed = seed
        self.of_game = False
        """True for one of the game's own levels that others are held against."""
        self.constraints = dict.fromkeys(CONSTRAINTS, 0.0)
        self.metrics: dict[str, float] = {}
        self.counts: Mapping[int, int] | None = None
        self.mechanics: tuple[str, ...] = ()
        self.parts: tuple[Part, ...] = ()
        self.plays = AgentPlays()
        self.solvability = SolvabilityPlays(evaluator.analysis, lambda k: self._game_seed(1000 + k))

    def result(self) -> Evaluation:
        """Evaluate the level as far as its constraints are kept."""
        if not self._look():
            return self._verdict("static")
        self.begin()
        if not self._lives():
            return self._verdict("idle")
        found = self._searched()
        self.plays.proved, self.plays.nodes = found.proved, found.nodes
        self.plays.win = self.constraints["win"] = found.progress
        if found.won is None:
            if not self._may_be_winnable(found):
                return self._verdict("capable")
            self.constraints["win"] = 1.0
            self.constraints["length"] = float("min_length" not in self.of.given)  # which nobody can tell
            fitness = self._quality_unseen() if self.constraints["length"] else 0.0
            return self._verdict("capable", fitness=fitness)
        winner, game_seed, playout = found.won
        self.plays.winnable = 1.0
        if found.waits and not any(self.of.own.known(k, lambda one: one.search.waits) for k in self.others):
            self.constraints["idle"] = 0.5
            return self._verdict("capable")
        self._follow(game_seed, playout)
        self.constraints["length"] = self._length(playout.ticks)
        if self.constraints["length"] < 1:
            return self._verdict("capable", winner, game_seed, playout)
        fitness = self._quality(playout)
        return self._verdict("complete", winner, game_seed, playout, fitness)

    def quick_verdict(self, calls: int) -> bool | None:
        """Tell whether a level is feasible by a search of so many forward-model calls, or little more.

        Args:
            calls: 0 for no search.

        Returns:
            None when no search is made, which the constraints before that settle where they are broken: then False.
        """
        if not self._look(LOOKED_AT):
            return False
        self.begin()
        lives = self._lives()
        self.solvability.calls = 0
        if not lives:
            return False
        return self._won_quickly(calls) if calls else None

    def _verdict(
        self, stage: str, winner: str = "", game_seed: int = 0, playout: Playout | None = None, fitness: float = 0.0
    ) -> Evaluation:
        self.plays.calls = self.solvability.calls
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
        return play_seed(self.seed, k)

    @cached_property
    def others(self) -> list[int]:
        """The game's own levels that this one is held against."""
        return self.of.own.others(self.seen)

    # -- stage 1: the text ---------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Measure the text and make ready to play, whatever it is like.

        Raises:
            PcgError: it is no level of the game.
        """
        self._parse()
        self._measure()
        self.begin()

    def _parse(self) -> None:
        of = self.of
        self.grid = of.palette.parse(self.level)
        self.seen = of.text.level(self.grid)
        self.counts = self.seen.sprites

    def _measure(self, names: Sequence[str] | None = None) -> None:
        self.metrics |= measure(TEXT, self.seen, names)
        self.longest = self.plays.longest = self.of.longest(self.seen.sprites)

    def begin(self) -> None:
        """Make ready to play."""
        self.placed = self.of.game.read_level(self.level)
        self.start = self.of.game.start(self.placed, seed=self._game_seed(0))

    def _look(self, names: Sequence[str] | None = None) -> bool:
        """Tell whether the text keeps all constraints on it; measures it by the metrics of these names, or all."""
        of, held = self.of, self.constraints
        held["check"] = float(self._is_sound())
        try:
            self._parse()
        except PcgError:
            held["check"] = 0.0
            return False
        self._measure(names)  # a metric of the user that fails is no fault of the level
        if not held["check"]:
            return False
        counts = self.seen.sprites
        avatars = sum(counts.get(t, 0) for t in of.analysis.avatars)
        held["avatar"] = 1.0 if avatars == 1 else 1.0 / (1 + avatars) if avatars else 0.0
        held["goal"] = of.requirements.satisfaction(counts)
        if held["goal"] < 1.0 and held["avatar"] >= 1.0:
            # what an own level does without is not required
            held["goal"] = of.requirements.satisfaction(counts, of.own.counts(self.others))
        cover = self.metrics["cover"]
        low, high = of.cover_bounds
        held["cover"] = cover / low if cover < low else (1 - cover) / (1 - high) if cover > high else 1.0
        share, least = self.metrics["kinds"], of.number("min_kinds")
        if share < least and "min_kinds" not in of.given:
            least = of.own.least(least, self.others, lambda one: one.metrics["kinds"])
        held["kinds"] = 1.0 if share >= least else share / least
        return all(held[name] >= 1.0 for name in ("check", "avatar", "goal", "cover", "kinds"))

    def _is_sound(self) -> bool:
        """Return True when the level check finds nothing but rows of unequal length, where the game's reading fills
        them with blanks.
        """
        game = self.of.game
        found = check_level(self.level, game.definition, reading="strict", file="<level>")
        if found and game.reading != "strict":
            found = check_level(self.level, game.definition, reading=game.reading, file="<level>")
            found = [one for one in found if one.severity == "error" or one.rule != _RAGGED]
        return not found

    def _length(self, ticks: int) -> float:
        """Nearness of a win to the length asked for, or to that in own levels where it is less."""
        least = self.of.integer("min_length")
        if ticks < least and "min_length" not in self.of.given:
            least = self.of.own.least_length(least, self.others)
        return min(1.0, ticks / max(1, least))

    # -- stage 2: next to no skill -------------------------------------------------------------------------------------

    @cached_property
    def idleness(self) -> Idleness:
        """Plays of a player who does nothing; chance is met with the median of a few."""
        longest = self.longest
        seeds = [self._game_seed(100 + k) for k in range(IDLE_SEEDS)]
        idle = [
            self.solvability.play_weak(self.of.game.start(self.placed, seed=s), "nothing", k, longest)
            for k, s in enumerate(seeds)
        ]
        lived = sorted(longest if p.winner != 0 else p.ticks for p in idle)[IDLE_SEEDS // 2]
        wins = [(s, p) for s, p in zip(seeds, idle, strict=True) if p.winner == 1]
        best = max(wins, key=lambda win: win[1].score) if wins else None
        return Idleness(idle, lived, len(wins) / IDLE_SEEDS, best)

    @cached_property
    def survival(self) -> int:
        """Ticks, at most those wanted, that a player lives who looks one step ahead, or does nothing if that is
        longer.
        """
        return self._careful_life(self.of.integer("survival"))

    @cached_property
    def lifetime(self) -> int:
        """The same with plays that go on for longer: how long such a player lives in an own level."""
        return self._careful_life(LIFETIMES * self.of.integer("survival"))

    def _careful_life(self, longest: int) -> int:
        if self.idleness.lived >= longest:
            return longest
        careful = [
            self.solvability.play_weak(
                self.of.game.start(self.placed, seed=self._game_seed(100 + k)), "onestep", k, longest
            )
            for k in range(IDLE_SEEDS)
        ]
        ticks = sorted(longest if p.winner != 0 else p.ticks for p in careful)[IDLE_SEEDS // 2]
        return max(ticks, self.idleness.lived)

    def _lives(self) -> bool:
        held, idle = self.constraints, self.idleness
        self.plays.idle = idle.plays
        held["start"] = self._long_enough("start", idle.lived, lambda one: one.idleness.lived)
        held["idle"] = 1.0 - idle.won
        if idle.won and (self._asks_for_more or self._own_idle_wins >= idle.won):
            held["idle"] = 1.0  # where more is asked for, whoever plays settles it
        held["survival"] = self._long_enough("survival", self.survival, lambda one: one.lifetime)
        return all(held[name] >= 1.0 for name in ("start", "survival", "idle"))

    @cached_property
    def _asks_for_more(self) -> bool:
        """Doing nothing may win, and a player has to do better: the rules reward waiting, waiting wins at the price of
        points, or it wins more often than in the own levels that it wins at times.
        """
        best = self.idleness.best
        if self.of.waiting_wins or best is None:
            return self.of.waiting_wins
        return best[1].score < 0 or 0.0 < self._own_idle_wins < self.idleness.won

    @cached_property
    def _own_idle_wins(self) -> float:
        """The largest share of plays in which doing nothing wins an own level that this one is held against."""
        return max((self.of.own.known(k, lambda one: one.idleness.won) for k in self.others), default=0.0)

    def _long_enough(self, name: str, lived: int, look: Callable[[LevelEvaluation], int]) -> float:
        """Nearness of a player's life to the length a parameter asks, or to that in own levels where it is less."""
        wanted = self.of.integer(name)
        if lived < wanted and name not in self.of.given:
            wanted = self.of.own.least_life(wanted, self.others, look)
        return min(1.0, lived / wanted) if lived < wanted else 1.0

    # -- stage 3: skill ------------------------------------------------------------------------------------------------

    def _searched(self) -> WinSearch:
        """The answer of the search, which for an own level may be known already."""
        own = self.of.own
        number = own.number_of(self.level) if self.seed == OWN_SEED else None
        if number is None:
            return self.search
        found = own.known(number, lambda one: one.search)
        self.solvability.calls += found.calls
        return found

    @cached_property
    def search(self) -> WinSearch:
        """The search for a win."""
        before = self.solvability.calls
        found = self._win()
        return replace(found, calls=self.solvability.calls - before)

    def _win(self) -> WinSearch:
        """A win by a capable player: the solver where nothing is left to chance, else planning and MCTS in turn; the
        prover where they fail.
        """
        of = self.of
        if self._asks_for_more:
            found = self._play_better()
            if found.won is not None:
                return found
            return self._prove(found.progress)
        longest = self.longest
        solution = self._solve(min(SOON, of.integer("nodes")))
        if solution.status == "budget" and any(agent == WAY_PLANNER for agent, _ in of.players):
            playout = self.solvability.by_way(self.start, 0, longest)
            if playout.winner == 1:
                return WinSearch(("solver", self._game_seed(0), playout), 1.0)
        if solution.status == "budget" and of.integer("nodes") > SOON:
            solution = self._solve(of.integer("nodes"))
        if solution.status == "solved":
            playout = play(self.start, _Plan(solution.actions), max_ticks=longest)
            return WinSearch(("solver", self._game_seed(0), playout), 1.0, True, solution.nodes)
        if solution.status == "unsolvable":
            return WinSearch(None, 0.0, True)
        best = 0.0
        # where the solver has just been beaten by the level, the planner would be too
        players = [p for p in of.players if not p[0].startswith("solver") or solution.status != "budget"]
        for attempt in range(of.integer("attempts")):
            game_seed = self._game_seed(attempt)
            start = self.start if attempt == 0 else of.game.start(self.placed, seed=game_seed)
            for agent, playout in self.solvability.in_turns(start, players, attempt, longest):
                if playout.winner == 1:
                    return WinSearch((read_agent(agent).name, game_seed, playout), 1.0)
                best = max(best, self.solvability.progress(start, playout))
        return self._prove(best)

    def _prove(self, best: float) -> WinSearch:
        """A win of the prover, which may take longer than others where the bound on plays was not set."""
        of = self.of
        longest = self.longest if "max_length" in of.given else MAX_TICKS
        seeds = [self._game_seed(k) for k in range(FUTURES)]
        found = of.wins.find(
            self.level, seeds, longest, self.others, typical=self.text_value >= AT_HALF, worth=self._search_pays
        )
        self.solvability.calls += found.calls
        if found.actions is None:
            return WinSearch(None, best, found.impossible)
        playout = play(self.start, _Plan(found.actions), max_ticks=longest)
        return WinSearch(("prover", self._game_seed(0), playout), 1.0)

    def _search_pays(self) -> bool:
        """Tell whether a long search may settle if the level can be won.

        It does not where it has failed on the first of the game's own levels that is not won cheaply: then it is the
        text that tells, and levels are not searched in vain.
        """
        of = self.of
        if self.of_game or not of.searches_well:
            return True
        hard = of.own.hard(self.others)
        return not hard or of.own.won(hard[0])

    def _may_be_winnable(self, found: WinSearch) -> bool:
        """Tell whether a level of which no win was found is more likely than not to have one."""
        self.plays.winnable = 0.0
        if found.proved or not self.others or not self.of.searches_well:
            return False
        order = self.others
        if may_count(self.text_value, len(order)):  # else none is asked
            hard = self.of.own.hard(order)
            order = [k for k in order if k not in hard] + hard
        questions = [functools.partial(self.of.own.won, k) for k in order]
        self.plays.winnable, *asked = ask_own_levels(self.text_value, questions)
        self.own_wins = asked[0], asked[1]
        return self.plays.winnable >= LIKELY and not must_be_won(asked[0], len(questions))

    @cached_property
    def text_value(self) -> float:
        """The judge's value of the text alone, in [0, 1]."""
        judge = self.of.judge
        return value_of(judge.parts(judge.view(self.seen)))

    @cached_property
    def quick_length(self) -> int | None:
        """Ticks of a win that a quick search finds; None without."""
        solution = self._solve(min(SOON, self.of.integer("nodes")))
        if solution.status == "solved":
            return len(solution.actions)
        if solution.status == "unsolvable":
            return None
        won = self.of.wins.quick(self.level, self._game_seed(0))
        return won.ticks if won is not None else None

    @cached_property
    def cheap_win(self) -> bool:
        """True for an own level that the solver or the prover wins at once, whatever chance brings."""
        if self._asks_for_more:
            return False  # such a win may be worth no more than waiting
        if self._solve(min(SOON, self.of.integer("nodes"))).status == "solved":
            return True
        return self.of.wins.wins_own(self.level)

    def _won_quickly(self, calls: int) -> bool:
        """Tell whether the level has a win that is long enough, found within so many calls."""
        of, plays, longest = self.of, self.solvability, self.longest
        solution = self._solve(min(SOON, of.integer("nodes")))
        if solution.status in ("solved", "unsolvable"):
            return solution.status == "solved" and self._length(len(solution.actions)) >= 1.0
        # where the solver has just been beaten by the level, the planner would be too, at ten times the cost
        players = [one for one in of.players if one[0] != PLANNER or solution.status != "budget"]
        planners = [one for one in players if one[0] in (PLANNER, WAY_PLANNER)]
        for player in (*planners, None, *(one for one in players if one not in planners)):
            left = calls - plays.calls
            if left <= 0:
                break
            if player is None:
                proof = of.wins.quick(self.level, self._game_seed(0), tidy=0)
                plays.calls += QUICK if proof is None else proof.calls
                ticks = proof.ticks if proof is not None else 0
                if not ticks:
                    found = of.wins.practised(self.level, self._game_seed(0), calls - plays.calls, self.others)
                    plays.calls += found.calls
                    ticks = len(found.actions or ())
            else:
                playout = plays.within(self.start, player, longest, left)
                ticks = playout.ticks if playout.winner == 1 else 0
            if ticks:
                return self._length(ticks) >= 1.0
        return False

    def _solve(self, nodes: int) -> Solution:
        """The solver's answer within so many states, with coarser searches first where `LevelEvaluator.strides` says
        so; the states are shared out among them.
        """
        of = self.of
        for stride in of.strides:
            solution = solve(
                self.start, max_nodes=max(1, nodes // len(of.strides)), max_ticks=self.longest, algorithm="astar",
                weights=of.estimate, weight=1.0 if stride == 1 else TRUST, stride=stride, pairs=of.pairs,
                memory=_MEMORY,
            )  # fmt: skip
            self.solvability.calls += solution.calls
            if solution.status in ("solved", "unsolvable", "stochastic"):
                break
        return solution

    def _play_better(self) -> WinSearch:
        """A win that is better than waiting: sooner, or with more points."""
        of, waited = self.of, self.idleness.best
        best, won = 0.0, None
        for attempt in range(of.integer("attempts")):
            game_seed = self._game_seed(attempt)
            start = of.game.start(self.placed, seed=game_seed)
            for agent, budget in of.players:
                playout = self.solvability.play(start, agent, attempt, self.longest, budget)
                if playout.winner == 1:
                    if waited is None or playout.score > waited[1].score or 2 * playout.ticks <= waited[1].ticks:
                        return WinSearch((agent, game_seed, playout), 1.0)
                    won = won or (agent, game_seed, playout)
                else:
                    best = max(best, self.solvability.progress(start, playout))
        if won is None and waited is not None:
            won = ("nothing", *waited)
        return WinSearch(won, 1.0 if won else best, waits=won is not None)

    def _follow(self, game_seed: int, won: Playout) -> None:
        """Measure the winning play."""
        of = self.of
        start = of.game.start(self.placed, seed=game_seed)
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
        for k in range(of.integer("weak_plays")):
            start = of.game.start(self.placed, seed=self._game_seed(200 + k))
            weak += [self.solvability.play_weak(start, agent, 200 + k, patience) for agent in ("random", "onestep")]
        self.plays.weak, self.plays.won = weak, won
        self.metrics |= measure(AGENTS, self.plays)
        judge = of.judge
        view = judge.view(self.seen)
        plays = measure_plays(view, LevelPlays(won, self.trace, weak, self.metrics), judge.difficulty)
        self.parts = judge.parts(view, plays)
        self.metrics |= measure(JUDGEMENT, Judgement(True, value_of(self.parts), self.parts))
        if of.preference is not None:
            return of.preference.fitness(self.metrics, strict=False)
        return fitness_of(str(of.settings["fitness"]), self.metrics, of.settings)

    def _quality_unseen(self) -> float:
        """The fitness of a feasible level of which no win is known, in [0, 1]: what the judge says of its text, and of
        plays what can be expected, but no more than the chance that it can be won. What other fitness functions and
        preferences say counts times the chance; functions that ask for the winning play give 0.
        """
        of, judge = self.of, self.of.judge
        chance = self.plays.winnable or 0.0
        self.parts = bounded_parts(judge.parts(judge.view(self.seen), unseen_plays(chance, *self.own_wins)), chance)
        self.metrics |= measure(AGENTS, self.plays)
        self.metrics |= measure(JUDGEMENT, Judgement(True, value_of(self.parts), self.parts))
        if of.preference is not None:
            return chance * of.preference.fitness(self.metrics, strict=False)
        name = str(of.settings["fitness"])
        try:
            found = fitness_of(name, self.metrics, of.settings)
        except KeyError:  # a metric of the winning play
            return 0.0
        return found if name == "quality" else chance * found


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
