"""Progress of a play towards winning, for games that nobody wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from pcg.engine.kernel.ids import TERMINATION_ID
from pcg.evaluators.games.trials import Trial

TIMEOUT = TERMINATION_ID["Timeout"]
_COUNTER = TERMINATION_ID["SpriteCounter"]
_MORE = TERMINATION_ID["SpriteCounterMore"]


def progress(trial: Trial, before: NDArray[Any], terminations: Sequence[Any]) -> float:
    """Return the progress of a play, in [0, 0.9]: the share of the way to the nearest goal, and survival.

    Args:
        trial: the play.
        before: sprites of each type at the start of its level.
        terminations: rows of the engine's table.
    """
    after = trial.counts
    reached = 0.0
    for row in terminations:
        if not row["win0"]:
            continue
        kind, limit = row["kind"], int(row["limit"])
        if kind == TIMEOUT:
            reached = max(reached, trial.ticks / max(1, limit))
            continue
        types = [int(row[name]) for name in ("stype1", "stype2", "stype3") if row[name] >= 0]
        first, last = int(before[types].sum()), int(after[types].sum())
        if kind != _MORE and first > limit:
            reached = max(reached, (first - last) / (first - limit))
        elif kind != _COUNTER and limit > first:
            reached = max(reached, (last - first) / (limit - first))
    return 0.6 * max(0.0, min(1.0, reached)) + (0.0 if trial.lost else 0.3)
