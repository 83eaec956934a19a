"""Caves from cellular automata."""

from pcg.generators.levels.ca.generator import CellularGenerator

__all__ = ["CellularGenerator"]
