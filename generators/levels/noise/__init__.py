"""Terrains from noise, fractals, growth, digging agents and space partition (Shaker et al. 2016, ch. 3 and 4)."""

PROVIDES = {
    "noise": "generator:NoiseGenerator",
    "midpoint": "generator:MidpointGenerator",
    "growth": "generator:GrowthGenerator",
    "diggers": "generator:DiggerGenerator",
    "bsp": "generator:SpacePartitionGenerator",
}
"""Level generators of this package: name -> module and class."""
