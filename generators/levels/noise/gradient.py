"""Gradient noise over whole arrays: Perlin noise, simplex noise, and their fractal sums.

Values lie in [-1, 1], are 0 at lattice points and change smoothly between them. A `Lattice` is one noise function,
decided by the random numbers it is built with; the same function can be asked for any coordinates.

Perlin: Improving noise (SIGGRAPH 2002). Perlin: Noise hardware (2001) for simplex noise, whose two-dimensional form
follows Gustavson: Simplex noise demystified (2005). Fractal sums: Musgrave in Ebert et al.: Texturing and Modeling
(2003), chapter 16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]

_PERIOD = 256
_SKEW = (np.sqrt(3.0) - 1.0) / 2.0
"""Turns the grid of squares into one of triangles, so that each cell has three corners instead of four."""
_UNSKEW = (3.0 - np.sqrt(3.0)) / 6.0
_PERLIN_SCALE = np.sqrt(2.0)
"""Two-dimensional Perlin noise with unit gradients reaches 1 / sqrt(2)."""
_SIMPLEX_SCALE = 99.2
"""Simplex noise with unit gradients and kernel (1/2 - r^2)^4 is at most 1 / 99.204, if all gradients pull one way."""


class Lattice:
    """Random unit gradients at the points of a lattice, the same again after 256 points in either direction."""

    def __init__(self, rng: np.random.Generator) -> None:
        order = rng.permutation(_PERIOD)
        self._order = np.concatenate([order, order])
        angles = rng.uniform(0.0, 2.0 * np.pi, _PERIOD)
        self._gradients = np.stack([np.cos(angles), np.sin(angles)])

    def slope(self, x: NDArray[np.int64], y: NDArray[np.int64], dx: Field, dy: Field) -> Field:
        """Return the height of the plane with the gradient of lattice point (x, y), at the offset (dx, dy) from it."""
        chosen = self._order[self._order[x % _PERIOD] + y % _PERIOD]
        result: Field = self._gradients[0, chosen] * dx + self._gradients[1, chosen] * dy
        return result


def perlin(lattice: Lattice, x: Field, y: Field) -> Field:
    """Perlin noise at coordinates x and y (arrays of one shape); one lattice cell per unit."""
    cx, cy = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    dx, dy = x - cx, y - cy
    fade_x, fade_y = _fade(dx), _fade(dy)
    above = _mix(fade_x, lattice.slope(cx, cy, dx, dy), lattice.slope(cx + 1, cy, dx - 1.0, dy))
    below = _mix(fade_x, lattice.slope(cx, cy + 1, dx, dy - 1.0), lattice.slope(cx + 1, cy + 1, dx - 1.0, dy - 1.0))
    result: Field = _PERLIN_SCALE * _mix(fade_y, above, below)
    return result


def simplex(lattice: Lattice, x: Field, y: Field) -> Field:
    """Simplex noise at coordinates x and y (arrays of one shape)."""
    skew = (x + y) * _SKEW
    cx, cy = np.floor(x + skew), np.floor(y + skew)
    unskew = (cx + cy) * _UNSKEW
    x0, y0 = x - (cx - unskew), y - (cy - unskew)
    lower = x0 > y0  # in which of the two triangles of the square
    step_x, step_y = lower.astype(np.float64), (~lower).astype(np.float64)
    total = np.zeros(x.shape)
    corners = (
        (np.zeros(x.shape), np.zeros(x.shape), 0.0),
        (step_x, step_y, _UNSKEW),
        (np.ones(x.shape), np.ones(x.shape), 2.0 * _UNSKEW),
    )
    for sx, sy, back in corners:
        dx, dy = x0 - sx + back, y0 - sy + back
        kernel = np.maximum(0.0, 0.5 - dx * dx - dy * dy) ** 4
        total += kernel * lattice.slope((cx + sx).astype(np.int64), (cy + sy).astype(np.int64), dx, dy)
    return _SIMPLEX_SCALE * total


BASES: Mapping[str, Callable[[Lattice, Field, Field], Field]] = {"perlin": perlin, "simplex": simplex}
"""The noise functions by name."""
FRACTALS = ("sum", "billow", "ridges")
"""Ways to add octaves: as they are, their absolute values (rounded hills), or those upside down (sharp ridges)."""


def fractal(
    rng: np.random.Generator, shape: tuple[int, int], *, basis: str = "perlin", scale: float = 6.0, octaves: int = 3,
    persistence: float = 0.5, lacunarity: float = 2.0, kind: str = "sum",
) -> Field:  # fmt: skip
    """A fractal sum of noise over a grid.

    Args:
        rng: decides the noise; equal generators give equal noise.
        shape: (height, width) in cells.
        basis: "perlin" or "simplex".
        scale: cells per lattice cell of the first octave.
        octaves: how many layers are added.
        persistence: amplitude of each octave over that of the one before it.
        lacunarity: frequency of each octave over that of the one before it.
        kind: one of `FRACTALS`.

    Returns:
        Values in [-1, 1], shape `shape`.

    >>> import numpy as np
    >>> field = fractal(np.random.default_rng(1), (4, 6))
    >>> field.shape, bool(abs(field).max() <= 1)
    ((4, 6), True)
    """
    height, width = shape
    rows, columns = np.indices((height, width), dtype=np.float64)
    total, reach = np.zeros(shape), 0.0
    amplitude, frequency = 1.0, 1.0 / scale
    for _ in range(octaves):
        lattice = Lattice(rng)
        # Each octave lies elsewhere, so that no cell is a lattice point (where noise is 0) of all of them.
        shift_x, shift_y = rng.uniform(0.0, float(_PERIOD), 2)
        layer = BASES[basis](lattice, columns * frequency + shift_x, rows * frequency + shift_y)
        if kind == "billow":
            layer = 2.0 * np.abs(layer) - 1.0
        elif kind == "ridges":
            layer = 1.0 - 2.0 * np.abs(layer)
        total += amplitude * layer
        reach += amplitude
        amplitude *= persistence
        frequency *= lacunarity
    return total / reach


def _fade(t: Field) -> Field:
    """Perlin's curve from 0 to 1 whose first and second derivatives are 0 at both ends."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def _mix(t: Field, a: Field, b: Field) -> Field:
    return a + t * (b - a)
