"""Evaluation of one game of a space: agents play it, and an objective values the plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError
from pcg.engine.vgdl.resolver import read_game
from pcg.evaluators.parameters import Setting
from pcg.generators.tuning.contract import PointEvaluation
from pcg.generators.tuning.objectives import Objective, Result
from pcg.generators.tuning.plays import PlayRecord, play_games


@dataclass(frozen=True, slots=True)
class PlayedEvaluation(PointEvaluation):
    """Evaluation of a point with the plays that it comes from.

    Attributes:
        results: of each target of the objective; none of a game that could not be played.
        plays: of each agent.
    """

    results: tuple[Result, ...] = ()
    plays: Mapping[str, Sequence[PlayRecord]] = field(default_factory=dict, repr=False)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "value": self.value,
            "error": self.error,
            "note": self.note,
            "targets": [[r.measure, r.value, r.error] for r in self.results],
            "plays": {agent: [play.to_json() for play in plays] for agent, plays in self.plays.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlayedEvaluation:
        """The inverse of `to_json`."""
        return cls(
            float(data["value"]),
            float(data["error"]),
            str(data["note"]),
            tuple(Result(float(value), float(error), float(measure)) for measure, value, error in data["targets"]),
            {agent: [PlayRecord.from_json(play) for play in plays] for agent, plays in data["plays"].items()},
        )


def evaluate_game(
    text: str,
    levels: Sequence[str],
    objective: Objective,
    *,
    numbers: Sequence[int],
    reading: str,
    seed: int,
    sample: int,
    settings: Mapping[str, Setting],
) -> PlayedEvaluation:
    """Play a game and evaluate the plays.

    A text that is no game, or one that cannot be played to the end within the engine's limits, has the value 0 and says
    why: not every combination of values that are good by themselves makes a game.

    Args:
        text: of the plain game.
        levels: texts of its levels.
        objective: what is wanted.
        numbers: of the levels that are played.
        reading: "strict" or "gvgai".
        seed: of the run.
        sample: how often this game was judged before.
        settings: values of `PLAY_PARAMETERS`.

    Raises:
        PcgError: a function of the user's fails.
    """
    try:
        game = Game(read_game(text, reading=reading), levels, reading=reading)
        plays = play_games(
            game, objective.agents, numbers, plays=int(settings["plays"]), seed=seed, sample=sample,
            budget=int(settings["budget"]), max_ticks=int(settings["max_ticks"]),
        )  # fmt: skip
    except VGDLError as error:
        return PlayedEvaluation(0.0, 0.0, f"no game: {error.diagnostics[0].message}")
    except PcgError as error:
        return PlayedEvaluation(0.0, 0.0, f"cannot be played: {error}".split("\n")[0])
    total, results = objective.evaluate(plays)
    return PlayedEvaluation(total.value, total.error, "", results, plays)
