"""ConnectX in Gymnasium and PettingZoo: their own checks pass, and rewards say who has won."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

import pcg
from pcg.connectx.training import ConnectEnv, aec_env
from pcg.engine.vgdl.diagnostics import PcgError


def test_gymnasium_knows_it_and_its_check_passes() -> None:
    assert pcg.__version__
    env = gymnasium.make("pcg/ConnectX-v0", opponent="leftmost")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(render|passed and the .spec. is not none).*")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("first", [True, False])
def test_rewards_tell_who_has_won(first: bool) -> None:
    env = ConnectEnv("leftmost", first=first, render_mode="ansi")
    observation, info = env.reset(seed=1)
    assert info["mark"] == (1 if first else 2)
    assert observation.sum() == (0 if first else 1)
    assert observation[1].sum() == (0 if first else 1)
    done = False
    while not done:
        observation, reward, done, truncated, info = env.step(np.int64(6))
    assert (reward, truncated) == (1.0 if first else -1.0, False)
    assert info["action_mask"].sum() == 0
    assert "has won" in (env.render() or "")
    with pytest.raises(PcgError, match="the episode is over"):
        env.step(0)


def test_faults_end_the_episode() -> None:
    env = ConnectEnv("leftmost", first=True)
    env.reset()
    assert env.step(9)[1:4] == (-1.0, True, False)
    broken = ConnectEnv(lambda: "nothing", first=True)
    broken.reset()
    assert broken.step(0)[1:4] == (0.0, False, True)
    short = ConnectEnv("leftmost", first=True, configuration={"episodeSteps": 3})
    short.reset()
    assert short.step(0)[1:4] == (0.0, False, True)
    for bad in ({"first": 3}, {"render_mode": "film"}, {"opponent": "rndom"}):
        with pytest.raises(PcgError):
            ConnectEnv(**bad)


def test_equal_seeds_give_equal_episodes() -> None:
    def episode(seed: int) -> list[np.ndarray]:
        env = ConnectEnv("random")
        seen = [env.reset(seed=seed)[0]]
        draw, done = np.random.default_rng(seed), False
        while not done:
            mask = env._info()["action_mask"]
            observation, _, done, _, _ = env.step(draw.choice(np.flatnonzero(mask)))
            seen.append(observation)
        return seen

    assert all(np.array_equal(a, b) for a, b in zip(episode(3), episode(3), strict=True))
    assert len({len(episode(seed)) for seed in range(8)}) > 1


def test_pettingzoos_own_check_passes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(aec_env(), num_cycles=200)
        api_test(aec_env({"rows": 3, "columns": 3, "inarow": 3}), num_cycles=100)


def test_agents_take_turns_and_illegal_moves_lose() -> None:
    env = aec_env(render_mode="ansi")
    env.reset(seed=1)
    for column in (0, 1, 0, 1, 0, 1):
        assert env.observe(env.agent_selection)["action_mask"].all()
        env.step(column)
    assert env.agent_selection == "player_0"
    assert env.observe("player_1")["action_mask"].sum() == 0
    assert env.observe("player_1")["observation"][0, :, 1].sum() == 3
    env.step(0)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.render() == env.game_state.render()
    env.reset()
    env.step(7)
    assert env.rewards == {"player_0": -1.0, "player_1": 0.0}
    env.step(None)
    env.step(None)
    with pytest.raises(PcgError, match="the play is over"):
        env.step(0)
