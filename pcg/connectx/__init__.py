"""ConnectX with the interface that its players know: `make`, `evaluate`, agents as functions of an observation.

    from pcg.connectx import evaluate, make
    env = make("connectx", {"rows": 6, "columns": 7, "inarow": 4})
    env.run(["negamax", "random"])
    print(env.render(mode="ansi"))

The interface is that of Kaggle's environment of the same name, on our bit-board engine; see docs/connectx.md.
"""

from pcg.connectx.agents import BUILT_IN as BUILT_IN
from pcg.connectx.configuration import read_configuration as read_configuration
from pcg.connectx.environment import Environment as Environment
from pcg.connectx.environment import Trainer as Trainer
from pcg.connectx.evaluation import Outcomes as Outcomes
from pcg.connectx.evaluation import evaluate as evaluate
from pcg.connectx.evaluation import get_win_percentages as get_win_percentages
from pcg.connectx.evaluation import make as make
from pcg.connectx.struct import Struct as Struct

__all__ = [
    "BUILT_IN",
    "Environment",
    "Outcomes",
    "Struct",
    "Trainer",
    "evaluate",
    "get_win_percentages",
    "make",
    "read_configuration",
]
