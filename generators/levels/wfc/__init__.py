"""Wave function collapse over a game's own levels (Gumin 2016; Karth and Smith 2017)."""

from pcg.generators.levels.wfc.generator import CollapseGenerator
from pcg.generators.levels.wfc.patterns import Patterns, learn
from pcg.generators.levels.wfc.solve import solve

__all__ = ["CollapseGenerator", "Patterns", "learn", "solve"]
