"""One game, one player, as a Gymnasium environment."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from pcg.engine.context import Context
from pcg.engine.envs.observers import Entities, JsonDictionary, Nothing, Observer, Planes
from pcg.engine.envs.pictures import PLAIN_TILE, CellRenderer, Pictures, Renderer
from pcg.engine.envs.plays import ActionTable, Levels, SeedStreams, contexts_of
from pcg.engine.kernel import layout as L
from pcg.engine.state import Outcome, State
from pcg.engine.vgdl.diagnostics import PcgError, nearest

if TYPE_CHECKING:
    from pcg.engine.game import Game

OBSERVATIONS = ("planes", "entities", "rgb", "json", "none")
RENDER_MODES = ("human", "rgb_array", "ansi")
HOME = "\x1b[H\x1b[2J"
"""Clears a terminal."""


def make_observer(
    name: str,
    game: Game,
    contexts: Sequence[Context],
    *,
    renderer: Renderer,
    tile: int,
    max_entities: int | None,
) -> Observer:
    """The observer of a name. Raises PcgError for an unknown one.

    >>> import pcg
    >>> from pcg.engine.envs.pictures import CellRenderer
    >>> game = pcg.load("boxes")
    >>> planes = make_observer(
    ...     "planes", game, [game.context(0)], renderer=CellRenderer(), tile=8, max_entities=None
    ... )
    >>> planes.observe(game.start(level=0, seed=1)).shape
    (7, 8, 9)
    """
    makers: dict[str, Callable[[], Observer]] = {
        "planes": lambda: Planes(contexts),
        "entities": lambda: Entities(contexts, max_entities),
        "rgb": lambda: Pictures(contexts, renderer.stamps(game, tile), tile),
        "json": lambda: JsonDictionary(game, contexts),
        "none": lambda: Nothing(contexts),
    }
    if name not in makers:
        close = nearest(name, OBSERVATIONS)
        hint = f"; did you mean `{close}`?" if close else ""
        raise PcgError(f"unknown observation `{name}`, expected one of {', '.join(OBSERVATIONS)}{hint}")
    return makers[name]()


class Screen:
    """The three render modes."""

    def __init__(
        self, game: Game, contexts: Sequence[Context], mode: str | None, renderer: Renderer, tile: int
    ) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise PcgError(f"unknown render mode `{mode}`, expected one of {', '.join(RENDER_MODES)}, or none")
        self.mode = mode
        self._renderer = renderer
        self._pictures = Pictures(contexts, renderer.stamps(game, tile), tile) if mode == "rgb_array" else None

    def show(self, state: State) -> Any:
        """Return pixels (`rgb_array`), text (`ansi`), or None, after printing (`human`) or without a render mode."""
        if self._pictures is not None:
            return self._pictures.paint(state)
        if self.mode == "ansi":
            return self._renderer.text(state, False) + "\n"
        if self.mode == "human":
            terminal = sys.stdout.isatty()
            print((HOME if terminal else "") + self._renderer.text(state, terminal), flush=True)
        return None


def avatar_type(state: State, player: int = 0) -> int:
    """Type id of a player's avatar that can act, -1 when the game is over or there is none."""
    header = state.header
    slot = header.avatar1 if player else header.avatar0
    if slot < 0 or header.ended:
        return -1
    place = state.address + header.at_sprites + slot * state.context.tables.stride
    return int(ctypes.c_int16.from_address(place + _TYPE_AT).value)


class Env(gymnasium.Env[Any, Any]):
    """A single-player game.

    Observations are as `observation` says (`docs/environments.md`). Actions are indices into `actions`, NIL first; what
    the avatar cannot do counts as NIL. The reward is the change of the score, plus `win_bonus` for a win and minus
    `win_bonus` for a loss. `terminated` tells that the game has ended, in whatever way (`info["winner"]`), the
    reference's limit of 2,000 ticks included; `truncated`, that `max_ticks` were played before it did.

    ``reset(seed=s)`` starts exactly ``game.start(level, s)``; resets without a seed go on from there, the same plays
    after the same seed. ``info`` holds `score`, `winner`, `tick` and `action_mask`.

    Args:
        game: a game for one player.
        level: a level of it, or several: then every play gets one of them at random, and observations are as large
            as the largest of them needs.
        observation: "planes", "entities", "rgb", "json" or "none".
        render_mode: "rgb_array", "ansi", "human" (prints to the terminal) or None.
        tile: pixels per cell of pictures.
        max_entities: rows of an entity list; by default half as many again as the level starts with, and 32.
        max_ticks: plays are cut after so many ticks; by default they are not.
        win_bonus: see above.
        renderer: what draws pictures and text.

    >>> import pcg
    >>> env = Env(pcg.load("boxes"))
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, env.actions
    ((7, 8, 9), ('NIL', 'UP', 'LEFT', 'DOWN', 'RIGHT'))
    >>> observation, reward, terminated, truncated, info = env.step(env.actions.index("UP"))
    >>> reward, terminated, truncated, info["tick"]
    (0.0, False, False, 0)

    Raises:
        PcgError: a game for two players, or an argument that does not exist.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 20}  # type: ignore[misc]

    def __init__(
        self,
        game: Game,
        level: Levels = 0,
        *,
        observation: str = "planes",
        render_mode: str | None = None,
        tile: int = PLAIN_TILE,
        max_entities: int | None = None,
        max_ticks: int | None = None,
        win_bonus: float = 0.0,
        renderer: Renderer | None = None,
    ) -> None:
        if game.players != 1:
            raise PcgError(f"{game.name} is for {game.players} players: use `pcg.parallel_env`")
        require_positive(max_ticks)
        renderer = CellRenderer() if renderer is None else renderer
        self.game = game
        self.render_mode = render_mode
        self.max_ticks = max_ticks
        self.win_bonus = float(win_bonus)
        self._contexts = contexts_of(game, level)
        self._table = ActionTable(game)
        self._observer = make_observer(
            observation, game, self._contexts, renderer=renderer, tile=tile, max_entities=max_entities
        )
        self._screen = Screen(game, self._contexts, render_mode, renderer, tile)
        self._seeds: SeedStreams | None = None
        self._state: State | None = None
        self._score = 0.0
        self.action_space = spaces.Discrete(len(self._table))
        self.observation_space = self._observer.space

    def __repr__(self) -> str:
        return f"<Env {self.game.name}: {self._observer.name}, {len(self._table)} actions>"

    @property
    def actions(self) -> tuple[str, ...]:
        """Action names by index."""
        return self._table.names

    @property
    def observer(self) -> Observer:
        """Observer that makes the observations; of type planes it knows the names (`observer.names`)."""
        return self._observer

    @property
    def state(self) -> State:
        """The state being played. Raises PcgError before the first reset."""
        if self._state is None:
            raise PcgError("the environment has not been reset yet")
        return self._state

    def _info(self) -> dict[str, Any]:
        state = self.state
        header = state.header
        return {
            "score": self._score,
            "winner": header.win0,
            "tick": header.tick,
            "action_mask": self._table.legal[avatar_type(state)].copy(),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a play; `options={"level": k}` picks the k-th of several levels. Returns observation and info."""
        super().reset(seed=seed)
        if self._seeds is None or seed is not None:
            self._seeds = SeedStreams(1)
            self._seeds.begin([int(self.np_random.integers(2**31)) if seed is None else seed], _ONLY)
        index = chosen_level(options, len(self._contexts))
        if index is None:
            index = int(self._seeds.levels(_ONLY, len(self._contexts))[0])
        self._state = self.game.start(self._contexts[index].level, self._seeds.seeds(_ONLY)[0])
        self._score = float(self._state.score)
        if self.render_mode == "human":
            self.render()
        return self._observer.observe(self._state), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a tick. Returns observation, reward, terminated, truncated, info. A finished game stays as it is."""
        state = self.state
        code = self._table.code(int(action))
        already_over = state.is_over
        state.advance(code)
        header = state.header
        score, terminated = header.score0, header.ended != 0
        reward, self._score = score - self._score, score
        if terminated and not already_over:
            reward += bonus(header.win0, self.win_bonus)
        truncated = not terminated and self.max_ticks is not None and header.tick + 1 >= self.max_ticks
        if self.render_mode == "human":
            self.render()
        return self._observer.observe(state), reward, terminated, truncated, self._info()

    def render(self) -> Any:
        """The state as `render_mode` says."""
        return self._screen.show(self.state)


_ONLY = np.zeros(1, np.int64)
_TYPE_AT: int = L.SPRITE.fields["type"][1]  # type: ignore[index]


def require_positive(max_ticks: int | None) -> None:
    """Raise PcgError for a limit below 1."""
    if max_ticks is not None and max_ticks < 1:
        raise PcgError(f"max_ticks={max_ticks}: expected at least 1, or None for no limit")


def chosen_level(options: dict[str, Any] | None, count: int) -> int | None:
    """The index that the reset options name, if they do. Raises PcgError when there is no such level."""
    index = (options or {}).get("level")
    if index is not None and not 0 <= int(index) < count:
        raise PcgError(f"the environment has {count} level(s), no number {index}")
    return None if index is None else int(index)


def bonus(winner: int, amount: float) -> float:
    """Return the reward for the end of a game."""
    return amount if winner == Outcome.PLAYER_WINS else -amount if winner == Outcome.PLAYER_LOSES else 0.0
