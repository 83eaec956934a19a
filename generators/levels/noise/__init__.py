"""Terrains from noise, fractals, growth, digging agents and space partition (Shaker et al. 2016, ch. 3 and 4)."""

from pcg.generators.levels.noise.generator import (
    DiggerGenerator,
    GrowthGenerator,
    MidpointGenerator,
    NoiseGenerator,
    PartitionGenerator,
)

__all__ = ["DiggerGenerator", "GrowthGenerator", "MidpointGenerator", "NoiseGenerator", "PartitionGenerator"]
