"""The front door to reinforcement learning: `env`, `vector_env` and `parallel_env`, drawn with the toolkit's tiles.

The classes behind them are in `pcg.engine.envs`. `register` makes every built-in game for one player known to
Gymnasium, as ``pcg/Boxes-v0`` for `boxes`; `import pcg` sees to it that this happens.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pcg.engine.game import Game, load
from pcg.render.colours import BACKDROP
from pcg.render.picture import painter_for
from pcg.render.terminal import render_ansi

if TYPE_CHECKING:
    from pcg.engine.envs import Env, ParallelEnv, VectorEnv
    from pcg.engine.envs.pictures import Mask, Pixels, Stamps
    from pcg.engine.envs.plays import Levels
    from pcg.engine.state import State


class TileStamps:
    """The toolkit's tiles for one game, as the engine's picture kernel asks for them (`engine.envs.pictures.Stamps`).

    The looks of a type are numbered in the order in which they are first asked for; look 0 is the one in cell (0, 0)
    of a type that does not vary.
    """

    backdrop = BACKDROP

    def __init__(self, game: Game, tile: int) -> None:
        self._tileset = painter_for(game, tile).tileset
        self._names: dict[int, list[str]] = {}
        self._varies = [
            len({self._tileset.variant(kind.id, column, row) for column in range(16) for row in range(16)}) > 1
            for kind in game.definition.types
        ]

    def _number(self, kind: int, name: str) -> int:
        names = self._names.setdefault(kind, [self._tileset.looks[kind].tile])
        if name not in names:
            names.append(name)
        return names.index(name)

    def looks(self, kind: int, column: int, row: int) -> int:
        """Grounds vary from cell to cell."""
        return self._number(kind, self._tileset.variant(kind, column, row))

    def varies(self, kind: int) -> bool:
        """Return True for a type of ground that varies."""
        return self._varies[kind]

    def below(self, kind: int) -> int:
        """The look of a wall with more wall below it, -1 for types without one."""
        name = self._tileset.below[kind]
        return self._number(kind, name) if name else -1

    def faces(self, kind: int) -> bool:
        """Return True if the tile is turned by the sprite's orientation."""
        return self._tileset.facing[kind] != "none"

    def stamp(self, kind: int, look: int, towards: str, width: int, height: int) -> tuple[Pixels, Mask | None]:
        """The tile at that size."""
        self._number(kind, self._tileset.looks[kind].tile)
        stamp = self._tileset.stamp(kind, self._names[kind][look], towards, width, height)
        return stamp.rgb, None if stamp.mask is None else np.ascontiguousarray(stamp.mask[..., 0])


class TileRenderer:
    """The pictures of `pcg.render`, painted by the compiled kernel, and its views for terminals."""

    def stamps(self, game: Game, tile: int) -> Stamps:
        """The tiles of a game."""
        return TileStamps(game, tile)

    def text(self, state: State, colour: bool) -> str:
        """Letters in colour, or plain level characters."""
        return render_ansi(state, colour)


def _game(game: Game | str | Path) -> Game:
    return game if isinstance(game, Game) else load(game)


def env(game: Game | str | Path, level: Levels = 0, *, observation: str = "planes", **options: Any) -> Env:
    """A game for one player as a Gymnasium environment.

    Args:
        game: a game, or what `pcg.load` takes.
        level: a level, or several of which each play gets one at random.
        observation: "planes", "entities", "rgb", "json" or "none".
        options: `render_mode`, `tile`, `max_ticks`, ...: see `pcg.engine.envs.Env`.

    >>> import pcg
    >>> boxes = pcg.env("boxes", render_mode="ansi")
    >>> observation, info = boxes.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = boxes.step(boxes.actions.index("LEFT"))
    >>> info["tick"], reward, terminated
    (0, 0.0, False)
    """
    from pcg.engine.envs import Env

    return Env(_game(game), level, observation=observation, **{"renderer": TileRenderer(), **options})


def vector_env(
    game: Game | str | Path, num_envs: int, level: Levels = 0, *, observation: str = "planes", **options: Any
) -> VectorEnv:
    """Many plays of a game as one Gymnasium vector environment.

    Args:
        game: a game, or what `pcg.load` takes.
        num_envs: number of plays.
        level: a level, or several of which each play gets one at random.
        observation: "planes", "entities", "rgb" or "none".
        options: `autoreset_mode`, `workers`, ...: see `pcg.engine.envs.VectorEnv`.

    >>> import pcg
    >>> plays = pcg.vector_env("boxes", 3, level=[0, 1], observation="none")
    >>> observations, infos = plays.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = plays.step([0, 1, 2])
    >>> rewards.shape
    (3,)
    """
    from pcg.engine.envs import VectorEnv

    return VectorEnv(_game(game), num_envs, level, observation=observation, **{"renderer": TileRenderer(), **options})


def parallel_env(
    game: Game | str | Path, level: Levels = 0, *, observation: str = "planes", **options: Any
) -> ParallelEnv:
    """A game for two players as a PettingZoo parallel environment; arguments as for `env`.

    >>> import pcg
    >>> match = pcg.parallel_env("duel", observation="none")
    >>> observations, infos = match.reset(seed=1)
    >>> match.agents
    ['player_0', 'player_1']
    """
    from pcg.engine.envs import ParallelEnv

    return ParallelEnv(_game(game), level, observation=observation, **{"renderer": TileRenderer(), **options})


def make_registered(game: str, **options: Any) -> Env:
    """Make a registered environment; called by `gymnasium.make`."""
    return env(game, **options)


def make_registered_vector(game: str, num_envs: int, **options: Any) -> VectorEnv:
    """Make a registered vector environment; called by `gymnasium.make_vec`."""
    limit = options.pop("max_episode_steps", None)
    if limit is not None:
        options.setdefault("max_ticks", limit)
    return vector_env(game, num_envs, **options)


__all__ = ["TileRenderer", "env", "parallel_env", "vector_env"]
