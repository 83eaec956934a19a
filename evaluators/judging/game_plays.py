"""Plays of a game from which its judge reads everything: nobody, chance, a hasty and a thorough player.

Players are chosen by what the game is like: search for a win where nothing is left to chance, planners and tree search
elsewhere, and the prover (`pcg.evaluators.proving`) where none of them wins. How long plays last is set by the level's
size and the rules' own limits, what players may spend by counts of work, so that results depend on no clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.engine.state import State
from pcg.engine.vgdl.definition import Level
from pcg.evaluators.agents import begin, make_agent, solve
from pcg.evaluators.analysis import GameAnalysis, is_continuous
from pcg.evaluators.effect_semantics import first_number
from pcg.evaluators.evaluation import decode_play, encode_play
from pcg.evaluators.games.kernel import WENT_ON
from pcg.evaluators.games.trials import Board, Rung, Trial, Trials, play_seed
from pcg.evaluators.metrics.profile import play_value
from pcg.evaluators.proving import Experience, prove
from pcg.evaluators.requirements import requirements
from pcg.evaluators.win_distance import distance_weights, pairs

MOST_TICKS = 2000
"""No play lasts longer (reference/agents 11.1)."""
TICKS_PER_CELL = 12
"""Ticks of a play for each row and column of its level: some crossings of it, with time to think."""
LEAST_TICKS = 300
MOST_MOVING = 1500
"""Moving sprites at a time, or three times those that a level starts with."""
TICK_WORK = 60_000
"""Work of a tick, in executions of effects; the tick is cut short at more."""
PLAY_WORK = 15_000_000
"""Work that a play of a capable player may be expected to cost; where ticks are dear it is shorter."""
_LEAST_DEAR = 100
_LEAST_TICK_WORK, _FAR_FROM_MEAN, _LEAST_MOVING = 600, 24.0, 600
"""Bounds of a tick of a search: work, as a number and as a multiple of the mean of plays, and moving sprites."""
_MEAN_WORK = 1500
"""Mean work of a forward-model call that a play may cost."""
_ANY_WORK = 1 << 62
"""Work that a play which a search has paid for may cost."""
LADDER = (
    Rung("nothing", "nothing"),
    Rung("random", "random"),
    Rung("hasty", "mcts:budget=30"),
    Rung("thorough", "olets:budget=240"),
)
"""Players whose plays are bounded whatever the rules, weakest first."""
NOTHING, RANDOM, HASTY, THOROUGH = range(4)
SEARCHERS = (("guided", 240), ("solver:checks=1,estimate=way,max_nodes=500", 500), ("mcts", 400),
             ("solver:checks=1", 1500))  # fmt: skip
"""Further players that look for a win in games of chance, in this order, with their calls per decision."""
PROVER = "prover"
"""Player of wins that were proved. It foresees chance, so in a game of chance it says nothing about skill."""
PROVER_CALLS = 150_000
"""Forward-model calls of a proof: what the dearest of the corpus' games took that no other player wins."""
_USUAL_WORK, _DEAR_WORK = 40.0, 100.0
"""Mean work of a tick from which on players, and the prover, make fewer calls."""


@dataclass(frozen=True, slots=True)
class GamePlay:
    """A play, to be made again: `game.start(level, seed)` and then `actions`."""

    player: str
    level: int
    seed: int
    actions: tuple[str, ...]
    won: bool
    lost: bool
    score: float
    progress: float
    """Share of the way to the nearest goal, in [0, 1]."""

    @property
    def ticks(self) -> int:
        """Length."""
        return len(self.actions)

    @property
    def value(self) -> float:
        """Value in (0, 1), mostly the outcome; see `play_value`."""
        return play_value(self.won, self.won or self.lost, self.score)


class Overgrown(Exception):
    """The end of a play in which sprites or work grew beyond bounds; its text says which."""


@dataclass
class GamePlays:
    """Plays of one game, made when they are asked for.

    Args:
        game: with one player.
        levels: read for it.
        analysis: of its rules.
        seed: of all plays.
        effort: factor on what players may spend.
    """

    game: Game
    levels: Sequence[Level]
    analysis: GameAnalysis
    seed: int = 0
    effort: float = 1.0
    made: dict[str, list[GamePlay]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.game = self.game.copy()  # its contexts are limited below, those of other plays are not
        self._trials = Trials(self.game, self.levels, LADDER, max_work=TICK_WORK, max_moving=MOST_MOVING)
        for level in self.levels:
            context = self.game.context(level)
            moving = int(context.header(context.initial)["slots"])
            context.limit(TICK_WORK, max(MOST_MOVING, 3 * moving))
        self._spent = 0
        self._ticks = 0
        self._experience = Experience()
        self.fired = np.zeros(len(self.game.definition.effects), bool)
        """Effects that some play has executed, those of searches for a win among them."""

    @property
    def boards(self) -> Sequence[Board]:
        """The levels, ready to be played."""
        return self._trials.boards

    def horizon(self, level: int) -> int:
        """Ticks after which a play of a level is given up, by its size and by the time limits of the rules."""
        board = self.levels[level]
        longest = max(LEAST_TICKS, TICKS_PER_CELL * (board.width + board.height))
        if any(is_continuous(self.game.definition.types[t]) for t in self.analysis.start_avatars):
            longest *= 2
        for ending in self.analysis.endings:
            if ending.kind == "timeout":
                longest = max(longest, ending.limit + 2)
        for timed in self.game.definition.time_effects:
            longest = max(longest, 2 * first_number(timed.params.get("timer"), 0))
        return min(MOST_TICKS, longest)

    # -- players that are bounded whatever the rules -------------------------------------------------------------------

    def play(self, rung: int, k: int, ticks: int | None = None) -> GamePlay:
        """The k-th play of a player of `LADDER`, on level k modulo their number.

        Raises:
            Overgrown: when sprites multiply, or a tick or the play does too much.
        """
        number = k % len(self.levels)
        longest = self.horizon(number) if ticks is None else ticks
        if rung > RANDOM:
            dear = PLAY_WORK * self.effort / (self._trials.calls[rung] * self.work)
            longest = min(longest, max(_LEAST_DEAR, int(dear)))
        calls = longest * self._trials.calls[rung]
        trial = self._trials.play(rung, k, self.seed, max_ticks=longest, allowance=_MEAN_WORK * calls + 4 * TICK_WORK)
        if rung <= RANDOM:
            self._spent += trial.work
            self._ticks += max(1, trial.ticks)
        if trial.stop != WENT_ON:
            what = f"{trial.most} moving sprites" if trial.most >= MOST_MOVING else "too much work"
            raise Overgrown(f"{what} after {trial.ticks} ticks")
        return self._keep(LADDER[rung].name, number, trial)

    def _keep(self, player: str, number: int, trial: Trial) -> GamePlay:
        """Keep a play of a level, and what it has executed."""
        self.fired |= trial.fired.astype(bool)
        board = self.boards[number]
        names = board.model.action_names
        done = GamePlay(
            player,
            number,
            trial.seed,
            tuple(names[a] for a in trial.actions.tolist()),
            trial.won,
            trial.lost,
            trial.score,
            self.progress(board.counts.tolist(), trial.counts.tolist(), trial.ticks, trial.won),
        )
        self.made.setdefault(player, []).append(done)
        return done

    def progress(self, before: Sequence[int], after: Sequence[int], ticks: int, won: bool) -> float:
        """Share of the way to the nearest goal, from the numbers of sprites at the start and at the end."""
        if won:
            return 1.0
        reached = 0.0
        for ending in self.analysis.wins:
            if ending.kind == "timeout":
                reached = max(reached, ticks / max(1, ending.limit))
                continue
            first, last = (sum(counts[t] for t in ending.types) for counts in (before, after))
            if ending.kind == "vanish" and first > ending.limit:
                reached = max(reached, (first - last) / (first - ending.limit))
            elif ending.kind == "appear" and ending.limit > first:
                reached = max(reached, (last - first) / (ending.limit - first))
        return max(0.0, min(1.0, reached))

    # -- players that look for a win -----------------------------------------------------------------------------------

    @property
    def work(self) -> float:
        """Mean work of a tick in the plays so far, at least 1; what searches may spend is divided by it."""
        return max(1.0, self._spent / max(1, self._ticks))

    def _calls(self, most: float, usual: float = _USUAL_WORK) -> int:
        """Forward-model calls of a search: fewer where a tick is dearer than usual."""
        return int(most * self.effort * min(1.0, usual / self.work))

    @cached_property
    def _estimate(self) -> tuple[list[float], tuple[tuple[Sequence[int], Sequence[int], float], ...]]:
        required = requirements(self.analysis)
        return distance_weights(self.analysis, required), pairs(self.analysis, required)

    def search(self, level: int, share: float = 1.0) -> GamePlay | None:
        """Look for a win on a level: by search where nothing is left to chance, by the `SEARCHERS` elsewhere.

        Args:
            level: which one.
            share: of what the effort allows.

        Returns:
            The winning play; else the best that was found, None where search found nothing at all.
        """
        seed = play_seed(self.seed, level)
        self._limit_search(level)
        start = self.game.start(self.levels[level], seed)
        if start.model.stochastic:
            return self._by_players(level, seed, start, SEARCHERS, share)
        weights, close = self._estimate
        best: GamePlay | None = None
        smooth = any(is_continuous(self.game.definition.types[t]) for t in self.analysis.start_avatars)
        for stride, weight in ((6, 5.0), (1, 2.0)) if smooth else ((1, 2.0),):
            found = solve(
                start, max_nodes=max(200, self._calls(share * 40_000)), algorithm="astar", weights=weights,
                weight=weight, pairs=close, stride=stride, max_ticks=max(self.horizon(level), 500),
            )  # fmt: skip
            if found.status == "solved":
                return self._record("search", level, seed, found.actions)
            if found.promising:
                best = self._record("search", level, seed, found.promising)
        return self._by_players(level, seed, start, SEARCHERS[:2], share, best)

    def prove(self, level: int) -> GamePlay | None:
        """Look for a win of a level with the prover, which knows what chance will bring.

        Args:
            level: which one.

        Returns:
            The winning play, None without one.
        """
        seed = play_seed(self.seed, level)
        self._limit_search(level)
        budget = max(1000, self._calls(PROVER_CALLS, _DEAR_WORK))
        found = prove(
            self.game, "\n".join(self.levels[level].rows), seed=seed, budget=budget, max_ticks=MOST_TICKS, tidy=0,
            experience=self._experience,
        )  # fmt: skip
        return None if found is None else self._record(PROVER, level, seed, decode_play(found.play))

    def _limit_search(self, level: int) -> None:
        """Bound the ticks of a search: it meets states that no play does, and must not spend itself on those in which
        sprites multiply.
        """
        context = self.game.context(self.levels[level])
        moving = int(context.header(context.initial)["slots"])
        context.limit(max(_LEAST_TICK_WORK, int(_FAR_FROM_MEAN * self.work)), max(_LEAST_MOVING, 3 * moving))

    def _by_players(
        self,
        level: int,
        seed: int,
        start: State,
        players: Sequence[tuple[str, int]],
        share: float,
        best: GamePlay | None = None,
    ) -> GamePlay | None:
        for agent, budget in players:
            made = make_agent(agent, seed=seed, budget=budget)
            playout = begin(start, made, max_ticks=self.horizon(level)).go_on(
                None, max(1000, self._calls(share * 150_000))
            )
            done = self._record(agent.partition(":")[0], level, seed, playout.actions)
            if done.won:
                return done
            if best is None or (done.progress, done.score) > (best.progress, best.score):
                best = done
        return best

    def _record(self, player: str, level: int, seed: int, actions: Sequence[str]) -> GamePlay:
        """Keep a play that a search has found."""
        return self._keep(player, level, self._trials.replay(level, encode_play(actions), seed, _ANY_WORK))

    # -- what the plays show -------------------------------------------------------------------------------------------

    def skilled(self) -> list[str]:
        """Players whose plays show skill: not nobody, not chance, the prover only where nothing is left to chance."""
        foreseen = any(self.game.context(level).stochastic for level in self.levels[:1])
        without = ("nothing", "random", PROVER) if foreseen else ("nothing", "random")
        return [name for name in self.made if name not in without]

    def strength(self, player: str) -> float:
        """Mean value of the plays of a player, in (0, 1); one half of it for progress where nobody has ended."""
        plays = self.made.get(player, [])
        return math.fsum(worth(play) for play in plays) / len(plays) if plays else 0.0

    def wins(self) -> list[GamePlay]:
        """All winning plays but those of nobody and of chance, shortest first."""
        found = [p for name, listed in self.made.items() if name not in ("nothing", "random") for p in listed if p.won]
        return sorted(found, key=lambda p: (p.ticks, p.level))


def worth(play: GamePlay) -> float:
    """Worth of a play in [0, 1]: 1 for a win, else how near it came, a lost one at half of that."""
    if play.won:
        return 1.0
    points = 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, 0.1 * play.score))))
    near = 0.3 * play.progress + 0.3 * points
    return 0.5 * near if play.lost else near
