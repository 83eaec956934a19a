"""The learning track: learners get to know a game by playing it, without a forward model, and are then put to the test.

`track` has the rules and the runner, `features` what a linear learner sees, `linear` a learner. The extra `envs` is
needed: learners are trained on the vector environments (`pcg.engine.envs`).
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports

if TYPE_CHECKING:
    from pcg.evaluators.learning.linear import LinearSarsa as LinearSarsa
    from pcg.evaluators.learning.track import CIG2017 as CIG2017
    from pcg.evaluators.learning.track import GYM2018 as GYM2018
    from pcg.evaluators.learning.track import Clock as Clock
    from pcg.evaluators.learning.track import Learner as Learner
    from pcg.evaluators.learning.track import LearningTrack as LearningTrack
    from pcg.evaluators.learning.track import TrackPlay as TrackPlay
    from pcg.evaluators.learning.track import TrackResult as TrackResult
    from pcg.evaluators.learning.track import run_track as run_track

_EXPORTS = {
    "CIG2017": "track",
    "Clock": "track",
    "GYM2018": "track",
    "Learner": "track",
    "LearningTrack": "track",
    "LinearSarsa": "linear",
    "TrackPlay": "track",
    "TrackResult": "track",
    "run_track": "track",
}

__all__ = [
    "CIG2017",
    "GYM2018",
    "Clock",
    "Learner",
    "LearningTrack",
    "LinearSarsa",
    "TrackPlay",
    "TrackResult",
    "run_track",
]


__getattr__, __dir__ = _lazy_exports(__name__, _EXPORTS)
