"""Games that a run keeps: their verdicts, their ranks, and the choice of good ones of many kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.engine.game import load
from pcg.evaluators.games import GameEvaluation
from pcg.runs.search import check_version

ALIKE = 0.06
"""Penalty on the value of a game for each chosen game with the same goal, and again if it has the same danger."""
UNRESISTED = 0.12
"""The same of a game in which nothing is in the way of the player: as much as of one that is the third with its goal,
so that another goal is no reason for a walk against the clock."""
ALIKE_OF_FITNESS = 0.15
"""The same where games are known by their fitness alone: best games of two families of goals differ by up to 0.3 in it,
and hardly go together with the judge's value, which is known of finalists."""
STOOD = 0.9
"""Least value of every constraint in the last plays of a game that is kept."""
OF_SOME_PLAY = frozenset({"start", "playable", "winnable", "score", "resistance"})
"""Constraints that some of many plays keep: fewer plays than those of the evaluation cannot tell that none does."""
EFFORT = 0.2
"""Budget of capable players that judge finalists, as a share of that of `pcg judge`."""


def judgement_of(text: str, levels: Sequence[str], seed: int, code: str = "") -> Mapping[str, Any]:
    """Return the verdict of the judge of games on a game as plain data.

    Args:
        text: of the game.
        levels: its levels.
        seed: of the judgement.
        code: see `code_digest`.

    Raises:
        PcgError: when this is not the version that `code` names.
    """
    from pcg.evaluators.judging.games import judge_game

    check_version(code)
    return judge_game(load(text, levels=levels), seed=seed & 0x7FFFFFFF, effort=EFFORT).as_dict()


@dataclass(frozen=True)
class KeptGame:
    """One of the games that a run keeps."""

    candidate: Any
    evaluation: GameEvaluation
    confirmed: GameEvaluation | None = None
    """The verdict of the last plays, with other seeds."""

    judgement: Mapping[str, Any] | None = None
    """Verdict of the judge of games as plain data; None where it was not asked."""

    @property
    def value(self) -> float:
        """Value of the game, by which games are ranked: the judge's, or the fitness where the judge was not asked."""
        return float(self.judgement["value"]) if self.judgement is not None else self.evaluation.fitness

    @property
    def kind(self) -> tuple[float, float]:
        """Numbers of the goal and of the danger, -1 where they are not known."""
        metrics = self.evaluation.metrics
        return metrics.get("goal", -1.0), metrics.get("danger", -1.0)

    @property
    def lucky(self) -> bool:
        """True when a random player has won more than the share of its plays that is allowed, whenever it was asked."""
        last = self.confirmed
        if last is not None and last.constraints.get("chance", 1.0) < 1.0:
            return True
        chance = (self.judgement or {}).get("parts", {}).get("chance")
        return chance is not None and chance["value"] <= 0.0

    @property
    def resisted(self) -> bool:
        """False when the judge says that nothing, or nothing but a short time limit, is in the way of the player."""
        told = (self.judgement or {}).get("parts", {}).get("resistance")
        return told is None or told["value"] > 0.0

    @property
    def stood(self) -> bool:
        """False when the judge refuses the game, or the last plays have shown that it is not feasible: no constraint
        may miss what it asks for by more than luck in a few of many plays does.
        """
        last = self.confirmed
        refused = self.judgement is not None and not self.judgement["feasible"]
        if refused or last is None or last.feasible:
            return not refused
        # rules that are never executed go when a game is presented
        told = {name: kept for name, kept in last.constraints.items() if name != "rules"}
        if _plays(last) < _plays(self.evaluation):
            told = {name: kept for name, kept in told.items() if name not in OF_SOME_PLAY}
        return min(told.values(), default=0.0) >= STOOD

    @property
    def rank(self) -> tuple[float, float, float, int]:
        """Larger is better: the value, then how likely all agents are in order, and the weakest and the strongest
        apart, in further plays.
        """
        last = self.confirmed
        likely = last.metrics.get("certainty", 0.0) * last.metrics.get("apart", 0.0) if last is not None else 0.0
        return self.value, likely, self.evaluation.fitness, -self.candidate.id


def _plays(evaluation: GameEvaluation) -> int:
    """Return how often each agent played at least, but for the strongest, who stops early where nobody wins."""
    return min((agent.plays for agent in evaluation.profile[:-1]), default=0)


def choose_diverse(games: Sequence[KeptGame], number: int, alike: float = ALIKE) -> list[KeptGame]:
    """Choose good games of many kinds, in the given order.

    Games are chosen one by one: the best by its value less a penalty for each game with the same goal, and the same
    danger, that was chosen before it, and one where nothing is in the way of the player.

    Args:
        games: best first.
        number: how many are chosen.
        alike: the penalty.
    """
    if len(games) <= number:
        return list(games)
    left = list(range(len(games)))
    chosen: list[int] = []
    of = [game.kind for game in games]
    while len(chosen) < number:

        def worth(k: int) -> tuple[float, int]:
            goal = sum(of[j][0] == of[k][0] for j in chosen)
            kind = sum(of[j] == of[k] for j in chosen)
            return games[k].value - alike * (goal + kind) - UNRESISTED * (not games[k].resisted), -k

        best = max(left, key=worth)
        left.remove(best)
        chosen.append(best)
    return [games[k] for k in sorted(chosen)]
