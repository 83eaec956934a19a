"""Random search: points drawn evenly, the baseline that other optimisers are held against (Bergstra, Bengio 2012)."""

from __future__ import annotations

from pcg.generators.tuning.contract import Candidate, Optimiser


class RandomSearch(Optimiser):
    """Points drawn evenly."""

    name = "random"
    help = "points drawn evenly; a baseline"
    papers = ("Bergstra, Bengio: Random Search for Hyper-Parameter Optimization (2012)",)

    def ask(self, n: int) -> list[Candidate]:
        """`n` candidates."""
        return [self._candidate(self._random_point(self.rng(1, self._next)), self.name) for _ in range(n)]
