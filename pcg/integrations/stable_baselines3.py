"""Training with Stable-Baselines3 on our vector environments: an adapter, and PPO as an entry of the learning track.

`Plays` is one of our vector environments behind the interface `VecEnv` of Stable-Baselines3 2.x, as its documentation
describes it; thousands of plays are stepped by one compiled call, without processes. Needs the extra `rl`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.learning.features import RelativeFeatures
from pcg.evaluators.learning.track import Clock, Learner

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise PcgError("this needs Stable-Baselines3: install pcg-toolkit[rl]") from error

if TYPE_CHECKING:
    import numpy.typing as npt

    from pcg.engine.envs import VectorEnv


class Plays(VecEnv):  # type: ignore[misc]
    """Our vector environment as a `VecEnv` of Stable-Baselines3.

    Observations are float32. `infos` hold `score`, `winner`, `tick` and `action_mask` of a play; where one has ended,
    also `terminal_observation`, `TimeLimit.truncated`, and `episode` with the sum of its rewards `r` and its length
    `l`, which Stable-Baselines3 logs.

    Args:
        envs: with plane observations, for one player; it must restart plays in the step in which they end (SAME_STEP).
        transform: turns planes, bool (n, planes, rows, columns), into observations (n, k), such as
            `evaluators.learning.features.RelativeFeatures`; by default planes are flattened. Levels of different sizes
            need one that does not depend on the size.
        clock: told of every tick.

    Raises:
        PcgError: another mode, another observation, or a game for two players.
    """

    def __init__(
        self, envs: VectorEnv, transform: Callable[[Any], Any] | None = None, clock: Clock | None = None
    ) -> None:
        if envs.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise PcgError('expected a vector environment with autoreset_mode="SameStep"')
        if envs.game.players != 1 or envs.observer.name != "planes":
            raise PcgError("expected a vector environment of a game for one player, with planes as observation")
        self.envs = envs
        self.clock = clock
        self._transform = transform or flattened
        self._actions: npt.NDArray[Any] = np.zeros(envs.num_envs, np.int64)
        self._gained = np.zeros(envs.num_envs)
        self._length = np.zeros(envs.num_envs, np.int64)
        blank = np.zeros((1, *envs.single_observation_space.shape), np.bool_)  # type: ignore[misc]
        size = self._observed(blank).shape[1]
        super().__init__(
            envs.num_envs, spaces.Box(0.0, 1.0, (size,), np.float32), spaces.Discrete(len(envs.actions))
        )  # fmt: skip

    def _observed(self, planes: Any) -> npt.NDArray[np.float32]:
        return np.asarray(self._transform(planes), np.float32)

    def reset(self) -> npt.NDArray[np.float32]:
        """Start all plays again, with the seed that `seed` was given if it was just called."""
        seeds = [one for one in getattr(self, "_seeds", []) if one is not None]
        planes, infos = self.envs.reset(seed=seeds if len(seeds) == self.num_envs else None)
        self._seeds: list[int | None] = [None] * self.num_envs
        self._gained[:] = self._length[:] = 0
        self.reset_infos = [self._info(infos, k) for k in range(self.num_envs)]
        return self._observed(planes)

    def _info(self, infos: dict[str, Any], k: int) -> dict[str, Any]:
        return {name: infos[name][k] for name in ("score", "winner", "tick", "action_mask")}

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take note of the actions."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Play a tick of every play; returns observations, rewards, ends and infos."""
        planes, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        if self.clock is not None:
            self.clock.spend(self.num_envs)
        ended = terminated | truncated
        self._gained += rewards
        self._length += 1
        told = [self._info(infos, k) for k in range(self.num_envs)]
        for k in np.flatnonzero(ended).tolist():
            final = infos["final_info"]
            told[k] |= {
                **{name: final[name][k] for name in ("score", "winner", "tick")},
                "terminal_observation": self._observed(infos["final_obs"][k][None])[0],
                "TimeLimit.truncated": bool(truncated[k] and not terminated[k]),
                "episode": {"r": float(self._gained[k]), "l": int(self._length[k]), "t": 0.0},
            }
        self._gained[ended] = 0.0
        self._length[ended] = 0
        return self._observed(planes), rewards.astype(np.float32), ended, told

    def close(self) -> None:
        """Give the memory of the plays back."""
        self.envs.close()

    def _which(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else list(indices)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector environment, which all plays share, once for each."""
        value = getattr(self.envs, attr_name)
        return [value for _ in self._which(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: plays have no attributes of their own."""
        raise PcgError(f"`{attr_name}` cannot be set for single plays")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Refuse: plays have no methods of their own."""
        raise PcgError(f"`{method_name}` cannot be called for single plays")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each: nothing is wrapped."""
        return [False for _ in self._which(indices)]


def flattened(planes: Any) -> Any:
    """Return observations as rows of numbers."""
    return planes.reshape(len(planes), -1)


class PPOLearner(Learner):
    """PPO of Stable-Baselines3 as an entry of the learning track, on relative features.

    Args:
        seed: of its randomness.
        radius: see `evaluators.learning.features.RelativeFeatures`.
        options: of `stable_baselines3.PPO`, beside policy, environment and seed.
    """

    def __init__(self, *, seed: int = 0, radius: int = 2, **options: Any) -> None:
        super().__init__(seed=seed)
        self.radius = radius
        # large batches: with the library's 64 of 8,192 ticks nearly all the time goes into 1,280 updates a round
        large = {"n_steps": 128, "batch_size": 2048, "n_epochs": 4, "learning_rate": 1e-3, "ent_coef": 0.01}
        self.options = {**large, **options}
        self.model: Any = None

    def learn(self, plays: VectorEnv, clock: Clock) -> None:
        """Learn until the clock is over."""
        from stable_baselines3 import PPO

        self._features = RelativeFeatures(plays.game, self.radius)
        self.model = PPO("MlpPolicy", Plays(plays, self._features, clock), seed=self.seed, **self.options)
        # the clock ends it; a callback that answers False does so between two steps
        self.model.learn(total_timesteps=1 << 40, callback=lambda local, outer: not clock.over)

    def act(self, observation: Any, mask: Any) -> int:
        """Return an action drawn by the policy that was learned."""
        action, _ = self.model.predict(self._features(observation[None]), deterministic=False)
        return int(action[0])
