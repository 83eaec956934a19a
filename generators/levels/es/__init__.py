"""Evolution strategies with self-adapted numbers of edits."""

from pcg.generators.levels.es.generator import StrategyGenerator

__all__ = ["StrategyGenerator"]
