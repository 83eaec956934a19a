"""The quality of a level and its parts as metrics, so that they can be targets, measures of an archive and figures.

What each part means and how it is judged is in `pcg.evaluators.judging.levels`.
"""

from __future__ import annotations

from pcg.evaluators.judging.judgement import Judgement
from pcg.evaluators.metrics.registry import JUDGEMENT, Measured, metric

PART_PREFIX = "quality."
"""The beginning of the names of the parts' metrics."""
_PARTS = {
    "skill": "whether capable players fare better than weak ones",
    "pacing": "room and calm at the start, points and danger along the winning play",
    "purpose": "what counts is within reach, and what is there matters in some play",
    "composition": "frame, walls, rooms, doors, symmetry and groups as in the game's own levels",
    "conventions": "sizes, numbers, places and patterns of tiles as in the game's own levels",
    "clarity": "as regular and as crowded as the game's own levels",
    "difficulty": "nearness to the difficulty that is wanted",
}


@metric("quality", "what the judge of levels thinks of it: the weighted mean of the parts below", 0, 1, stage=JUDGEMENT)
def quality(judgement: Judgement) -> float | None:
    """The value of the judgement, in [0, 1]."""
    return judgement.value


def _part(name: str) -> Measured:
    def of(judgement: Judgement) -> float | None:
        return next((part.value for part in judgement.parts if part.name == name), None)

    return of


for _name, _help in _PARTS.items():
    metric(PART_PREFIX + _name, _help, 0, 1, stage=JUDGEMENT)(_part(_name))
