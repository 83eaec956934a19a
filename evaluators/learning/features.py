"""Features of a linear learner: the places of things, seen from its avatar.

Two kinds of binary features of the type planes (`engine.envs.observers.Planes`), for every type of sprite shown: which
of the cells around the avatar hold one, and in which direction and how far away the nearest one is. They say nothing
about the size of a level, so that what is learned on some levels holds on others. Hidden sprites are in no plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pcg.engine.kernel import layout

if TYPE_CHECKING:
    from pcg.engine.game import Game

Floats = npt.NDArray[np.float32]

_BUCKETS = np.array([1, 2, 3, 5, 9])
"""Distances (in cells, the larger of both axes) from which on a sprite counts as farther away."""
_DIRECTIONS = 9
_FAR = 1 << 20


class RelativeFeatures:
    """Binary features of a batch of plane observations, from the avatar's point of view.

    Args:
        game: the game.
        radius: cells around the avatar that are looked at, in every direction.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> features = RelativeFeatures(game)
    >>> observations, infos = pcg.vector_env(game, 3).reset(seed=1)
    >>> features(observations).shape == (3, features.count)
    True
    """

    def __init__(self, game: Game, radius: int = 2) -> None:
        from pcg.engine.envs.observers import visible_types

        tables = game.context(0).tables
        types = visible_types(tables)
        avatars = [bool(int(tables.types[t]["bits"]) & layout.T_AVATAR) for t in types]
        self.radius = radius
        self.planes = len(types)
        self._avatars = np.flatnonzero(avatars)
        """Planes of the avatar: the observations of the learning track name its type too."""
        side = 2 * radius + 1
        self._window = side * side
        self._places = _DIRECTIONS * len(_BUCKETS) + 1
        self.count = self.planes * (self._window + self._places) + 1
        """Features of an observation: window and nearest one per plane, and one that is always set."""

    def __call__(self, observations: npt.NDArray[np.bool_]) -> Floats:
        """Return the features.

        Args:
            observations: bool (n, planes, rows, columns).

        Returns:
            float32 (n, count), each 0 or 1; where there is no avatar all but the last are 0.
        """
        n, planes, _, columns = observations.shape
        shown = observations[:, self._avatars].any(1).reshape(n, -1)
        there = shown.any(1)
        y, x = np.divmod(shown.argmax(1), columns)
        found = np.zeros((n, self.count), np.float32)
        window = found[:, : planes * self._window]
        window[:] = self._around(observations, y, x)
        near = found[:, planes * self._window : -1].reshape(n, planes, self._places)
        which = self._nearest(observations, y, x)
        np.put_along_axis(near, which[..., None], 1.0, axis=2)
        found[:, planes * self._window : -1] = near.reshape(n, -1)
        found[~there] = 0.0
        found[:, -1] = 1.0
        return found

    def _around(self, observations: npt.NDArray[np.bool_], y: Any, x: Any) -> Any:
        """Occupied cells around the avatar, plane by plane: (n, planes * cells)."""
        n, r = len(observations), self.radius
        padded = np.pad(observations, ((0, 0), (0, 0), (r, r), (r, r)))
        offsets = np.arange(2 * r + 1)
        cells = padded[
            np.arange(n)[:, None, None], :, (y[:, None] + offsets)[:, :, None], (x[:, None] + offsets)[:, None, :]
        ]
        return np.moveaxis(cells, -1, 1).reshape(n, -1)

    def _nearest(self, observations: npt.NDArray[np.bool_], y: Any, x: Any) -> Any:
        """Direction and distance of the nearest sprite of each plane, as a number below `_places`: (n, planes)."""
        n, planes, rows, columns = observations.shape
        down = np.arange(rows)[None, :] - y[:, None]
        right = np.arange(columns)[None, :] - x[:, None]
        # every cell has another distance, so that argmin takes the same one whatever the size of the level
        distance = np.abs(down)[:, :, None] + np.abs(right)[:, None, :]
        own = np.where(distance == 0, _FAR - 1, distance)  # what lies under the avatar is in the window
        masked = np.where(observations, own[:, None], _FAR).reshape(n, planes, -1)
        at = masked.argmin(2)
        least = np.take_along_axis(masked, at[..., None], 2)[..., 0]
        row, column = np.divmod(at, columns)
        dy = np.take_along_axis(down, row, 1)
        dx = np.take_along_axis(right, column, 1)
        direction = 3 * (np.sign(dy) + 1) + np.sign(dx) + 1
        far = np.searchsorted(_BUCKETS, np.maximum(np.abs(dy), np.abs(dx)), side="right") - 1
        places = len(_BUCKETS) * direction + np.maximum(far, 0)
        return np.where(least >= _FAR - 1, self._places - 1, places)
