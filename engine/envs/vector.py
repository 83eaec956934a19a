"""Thousands of plays of one game as a Gymnasium vector environment, stepped in compiled code without the GIL.

Every play is a block of the kernel's memory (`pcg.engine.envs.batch`), and one call steps and observes them all. Python
sees only whole arrays, except when a play needs a larger block or, with several levels, starts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv

from pcg.engine.envs.batch import Ints, Plays
from pcg.engine.envs.observers import CompiledObserver
from pcg.engine.envs.pictures import PLAIN_TILE, CellRenderer, Renderer
from pcg.engine.envs.plays import ActionTable, Levels, SeedStreams, contexts_of
from pcg.engine.envs.single import RENDER_MODES, Screen, chosen_level, make_observer, require_positive
from pcg.engine.kernel.runtime import invoke3
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.game import Game


class VectorEnv(GymnasiumVectorEnv[Any, Any, Any]):
    """`num_envs` independent plays of one game, each like an `Env` with the seed of its own.

    After ``reset(seed=s)`` play k is what ``Env.reset(seed=s + k)`` gives, and stays so through all restarts. Rewards
    are float64 (n,), ends bool (n,), `infos` holds arrays `score`, `winner`, `tick` and `action_mask` (all plays, every
    step). A game for two players has actions, rewards, scores and winners of shape (n, 2), and masks (n, 2, actions).

    Autoreset modes: NEXT_STEP (default; the step after an end ignores the action and shows the first state of the next
    play), SAME_STEP (the step that ends a play shows the next one; the last observation and info are
    `infos["final_obs"]` and `infos["final_info"]`), DISABLED (finished plays stand still until
    ``reset(options={"reset_mask": mask})``).

    Args:
        game: the game.
        num_envs: number of plays.
        level: see `Env`.
        observation: "planes", "entities", "rgb" or "none".
        render_mode: "rgb_array", "ansi" or None; `render` gives one picture per play.
        autoreset_mode: see above.
        workers: threads that share the plays, at least 64 each. Results do not depend on their number.
        tile, max_entities, max_ticks, win_bonus, renderer: see `Env`.

    Raises:
        PcgError: an argument that does not exist, or no plays.

    >>> import pcg
    >>> envs = VectorEnv(pcg.load("boxes"), 3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape
    (3, 7, 8, 9)
    >>> observations, rewards, terminations, truncations, infos = envs.step([1, 2, 3])
    >>> rewards.shape, terminations.tolist()
    ((3,), [False, False, False])
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [mode for mode in RENDER_MODES if mode != "human"],
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: Game,
        num_envs: int,
        level: Levels = 0,
        *,
        observation: str = "planes",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        workers: int = 1,
        tile: int = PLAIN_TILE,
        max_entities: int | None = None,
        max_ticks: int | None = None,
        win_bonus: float = 0.0,
        renderer: Renderer | None = None,
    ) -> None:
        super().__init__()
        if num_envs < 1 or workers < 1:
            raise PcgError(f"num_envs={num_envs}, workers={workers}: expected at least 1 of each")
        if render_mode == "human":
            raise PcgError("a vector environment cannot be shown on the terminal: use render_mode ansi or rgb_array")
        require_positive(max_ticks)
        renderer = CellRenderer() if renderer is None else renderer
        contexts = contexts_of(game, level)
        observer = make_observer(observation, game, contexts, renderer=renderer, tile=tile, max_entities=max_entities)
        if not isinstance(observer, CompiledObserver):
            raise PcgError(f"a vector environment has no observation `{observation}`")
        self.game = game
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.observer = observer
        self._table = ActionTable(game)
        self._screen = Screen(game, contexts, render_mode, renderer, tile)
        self._plays = Plays(contexts, self._table, observer, num_envs, workers)
        self._plays.limits(max_ticks, float(win_bonus))
        self._seeds: SeedStreams | None = None
        self._done = np.zeros(num_envs, np.bool_)
        size = len(self._table)
        one = spaces.Discrete(size) if game.players == 1 else spaces.MultiDiscrete([size] * game.players)
        self.single_action_space: spaces.Space[Any] = one
        shape = [num_envs] if game.players == 1 else [num_envs, game.players]
        self.action_space = spaces.MultiDiscrete(np.full(shape, size, np.int64))
        self.single_observation_space = observer.space
        self.observation_space = observer.batch_space(num_envs)

    def __repr__(self) -> str:
        return f"<VectorEnv {self.game.name}: {self.num_envs} plays, {self.observer.name}, {len(self._table)} actions>"

    @property
    def actions(self) -> tuple[str, ...]:
        """Action names by index."""
        return self._table.names

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all plays again, or those of `options["reset_mask"]` (bool (n,)); returns observations and infos.

        Args:
            seed: play k has seed + k, or the k-th of a sequence, where None goes on as without a seed.
            options: `reset_mask`, and `level`: which of several levels.
        """
        which = self._masked(options)
        self._begin_seeds(seed, which)
        self._restart(which, chosen_level(options, len(self._plays.contexts)))
        self._done[which] = False
        self._plays.fresh[which] = 0
        self._plays.change_buffer(keep=True)
        self._plays.observe(which)
        return self._observations(), self._infos()

    def _masked(self, options: dict[str, Any] | None) -> Ints:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise PcgError(f"options['reset_mask'] must be a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise PcgError("options['reset_mask'] names no play")
        if self._seeds is None:
            raise PcgError("the first reset must be of all plays")
        return np.flatnonzero(mask)

    def _begin_seeds(self, seed: int | Sequence[int | None] | None, which: Ints) -> None:
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seeds: list[int | None] = [int(seed) + k for k in range(self.num_envs)]
        elif seed is None:
            seeds = [None] * self.num_envs
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise PcgError(f"{len(seeds)} seeds for {self.num_envs} plays")
        if self._seeds is None:
            self._seeds = SeedStreams(self.num_envs)
            drawn = self.np_random.integers(2**31, size=self.num_envs).tolist() if None in seeds else seeds
            seeds = [d if s is None else s for s, d in zip(seeds, drawn, strict=True)]
        chosen = [(i, s) for i in which.tolist() if (s := seeds[i]) is not None]
        self._seeds.begin([s for _, s in chosen], np.array([i for i, _ in chosen], np.int64))

    def _restart(self, which: Ints, level: int | None = None) -> None:
        seeds, plays = self._seeds, self._plays
        assert seeds is not None
        if len(plays.contexts) > 1 or plays.levels[0] < 0:
            chosen = np.full(len(which), level) if level is not None else seeds.levels(which, len(plays.contexts))
            for i, k in zip(which.tolist(), chosen.tolist(), strict=True):
                plays.place(i, k)
        plays.rng[which], plays.aux[which] = seeds.generators(which)
        plays.restart(which)

    def _observations(self) -> Any:
        return self.observer.unpack(self._plays.out)

    def _infos(self) -> dict[str, Any]:
        plays = self._plays
        infos: dict[str, Any] = {
            "score": self._each(plays.scores),
            "winner": self._each(plays.winners),
            "tick": plays.ticks.copy(),
            "action_mask": self._each(plays.legal),
        }
        return infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}

    def _each(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A copy, without the axis of players where there is one player."""
        return values[:, 0].copy() if self.game.players == 1 else values.copy()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play a tick of every play.

        Args:
            actions: indices, ints (n,), or (n, 2) for two players.

        Returns:
            observations, rewards, terminated, truncated, infos.

        Raises:
            PcgError: an action out of range, the wrong number of them, or no reset yet.
        """
        plays = self._plays
        if self._seeds is None:
            raise PcgError("the environment has not been reset yet")
        chosen = np.asarray(actions)
        if chosen.shape != self.action_space.shape or chosen.dtype.kind not in "iu":
            raise PcgError(f"expected integer actions of shape {self.action_space.shape}, got {chosen.shape}")
        if chosen.min() < 0 or chosen.max() >= len(self._table):
            raise PcgError(f"an action is out of range, expected 0 to {len(self._table) - 1}: {self._table.names}")
        plays.actions[:] = chosen.reshape(plays.actions.shape)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and self._done.any():
            which = np.flatnonzero(self._done)
            self._restart(which)
            plays.fresh[which] = 1
        plays.change_buffer()
        plays.step()
        rewards = self._each(plays.rewards)
        terminated, truncated = plays.terminated.astype(np.bool_), plays.truncated.astype(np.bool_)
        np.logical_or(terminated, truncated, out=self._done)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._done.any():
            return self._restart_at_once(rewards, terminated, truncated)
        return self._observations(), rewards, terminated, truncated, self._infos()

    def _restart_at_once(self, rewards: Any, terminated: Any, truncated: Any) -> tuple[Any, Any, Any, Any, Any]:
        plays, last = self._plays, self._infos()
        which = np.flatnonzero(self._done)
        final_obs = np.full(self.num_envs, None, object)
        final = plays.out[which]
        for k, i in enumerate(which.tolist()):
            final_obs[i] = self.observer.unpack(final[k].copy())
        self._restart(which)
        plays.observe(which)
        infos = self._infos()
        infos |= {"final_obs": final_obs, "_final_obs": self._done.copy()}
        final_info = {name: values for name, values in last.items() if not name.startswith("_")}
        infos["final_info"] = {**final_info, **{f"_{name}": self._done.copy() for name in final_info}}
        infos["_final_info"] = self._done.copy()
        return self._observations(), rewards, terminated, truncated, infos

    def states(self) -> list[State]:
        """A copy of the state of every play, to look at, save or search from. Their event histories are empty."""
        found = []
        for i in range(self.num_envs):
            context, address = self._plays.context(i), int(self._plays.states[i])
            state = State(self.game, context, int(context.header(address)["room"]))
            invoke3(context.copy_address, context.address, state.address, address)
            found.append(state)
        return found

    def render(self) -> tuple[Any, ...] | None:
        """A picture or text of every play, as `render_mode` says."""
        return None if self.render_mode is None else tuple(self._screen.show(state) for state in self.states())

    def close_extras(self, **kwargs: Any) -> None:
        """Give the memory of the plays back."""
        self._plays.close()
