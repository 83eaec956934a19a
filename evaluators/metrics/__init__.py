"""Measures of levels, of plays, of pairs of levels and of sets of levels.

    registry    the table of the metrics of a single level: name, range, source
    text        from the level's text          play        from its winning play
    profile     agents of different skill      distances   how different two levels are
    scores      quality, diversity and controllability of a set of levels

`pcg.evaluators.fitness` puts those of a single level together.
"""

from pcg.evaluators.metrics.distances import edit_distance, level_distance, play_distance
from pcg.evaluators.metrics.play import PlayMetrics, Trace
from pcg.evaluators.metrics.profile import Performance, Profile, performance_profile
from pcg.evaluators.metrics.registry import METRICS, STAGES, Metric
from pcg.evaluators.metrics.scores import Scores, controllability, diversity, quality, score_set
from pcg.evaluators.metrics.text import TextMetrics

__all__ = [
    "METRICS",
    "STAGES",
    "Metric",
    "Performance",
    "PlayMetrics",
    "Profile",
    "Scores",
    "TextMetrics",
    "Trace",
    "controllability",
    "diversity",
    "edit_distance",
    "level_distance",
    "performance_profile",
    "play_distance",
    "quality",
    "score_set",
]
