"""Measures of levels, of plays, of pairs of levels and of sets of levels.

    registry    the metrics of a single level by name, and the decorator `metric` that declares one
    text        from the level's text          play        from its winning play
    routes      ways through it                puzzles     pushes that solve it
    agents      from the plays of agents       profile     agents of different skill
    judgement   its quality and the parts      likeness    how unlike two levels look
    distances   how different two levels are by edits and by plays
    scores      quality, diversity and controllability of a set of levels
    niches      the distance from which on levels of a game are different

`pcg.evaluators.fitness` puts those of a single level together.
"""

# Metrics are shown in the order in which they are declared: of the text, of the play, of agents, of the judge.
from pcg.evaluators.metrics.text import LevelText, TextMetrics  # isort: split

from pcg.evaluators.metrics.routes import loops, ways_to_goal  # isort: split

from pcg.evaluators.metrics import puzzles as puzzles  # isort: split

from pcg.evaluators.metrics.play import PlayMetrics, Trace, WonPlay  # isort: split

from pcg.evaluators.metrics.agents import AgentPlays  # isort: split

from pcg.evaluators.metrics.judgement import PART_PREFIX  # isort: split

from pcg.evaluators.metrics.distances import edit_distance, play_distance
from pcg.evaluators.metrics.likeness import LevelShape, level_distance, level_shape
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.profile import Performance, Profile, performance_profile
from pcg.evaluators.metrics.registry import METRICS, STAGES, Metric, measure, metric
from pcg.evaluators.metrics.scores import APART, Scores, controllability, diversity, quality, score_set

__all__ = [
    "APART",
    "METRICS",
    "PART_PREFIX",
    "STAGES",
    "AgentPlays",
    "LevelShape",
    "LevelText",
    "Metric",
    "Performance",
    "PlayMetrics",
    "Profile",
    "Scores",
    "TextMetrics",
    "Trace",
    "WonPlay",
    "controllability",
    "diversity",
    "edit_distance",
    "level_distance",
    "level_shape",
    "loops",
    "measure",
    "metric",
    "niche_width",
    "performance_profile",
    "play_distance",
    "quality",
    "score_set",
    "ways_to_goal",
]
