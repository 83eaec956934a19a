"""Wave function collapse over a game's own levels (Gumin 2016; Karth and Smith 2017)."""

PROVIDES = {"wfc": "generator:WaveFunctionCollapseGenerator"}
"""Level generators of this package: name -> module and class."""
