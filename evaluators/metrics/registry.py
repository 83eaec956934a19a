"""The table of metrics: what each measures, in which range, and whose idea it is.

Everything that reads measurements reads this table: wishes of the user (`pcg.evaluators.targets`), archives that spread
levels over measures, tables and figures of reports, `pcg metrics`. How a metric is computed is in `text` (from the
level's text), `play` (from its winning play) and `pcg.evaluators.fitness` (from the plays of several agents).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TEXT, PLAY, AGENTS = "text", "play", "agents"
STAGES: Mapping[str, str] = {
    TEXT: "of the level's text alone; known of every level that can be read",
    PLAY: "of the winning play; known of every level that was won",
    AGENTS: "of the plays of several agents, as far as an evaluation went",
}
"""What a metric is computed from."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure of a level: a number in [`low`, `high`].

    >>> METRICS["symmetry"].range
    '0..1'
    """

    name: str
    help: str
    low: float
    high: float | None
    """None: no upper bound."""
    unit: str = ""
    source: str = ""
    """Paper, or "" for what needs none."""
    stage: str = TEXT
    """One of `STAGES`."""
    whole: bool = False
    """Whether the values are whole numbers."""

    @property
    def range(self) -> str:
        """The range as text."""
        return f"{self.low:g}.." + (f"{self.high:g}" if self.high is not None else "")


_SMITH = "Smith, Whitehead: Analyzing the Expressive Range of a Level Generator (2010)"
_NGO = "Ngo, Teo, Byrne: Modelling Interface Aesthetics (2003)"
_NIELSEN = (
    "Nielsen, Barros, Togelius, Nelson: General Video Game Evaluation Using Relative Algorithm Performance (2015)"
)
_KHALIFA = "Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (2016)"
_SURVIVAL = f"after the constraint on survival of {_KHALIFA}"
_CHARITY = "Charity, Green, Khalifa, Togelius: Mech-Elites: Illuminating the Mechanic Space of GVG-AI (2020)"
_LIAPIS = "Liapis, Yannakakis, Togelius: Towards a Generic Method of Evaluating Game Levels (2013)"
_HORN = "Horn, Dahlskog, Shaker, Smith, Togelius: A Comparative Evaluation of Procedural Level Generators (2014)"
_SHANNON = "Shannon: A Mathematical Theory of Communication (1948)"
_CHANNELS = "Bullitt et al.: Measuring Tortuosity of the Intracerebral Vasculature (2003), distance metric"

_M = Metric
_TABLE: tuple[Metric, ...] = (
    # -- the text ------------------------------------------------------------------------------------------------------
    _M("width", "columns of the level", 1, None, "cells", whole=True),
    _M("height", "rows of the level", 1, None, "cells", whole=True),
    _M("enemies", "harmful sprites that move, or bring forth what harms", 0, None, "sprites", _SMITH, whole=True),
    _M("goals", "sprites counted by an ending that wins", 0, None, "sprites", _KHALIFA, whole=True),
    _M("collectables", "sprites that the avatar takes by touching them", 0, None, "sprites", _KHALIFA, whole=True),
    _M("walls", "sprites that stop the avatar and that nothing removes", 0, None, "sprites", _KHALIFA, whole=True),
    _M("cover", "share of the cells inside the frame that are not bare", 0, 1, source=_KHALIFA),
    _M("kinds", "share of the game's kinds of sprites that occur", 0, 1, source=_KHALIFA),
    _M("density", "share of the cells inside the frame that stop the avatar for good", 0, 1, source=_HORN),
    _M("linearity", "how well a straight line fits the way from left to right", 0, 1, source=_SMITH),
    _M("leniency", "1 without dangers, one half where there is one for ten cells to walk on", 0, 1, source=_SMITH),
    _M("symmetry_horizontal", "share of what stands there whose mirror image left to right is the same", 0, 1,
       source=_NGO),
    _M("symmetry_vertical", "share of what stands there whose mirror image top to bottom is the same", 0, 1,
       source=_NGO),
    _M("symmetry_both", "share of what stands there that is the same in both mirror images", 0, 1, source=_NGO),
    _M("symmetry", "the larger of the horizontal and the vertical symmetry", 0, 1, source=_NGO),
    _M("balance", "how evenly what stands there weighs on left and right, top and bottom", 0, 1, source=_NGO),
    _M("tortuosity", "way to what must be reached, as a multiple of the way without obstacles", 1, None,
       source=_CHANNELS),
    _M("reachable", "share of the cells to walk on that the avatar can get to", 0, 1, source=_LIAPIS),
    # -- the winning play ----------------------------------------------------------------------------------------------
    _M("solution_length", "ticks of the winning play", 0, None, "ticks", _KHALIFA, PLAY, whole=True),
    _M("score", "score of the winning play", float("-inf"), None, "points", "", PLAY),
    _M("action_entropy", "how evenly the winning play uses the avatar's actions", 0, 1, source=_SHANNON, stage=PLAY),
    _M("coverage", "share of the cells within reach that the winning play visits", 0, 1, source=_LIAPIS, stage=PLAY),
    _M("pairs", "different pairs of types that meet with an effect, avatar or shot taking part", 0, None, "pairs",
       _KHALIFA, PLAY, whole=True),
    _M("variety", "the same on a scale that nears 1: one half at three pairs", 0, 1, source=_KHALIFA, stage=PLAY),
    _M("mechanics", "rules of the game that take effect in the winning play", 0, None, "rules", _CHARITY, PLAY,
       whole=True),
    _M("mechanics_share", "share of the game's rules that take effect in the winning play", 0, 1, source=_CHARITY,
       stage=PLAY),
    _M("first_danger", "tick at which danger first comes within two cells; the play's length when it never does", 0,
       None, "ticks", _SURVIVAL, PLAY, whole=True),
    # -- agents --------------------------------------------------------------------------------------------------------
    _M("playability", "1 when a capable agent wins, 0 when that is proved impossible, else how near the best came", 0,
       1, source=_KHALIFA, stage=AGENTS),
    _M("proof", "1 when a search has proved that the level can or cannot be won, 0 when agents only tried", 0, 1,
       stage=AGENTS, whole=True),
    _M("idle_ticks", "ticks that a player lives who does nothing", 0, None, "ticks", _KHALIFA, AGENTS, whole=True),
    _M("idle_death", "share of the plays of a player who does nothing that are lost", 0, 1, source=_KHALIFA,
       stage=AGENTS),
    _M("gap", "how much better the winning play is than those of weak agents", 0, 1, source=_NIELSEN, stage=AGENTS),
    _M("weak_wins", "share of the weak agents' plays that are won", 0, 1, source=_NIELSEN, stage=AGENTS),
    _M("nodes", "states that the solver visited before it found the winning play", 0, None, "states", "", AGENTS,
       whole=True),
    _M("calls", "forward-model calls that the evaluation took", 0, None, "calls", "", AGENTS, whole=True),
)  # fmt: skip

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _TABLE}
"""Every metric of a single level by name, in the order in which they are shown."""
