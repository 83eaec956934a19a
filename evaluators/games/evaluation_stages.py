"""One evaluation of a game, stage by stage: what `GameEvaluator` does with each game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.game import Game
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.lazy import cached_property
from pcg.engine.state import begin
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.evaluators.games.behaviour import behaviour
from pcg.evaluators.games.evaluation import (
    CONSTRAINTS,
    RANDOM_WINS,
    RULED_OUT,
    AgentPerformance,
    GameEvaluation,
    RecordedPlay,
)
from pcg.evaluators.games.kernel import PLAY_WORK, SPRITES, TICK_WORK
from pcg.evaluators.games.profile import certainty, difference, interval, profile_fitness, separation
from pcg.evaluators.games.progress import TIMEOUT, progress
from pcg.evaluators.games.resistance import resistance
from pcg.evaluators.games.trials import Board, Trial, Trials
from pcg.evaluators.games.winnability import Winnability, prove_levels
from pcg.evaluators.judging.concepts import DANGERS, GOALS, concept
from pcg.evaluators.judging.game_places import Astray, astray
from pcg.evaluators.judging.game_static import RuleFindings
from pcg.evaluators.mechanics import mechanics

if TYPE_CHECKING:
    from pcg.evaluators.games.evaluator import GameEvaluator

_EXPLORING = 100_000
"""The first number of the plays that only look for unused rules."""
_CHANCE = 200_000
"""The first number of the plays that only count how often chance wins."""


BUMPS = frozenset({"stepBack", "turnAround", "reverseDirection", "flipDirection", "undoAll", "wrapAround"})
"""Effects of bumping into something."""
NEVER_STOPPING = frozenset({"OngoingAvatar", "OngoingTurningAvatar", "OngoingShootAvatar"})
"""Classes of avatars that go on by themselves."""
HASTE = 16
"""A play of theirs lasts `min_ticks` divided by this at least."""
_CHEAP = 3
"""Agents, from the weakest, that play before proofs are looked for: their plays cost less."""


class _Stop(Exception):
    """The end of an evaluation, with the reason."""


class StagedEvaluation:
    """One evaluation, stage by stage."""

    def __init__(
        self,
        of: GameEvaluator,
        game: Game,
        seed: int,
        diagnostics: Sequence[Diagnostic] | None,
        threshold: float,
        plays: int = 0,
    ) -> None:
        self.of = of
        self.game = game
        self.seed = seed
        self.threshold = threshold
        self.confirming = plays > 0
        self.plays = plays or of.integer("plays")
        self.most_plays = plays or of.integer("max_plays")
        self.diagnostics = game.definition.diagnostics if diagnostics is None else tuple(diagnostics)
        self.constraints = dict.fromkeys(CONSTRAINTS, 0.0)
        self.metrics: dict[str, float] = {}
        self.stage = "check"
        self.reason = ""
        self.played: list[list[Trial]] = [[] for _ in of.ladder]
        self.explored: list[Trial] = []
        self.waited: list[Trial] = []
        self.lucky: list[Trial] = []
        """Random plays beyond those of the profile, which only count how often chance wins."""
        self.fired = np.zeros(len(game.definition.effects), np.int8)
        self.trials: Trials | None = None
        self.terminations: Any = ()
        self.levels: list[Level] = []
        self.read: RuleFindings | None = None
        self.danger = "none"
        """Source of danger, of `concepts.DANGERS`."""
        self.proofs: Winnability | None = None
        self.shown: list[Trial] = []
        """Proofs, as plays. They count for the rules that are executed and for the score, not for the profile."""

    # -- the whole -----------------------------------------------------------------------------------------------------

    def result(self) -> GameEvaluation:
        fitness = 0.0
        try:
            self._check()
            for rung in range(len(self.of.ladder)):
                if rung == min(_CHEAP, len(self.of.ladder) - 1):
                    self._judge_places()
                    self._prove()
                self._climb(rung)
            self._explore()
            self._judge_chance()
            self._wait()
            self._settle_order()
            fitness = self._fitness(optimistic=False)
            self.stage = "confirmed" if self.confirming else "complete"
        except _Stop as stop:
            self.reason = str(stop)
        return self._verdict(fitness)

    def _fail(self, reason: str) -> None:
        """End the evaluation, unless all is to be measured."""
        if not self.reason:
            self.reason = reason
        if not self.confirming:
            raise _Stop(self.reason)

    def _verdict(self, fitness: float) -> GameEvaluation:
        held = self.constraints
        feasible = self.stage in ("complete", "confirmed") and all(v >= 1.0 for v in held.values())
        played = [trials for trials in self.played if trials]
        everything = [t for trials in (*played, self.explored) for t in trials]
        return GameEvaluation(
            feasible=feasible,
            fitness=fitness if feasible else 0.0,
            constraint=1.0 if feasible else math.fsum(held.values()) / len(held),
            constraints=held,
            reason="" if feasible else self.reason,
            stage=self.stage,
            profile=tuple(_performance(r.name, t) for r, t in zip(self.of.ladder, self.played, strict=True) if t),
            metrics={**self.metrics, **self._measure(everything)},
            behaviour=behaviour(self.game.definition, self.played, len(self.of.ladder), self.of.integer("max_ticks")),
            mechanics=self._mechanics(),
            best=self._best(),
            weak=self._weak(),
            unused=tuple(np.flatnonzero(self.fired == 0).tolist()) if "rules_fired" in self.metrics else (),
            calls=sum(t.calls for t in (*everything, *self.waited, *self.lucky)),
            work=sum(t.work for t in (*everything, *self.waited, *self.lucky)),
        )

    # -- stage 1: the rules --------------------------------------------------------------------------------------------

    def _check(self) -> None:
        of, game, held = self.of, self.game, self.constraints
        definition = game.definition
        sizes = {
            "max_rules": len(definition.effects) + len(definition.terminations),
            "max_types": len(definition.types),
            "max_pairs": sum(len(p.effects) for p in definition.pairs)
            + sum(len(e) for e in definition.eos_effects.values()),
        }
        held["size"] = min(1.0, *(of.integer(name) / max(1, n) for name, n in sizes.items()))
        if held["size"] < 1.0:
            name = max(sizes, key=lambda n: sizes[n] / of.integer(n))
            raise _Stop(f"the game has {sizes[name]} {name[4:]}, at most {of.integer(name)} are played")
        if game.players != 1:
            raise _Stop(f"the game has {game.players} players, expected one")
        found = list(self.diagnostics)
        levels = self.levels
        for text in of.levels:
            try:
                level = game.read_level(text)
            except PcgError as error:
                raise _Stop(f"the level does not fit: {_line(error)}") from None
            levels.append(level)
            found += level.diagnostics
        held["check"] = 1.0 / (1 + len(found))
        try:
            self.trials = Trials(
                game, levels, of.ladder, max_work=of.integer("max_work"), max_moving=of.integer("max_sprites")
            )
        except PcgError as error:
            held["check"] /= 2
            raise _Stop(f"the game cannot be played: {_line(error)}") from None
        if found:
            self._fail(f"{len(found)} warnings, the first: {_line(found[0])}")
        if any(board.first.header.avatar0 < 0 for board in self.trials.boards):
            held["check"] = 0.5
            raise _Stop("there is no avatar")
        self.terminations = game.tables.terminations[: game.tables.n_terminations]
        held["sprites"] = held["work"] = 1.0  # as far as was played
        held["goal"] = float(any(self._can_win(t) for t in self.terminations))
        if not held["goal"]:
            self._fail("no termination can be won")
        self.read = RuleFindings.of(game, levels)
        self.metrics["usual"] = self.read.value()
        about = concept(self.read.kinds, levels)
        self.danger = about.danger
        self.metrics["goal"] = tuple(GOALS).index(about.goal)
        self.metrics["danger"] = DANGERS.index(about.danger)
        problem = self.read.problem()
        held["sense"] = float(not problem)
        if problem:
            self._fail(problem[0].lower() + problem[1:].rstrip("."))

    @staticmethod
    def _can_win(row: np.void) -> bool:
        return bool(row["win0"]) or bool(row["count_score"]) or (row["kind"] == TIMEOUT and bool(row["use_counter"]))

    # -- stage 2: the ladder -------------------------------------------------------------------------------------------

    def _climb(self, rung: int) -> None:
        """All plays of an agent, and what they show."""
        held = self.constraints
        self.stage = self.of.ladder[rung].name
        # a player who does nothing does it the same way every time where nothing is left to chance
        alike = rung == 0 and not self.confirming and not any(b.model.stochastic for b in self._boards)
        for k in range(self.plays):
            boards = len(self._boards)
            if alike and k >= boards:
                self.played[rung].append(self.played[rung][k % boards])
            else:
                self._play(rung, k)
            if rung + 1 == len(self.played) and self._hopeless():
                break
        plays = self.played[rung]
        if rung == 0:
            self._judge_idle(plays)
        elif rung == 1:
            least = self.of.integer("min_ticks") // (HASTE if self._never_stops else 1)
            ticks = max(t.ticks for t in plays)
            self.metrics["random_ticks"] = ticks
            held["playable"] = min(1.0, ticks / max(1, least))
            if held["playable"] < 1.0:
                self._fail(f"the longest game of a random player takes {ticks} ticks")
            held["chance"] = 1.0
            if any(t.won for t in plays):
                self._judge_chance()
        if rung + 1 < len(self.played):
            self._hope()
        else:
            self._evaluate_all()

    def _judge_chance(self) -> None:
        """Longer random plays, until all are played or it is clear that chance wins too many of them. They count for
        nothing else. In the last plays of a game they are twice as many, and chance must win so few that more than are
        allowed can be ruled out: what was chosen among many games has had luck in its earlier plays.
        """
        most, ticks = self.of.integer("random_plays"), self.of.integer("random_ticks")
        allowed = RANDOM_WINS
        if self.confirming:
            most, allowed = 2 * most, RULED_OUT
        assert self.trials is not None
        while len(self.lucky) < most and sum(t.won for t in self.lucky) <= allowed * most:
            k = len(self.lucky)
            allowance = self._allowance(1, ticks)
            self.lucky.append(self.trials.play(1, _CHANCE + k, self.seed, max_ticks=ticks, allowance=allowance))
        won = sum(t.won for t in self.lucky)
        self.metrics["random_wins"] = won / len(self.lucky)
        over = max(0.0, won / most - allowed) / (1.0 - allowed)
        self.constraints["chance"] = 1.0 - over
        if over > 0.0:
            self._fail(f"a random player wins {won} of {len(self.lucky)} plays of {ticks} ticks")

    def _hopeless(self) -> bool:
        """Return True when the strongest agent, whose plays are dearest, has had its chances and nobody has won."""
        if self.confirming or len(self.played[-1]) < self.of.integer("patience"):
            return False
        return not any(t.won for trials in self.played for t in trials)

    @property
    def _boards(self) -> Sequence[Board]:
        assert self.trials is not None
        return self.trials.boards

    def _play(self, rung: int, k: int, into: list[Trial] | None = None) -> None:
        """Play, and stop at what must not happen in any play."""
        assert self.trials is not None
        trial = self.trials.play(
            rung, k, self.seed, max_ticks=self.of.integer("max_ticks"), allowance=self._allowance(rung)
        )
        (self.played[rung] if into is None else into).append(trial)
        self.fired |= trial.fired
        if trial.stop:
            self._judge_bounds(trial)

    def _allowance(self, rung: int, ticks: int = 0) -> int:
        """Work that a play of an agent may cost: that of the calls it can make, and a few heavy ticks."""
        assert self.trials is not None
        calls = (ticks or self.of.integer("max_ticks")) * self.trials.calls[rung]
        return self.of.integer("mean_work") * calls + 4 * self.of.integer("max_work")

    def _can_afford(self, rungs: Sequence[int]) -> bool:
        """Return True when further plays of these agents fit into what the first plays of all might have cost."""
        everything = [t for trials in (*self.played, self.explored) for t in trials]
        allowed = self.plays * sum(self._allowance(r) for r in range(len(self.played)))
        return sum(t.work for t in everything) + sum(self._allowance(r) for r in rungs) <= allowed

    def _judge_bounds(self, trial: Trial) -> None:
        survived = 0.9 * trial.ticks / self.of.integer("max_ticks")
        name, reason = {
            SPRITES: ("sprites", f"{trial.most} moving sprites after {trial.ticks} ticks"),
            TICK_WORK: ("work", f"too much work in tick {trial.ticks}"),
            PLAY_WORK: ("work", f"too much work in the {trial.ticks} ticks of a play"),
        }[trial.stop]
        self.constraints[name] = min(self.constraints[name], survived)
        self._fail(reason)

    @cached_property
    def _never_stops(self) -> bool:
        """True where the avatar goes on by itself: who acts at random soon turns into something, in any such game."""
        assert self.read is not None
        types = self.game.definition.types
        return any(types[t].class_name in NEVER_STOPPING for t in self.read.kinds.analysis.avatars)

    def _judge_idle(self, plays: Sequence[Trial]) -> None:
        held = self.constraints
        ticks = sorted(self.of.integer("max_ticks") if not t.lost else t.ticks for t in plays)[len(plays) // 2]
        self.metrics["idle_ticks"] = ticks
        held["idle"] = 1.0 - sum(t.won for t in plays) / len(plays)
        held["start"] = min(1.0, ticks / max(1, self.of.integer("start")))
        if held["idle"] < 1.0:
            self._fail("doing nothing wins")
        if held["start"] < 1.0:
            self._fail(f"a player who does nothing is lost after {ticks} ticks")

    def _hope(self) -> None:
        """End the evaluation of a game that cannot reach the threshold any more."""
        if self.threshold > 0.0 and not self.confirming:
            hope = self._fitness(optimistic=True)
            if hope < self.threshold:
                raise _Stop(f"the fitness cannot reach {self.threshold:.3f} any more, at most {hope:.3f}")

    def _judge_places(self) -> None:
        """Look where sprites are while nobody acts, and while somebody acts at random."""
        assert self.read is not None and self.trials is not None
        found = Astray()
        for trial in [t for trials in self.played[:2] for t in trials[: len(self.levels)]]:
            actions = [ACTIONS[a] for a in trial.actions.tolist()]
            start = begin(self.game, self.trials.boards[trial.level].context, trial.seed)
            found += astray(self.read.kinds, start, actions)
        share = max(found.movers_share, found.avatars_share)
        self.metrics["astray"] = share
        self.constraints["places"] = 1.0 if share <= self.of.number("astray") else 1.0 - share
        if self.constraints["places"] < 1.0:
            who = "the avatar is" if found.avatars_share > found.movers_share else f"{share:.0%} of the movers are"
            self._fail(f"{who} outside the map or inside walls")

    def _prove(self) -> None:
        """Look for wins that no agent need find; they count for nothing else."""
        of, held = self.of, self.constraints
        held["length"] = 1.0
        if not of.integer("proof"):
            return
        self.proofs = prove_levels(
            self.game, self.levels, self.seed, of.integer("proof"), least_ticks=of.integer("max_ticks"),
            max_work=of.integer("max_work"), max_sprites=of.integer("max_sprites"),
        )  # fmt: skip
        if not self.proofs.proved:
            if self.confirming:
                return  # agents that play often may still win
            nearest = max(self._progress(t) for trials in self.played for t in trials)
            share = len(self.proofs.ticks) / self.proofs.wanted
            held["winnable"] = min(0.99, nearest + share * (1.0 - nearest))
            self._fail(f"nobody wins{' more than one level' if self.proofs.ticks else ''}")
        held["winnable"] = 1.0
        assert self.trials is not None
        for number, proof in self.proofs.wins:
            allowance = of.integer("mean_work") * len(proof.play) + 4 * of.integer("max_work")
            self.shown.append(self.trials.replay(number, proof.play, proof.seed, allowance))
            self.fired |= self.shown[-1].fired
        self.metrics["win_ticks"] = min(self.proofs.ticks)
        held["length"] = self.proofs.long(of.integer("min_win"))
        if held["length"] < 1.0:
            self._fail(f"a win takes {min(self.proofs.ticks)} ticks")

    # -- stage 3: all plays together -----------------------------------------------------------------------------------

    def _evaluate_all(self) -> None:
        """Evaluate what only all agents together can show, but for the rules."""
        held = self.constraints
        everything = [t for trials in self.played for t in trials]
        held["winnable"] = 1.0
        if not any(t.won for t in everything) and not (self.proofs is not None and self.proofs.proved):
            held["winnable"] = max(self._progress(t) for t in everything)
        held["rules"] = self._rules()
        held["score"], trouble = self._score(everything)
        if held["winnable"] < 1.0:
            self._fail("nobody wins")
        self._judge_sacrifice([t for t in everything if t.won])
        if trouble:
            self._fail(trouble)
        held["resistance"] = self._resistance()
        if held["resistance"] < 1.0:
            self._fail("nothing stands in the way of the player")

    def _resistance(self) -> float:
        """Return 1 where something stands in the way of the player, or nobody asks for that."""
        assert self.read is not None
        if not self.of.integer("resistance"):
            return 1.0
        won = [t.ticks for trials in (*self.played, self.shown) for t in trials if t.won]
        return resistance(self.read.kinds, self.danger, self.terminations, self.played, min(won, default=0))

    def _judge_sacrifice(self, wins: Sequence[Trial]) -> None:
        """Find games that are won by dying: the last target takes the avatar with it, which no player calls a win."""
        assert self.read is not None
        avatars = list(self.read.kinds.analysis.avatars)
        dead = sum(not t.counts[avatars].any() for t in wins)
        if 2 * dead > len(wins):
            self.constraints["winnable"] = 0.9
            self._fail("most wins are the death of the avatar")

    def _progress(self, trial: Trial) -> float:
        return progress(trial, self._boards[trial.level].counts, self.terminations)

    def _rules(self) -> float:
        counted = ~self._precautions
        share = float(self.fired[counted].mean()) if counted.any() else 1.0
        self.metrics["rules_fired"] = share
        least = self.of.number("min_rules")
        return 1.0 if share >= least else share / least

    @cached_property
    def _precautions(self) -> NDArray[np.bool_]:
        """Effects that need not be executed: what keeps sprites in the map is there for the day when one gets there."""
        assert self.read is not None
        found = np.zeros(len(self.fired), np.bool_)
        definition, kinds = self.game.definition, self.read.kinds.kinds
        for effects in definition.eos_effects.values():
            found[list(effects)] = True
        for pair in definition.pairs:
            if kinds[pair.first] != "avatar":
                stops = BUMPS | {"killSprite"} if kinds[pair.second] == "frame" else BUMPS
                for e in pair.effects:
                    found[e] |= definition.effects[e].name in stops
        return found

    def _score(self, everything: Sequence[Trial]) -> tuple[float, str]:
        """Judge the score's meaning: the value of the constraint and what is the matter, "" for nothing."""
        effects = self.game.tables.effects[: len(self.fired)]
        timed = self.game.tables.time_effects
        can = bool((effects["score0"] != 0).any() or (effects["killed0"] != 0).any() or (timed["score0"] != 0).any())
        largest = max(abs(t.score) for t in everything)
        if not largest <= self.of.integer("max_score"):
            return 0.0, f"the score reaches {largest:g}"
        if can and not any(t.changes for t in (*everything, *self.shown)):
            return 0.0, "no play changes the score"
        means = [math.fsum(t.score for t in trials) / len(trials) for trials in self.played]
        if means[0] > 0 and means[0] >= max(means[1:]):
            return 0.5, "doing nothing scores best"
        return 1.0, ""

    def _explore(self) -> None:
        """Random plays that only look for rules not executed so far; then the verdict about the rules."""
        of, held = self.of, self.constraints
        for k in range(0 if self.confirming else of.integer("explorations")):
            if held["rules"] >= 1.0 or not self._can_afford([1]):
                break
            self._play(1, _EXPLORING + k, self.explored)
            held["rules"] = self._rules()
        if held["rules"] < 1.0:
            idle = (self.fired == 0) & ~self._precautions
            unused, which = int(idle.sum()), self.game.definition.effects[int(np.argmax(idle))]
            self._fail(f"{unused} rules are never executed, the first: {which.name} in line {which.line}")

    def _wait(self) -> None:
        """Test if waiting wins after the plays' end: where nothing had happened by then to who does nothing, its first
        play of each level goes on, once everything else is known to be right. They count for nothing else.
        """
        longest, held = self.of.integer("waiting"), self.constraints
        first = self.played[0][: len(self._boards)]
        unsettled = [k for k, t in enumerate(first) if not (t.won or t.lost or t.stop)]
        if longest <= self.of.integer("max_ticks") or not unsettled or held["idle"] < 1.0:
            return
        assert self.trials is not None
        for k in unsettled:
            allowance = self._allowance(0, longest)
            self.waited.append(self.trials.play(0, k, self.seed, max_ticks=longest, allowance=allowance))
        won = [t.ticks for t in self.waited if t.won]
        held["idle"] = 1.0 - len(won) / len(first)
        if won:
            self._fail(f"doing nothing wins after {min(won)} ticks")

    def _settle_order(self) -> None:
        """More plays of neighbours whose order is in doubt, as long as the game can reach the threshold, and the order
        can count for anything: where two others are surely the wrong way round, nothing that is in doubt matters.
        """
        while not self.confirming:
            doubtful = [r for r in range(len(self.played) - 1) if self._in_doubt(r)]
            if (
                profile_fitness(0.0, [1.0 if r in doubtful else self._step(r) for r in range(len(self.played) - 1)])
                <= 0
            ):
                break
            wanted = {r + side for r in doubtful for side in (0, 1)}
            again = [r for r in sorted(wanted) if len(self.played[r]) < self.most_plays]
            if not again or not self._can_afford(again):
                break
            for rung in again:
                self._play(rung, len(self.played[rung]))
            self._hope()

    def _in_doubt(self, rung: int) -> bool:
        weaker, stronger = self._values(rung), self._values(rung + 1)
        if min(len(weaker), len(stronger)) >= self.most_plays:
            return False
        mean, half = difference(weaker, stronger)
        return abs(mean) < half

    def _values(self, rung: int) -> list[float]:
        return [t.value for t in self.played[rung]]

    def _step(self, rung: int) -> float:
        """The certainty of the order of an agent and the next one is, from -1 to 1."""
        found = certainty(self._values(rung), self._values(rung + 1), self.of.integer("foreseen"))
        return 2.0 * found - 1.0

    def _fitness(self, *, optimistic: bool) -> float:
        """The fitness by the profile; with `optimistic` the most it can be as far as the plays so far tell."""
        steps = []
        for rung in range(len(self.played) - 1):
            if not self.played[rung + 1]:
                steps.append(1.0)
                continue
            weaker, stronger = self._values(rung), self._values(rung + 1)
            if optimistic:
                mean, half = difference(weaker, stronger)
                steps.append(1.0 if mean + half > 0.0 else 0.0)
            else:
                steps.append(self._step(rung))
        lowest, last = self._values(0), self._values(len(self.played) - 1)
        usual = self.of.number("usual")
        reads = usual * self.metrics["usual"]
        if optimistic:
            mean, half = difference([0.0] * len(lowest), lowest)
            best = 1.0
            if last:
                top, more = difference([0.0] * len(last), last)
                best = min(1.0, top + more)
            return reads + (1.0 - usual) * profile_fitness(best - (mean - half), steps)
        spread = math.fsum(last) / len(last) - math.fsum(lowest) / len(lowest)
        self.metrics["spread"] = spread
        self.metrics["order"] = math.fsum(steps) / len(steps)
        self.metrics["certainty"] = math.prod(0.5 + 0.5 * step for step in steps)
        self.metrics["apart"] = separation(lowest, last, self.of.integer("foreseen"))
        return reads + (1.0 - usual) * profile_fitness(spread, steps)

    # -- what is handed on ---------------------------------------------------------------------------------------------

    def _measure(self, everything: Sequence[Trial]) -> dict[str, float]:
        if not everything:
            return {}
        endings = {t.ending for t in everything if t.ending >= 0}
        return {
            "plays": len(everything),
            "explorations": len(self.explored),
            "most_sprites": max(t.most for t in everything),
            "endings_seen": len(endings) / max(1, len(self.terminations)),
            "largest_score": max((t.score for t in everything), key=abs),
        }

    def _mechanics(self) -> tuple[str, ...]:
        if not self.fired.any():
            return ()
        return tuple(m.name for m in mechanics(self.game.definition) if self.fired[m.effect])

    def _recorded(self, rung: int, trial: Trial) -> RecordedPlay:
        return RecordedPlay(self.of.ladder[rung].name, trial.level, trial.seed, trial.won, trial.score, trial.play)

    def _best(self) -> RecordedPlay | None:
        strongest = None
        for rung in reversed(range(len(self.played))):
            trials = self.played[rung]
            if any(t.won for t in trials):
                return self._recorded(rung, min((t for t in trials if t.won), key=lambda t: t.ticks))
            if trials and strongest is None:
                strongest = rung
        if strongest is None:
            return None
        return self._recorded(strongest, max(self.played[strongest], key=lambda t: t.value))

    def _weak(self) -> RecordedPlay | None:
        return self._recorded(1, min(self.played[1], key=lambda t: t.value)) if self.played[1] else None


def _performance(name: str, trials: Sequence[Trial]) -> AgentPerformance:
    n = len(trials)
    mean = math.fsum(t.value for t in trials) / n
    low, high = interval(mean, n)
    return AgentPerformance(
        agent=name,
        plays=n,
        wins=sum(t.won for t in trials),
        losses=sum(t.lost for t in trials),
        performance=mean,
        low=low,
        high=high,
        score=math.fsum(t.score for t in trials) / n,
        ticks=sum(t.ticks for t in trials) / n,
        rules=tuple(np.flatnonzero(np.any([t.fired for t in trials], axis=0)).tolist()),
    )


def _line(thing: object) -> str:
    """An error or a diagnostic in one line."""
    return " ".join(str(thing).split())[:200]
