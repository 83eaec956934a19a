"""The adapter for Stable-Baselines3 against its documented interface, with a stand-in and, if it is there, the library.

The stand-in has what the documentation of `VecEnv` (2.x) says: the constructor, the abstract methods, `step` made of
`step_async` and `step_wait`, and `seed`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.learning import LearningTrack, run_track
from pcg.evaluators.learning.features import RelativeFeatures

MODULE = "pcg.integrations.stable_baselines3"


class VecEnv(ABC):
    """A stand-in for the vector environment of Stable-Baselines3."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._seeds: list[int | None] = [None for _ in range(num_envs)]
        self.render_mode = self.get_attr("render_mode")[0]

    @abstractmethod
    def reset(self) -> Any: ...

    @abstractmethod
    def step_async(self, actions: Any) -> None: ...

    @abstractmethod
    def step_wait(self) -> Any: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]: ...

    @abstractmethod
    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None: ...

    @abstractmethod
    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]: ...

    @abstractmethod
    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]: ...

    def step(self, actions: Any) -> Any:
        self.step_async(actions)
        return self.step_wait()

    def seed(self, seed: int) -> list[int | None]:
        self._seeds = [seed + k for k in range(self.num_envs)]
        return self._seeds


class PPO:
    """Acts at random for as long as the callback says; its policy is the best action so far."""

    def __init__(self, policy: str, env: Any, *, seed: int, **options: Any) -> None:
        self.env, self.rng, self.options = env, np.random.default_rng(seed), options

    def learn(self, total_timesteps: int, callback: Any) -> None:
        actions = self.env.action_space.n
        gained = np.zeros(actions)
        self.env.reset()
        while callback({}, {}):
            chosen = self.rng.integers(actions, size=self.env.num_envs)
            observations, rewards, _, _ = self.env.step(chosen)
            assert observations.dtype == rewards.dtype == np.float32
            np.add.at(gained, chosen, rewards)
        self.best = int(gained.argmax())

    def predict(self, observation: Any, deterministic: bool) -> tuple[Any, None]:
        assert observation.shape == (1, *self.env.observation_space.shape)
        return np.array([self.best]), None


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import the adapter on the stand-in."""
    top, common, vec_env = (ModuleType(f"stable_baselines3{rest}") for rest in ("", ".common", ".common.vec_env"))
    vec_env.VecEnv, top.PPO = VecEnv, PPO  # type: ignore[attr-defined]
    for module in (top, common, vec_env):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    yield importlib.import_module(MODULE)
    sys.modules.pop(MODULE, None)


def plays_of(game: str, count: int, **about: Any) -> Any:
    return pcg.vector_env(game, count, autoreset_mode="SameStep", **about)


def test_observations_rewards_and_ends_are_those_of_our_environment(adapter: Any) -> None:
    ours, wrapped = plays_of("hunt", 4, max_ticks=25), adapter.Plays(plays_of("hunt", 4, max_ticks=25))
    wrapped.seed(5)
    planes, _ = ours.reset(seed=5)
    seen = wrapped.reset()
    assert seen.shape == (4, *wrapped.observation_space.shape) and wrapped.action_space.n == len(ours.actions)
    assert np.array_equal(seen, planes.reshape(4, -1))
    rng = np.random.default_rng(1)
    gained, ends = np.zeros(4), 0
    for _ in range(60):
        actions = rng.integers(len(ours.actions), size=4)
        planes, rewards, terminated, truncated, infos = ours.step(actions)
        seen, got, ended, told = wrapped.step(actions)
        assert np.array_equal(seen, planes.reshape(4, -1)) and wrapped.observation_space.contains(seen[0])
        assert np.allclose(got, rewards) and np.array_equal(ended, terminated | truncated)
        gained += rewards
        for k in np.flatnonzero(ended):
            ends += 1
            assert np.array_equal(told[k]["terminal_observation"], infos["final_obs"][k].reshape(-1))
            assert told[k]["TimeLimit.truncated"] == (truncated[k] and not terminated[k])
            assert told[k]["episode"]["r"] == pytest.approx(gained[k]) and told[k]["episode"]["l"] <= 25
            gained[k] = 0
    assert ends >= 8
    wrapped.close()


def test_what_single_plays_do_not_have_is_refused(adapter: Any) -> None:
    wrapped = adapter.Plays(plays_of("boxes", 3))
    assert wrapped.get_attr("actions", [0, 2]) == [wrapped.envs.actions] * 2
    assert wrapped.env_is_wrapped(object) == [False] * 3
    with pytest.raises(PcgError, match="cannot be set"):
        wrapped.set_attr("level", 1)
    with pytest.raises(PcgError, match="SameStep"):
        adapter.Plays(pcg.vector_env("boxes", 2))
    with pytest.raises(PcgError, match="planes"):
        adapter.Plays(plays_of("boxes", 2, observation="entities"))


def test_a_policy_is_trained_until_the_clock_is_over_and_plays_the_track(adapter: Any) -> None:
    game = pcg.load("crossing")
    learner = adapter.PPOLearner(seed=1, learning_rate=2e-3)
    track = LearningTrack(seconds=None, steps=3200, plays=2, max_ticks=60, parallel=8)
    done = run_track(game, learner, track, seed=3)
    assert done.steps == 3200 and len(done.plays) == 4
    assert learner.model.options.items() >= {"n_steps": 128, "ent_coef": 0.01, "learning_rate": 2e-3}.items()
    assert learner.model.env.observation_space.shape == (RelativeFeatures(game).count,)


@pytest.mark.skipif(importlib.util.find_spec("stable_baselines3") is not None, reason="the library is there")
def test_without_the_library_the_extra_is_named() -> None:
    sys.modules.pop(MODULE, None)
    with pytest.raises(PcgError, match=r"pcg-toolkit\[rl\]"):
        importlib.import_module(MODULE)


def test_the_library_itself_trains() -> None:
    pytest.importorskip("stable_baselines3")
    adapter = importlib.import_module(MODULE)
    track = LearningTrack(seconds=None, steps=4096, plays=1, max_ticks=60, parallel=8)
    done = run_track(pcg.load("crossing"), adapter.PPOLearner(seed=1), track)
    assert done.steps >= 4096 and len(done.plays) == 2
