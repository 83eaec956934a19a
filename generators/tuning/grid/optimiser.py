"""Grid search: all points of a space, one after the other."""

from __future__ import annotations

import math

from pcg.generators.tuning.contract import Candidate, Optimiser

_GOLDEN = 0.6180339887498949


class GridSearch(Optimiser):
    """All points, each once before any comes again.

    They come with a stride that is prime to their number and about the golden section of it, so that what a short
    budget has seen lies spread over the space.
    """

    name = "grid"
    help = "all points, spread over the space from the first ones on; a baseline"

    def ask(self, n: int) -> list[Candidate]:
        """`n` candidates."""
        total = math.prod(self.sizes)
        stride = max(1, round(total * _GOLDEN))
        while math.gcd(stride, total) > 1:
            stride += 1
        first = int(self.rng(0).integers(min(total, 2**62)))
        made = []
        for _ in range(n):
            number = (first + self._next * stride) % total
            point = []
            for size in self.sizes:
                number, k = divmod(number, size)
                point.append(k)
            made.append(self._candidate(point, self.name))
        return made
