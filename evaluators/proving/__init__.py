"""Proving that levels can be won: an offline portfolio of searches whose wins are kept as replays."""

from pcg.evaluators.proving.exploration import Cells, Exploration
from pcg.evaluators.proving.methods import GameMethods, Method
from pcg.evaluators.proving.prover import BUDGET, Experience, Proof, prove

__all__ = ["BUDGET", "Cells", "Experience", "Exploration", "GameMethods", "Method", "Proof", "prove"]
