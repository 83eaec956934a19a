"""The front door to environments: tiles in pictures, ids in Gymnasium, whoever is imported first."""

from __future__ import annotations

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import pcg
import pcg.envs
import pcg.gymnasium_ids
from pcg.engine.game import builtin_games
from pcg.gymnasium_ids import environment_id, single_player_games
from pcg.render import rgb_array

IDS = sorted(environment_id(name) for name in single_player_games())


def test_every_built_in_game_for_one_player_has_an_id() -> None:
    assert {environment_id(name) for name in builtin_games() if pcg.load(name).players == 1} == set(IDS)
    assert "pcg/Boxes-v0" in IDS


@pytest.mark.parametrize("name", IDS)
def test_registered_games_keep_the_contract_in_every_render_mode(name: str) -> None:
    env = gymnasium.make(name).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize("order", ["pcg, gymnasium", "gymnasium, pcg"])
def test_ids_are_known_in_whatever_order_the_packages_come(order: str) -> None:
    program = f"""
import sys, {order}
heavy = [m for m in ("numba", "lark", "pcg.engine.game", "pcg.render") if m in sys.modules]
env = gymnasium.make("pcg/Dungeon-v0", level=1, observation="entities")
print(heavy, env.reset(seed=1)[1]["tick"], env.unwrapped.game.name)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "-1", "dungeon"]


def test_asking_whether_gymnasium_is_there_does_not_lose_the_ids() -> None:
    program = """
import importlib.util, sys, pcg
assert importlib.util.find_spec("gymnasium") is not None
import gymnasium
print("pcg/Boxes-v0" in gymnasium.registry, [type(f).__name__ for f in sys.meta_path].count("_WhenImported"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]


def test_gymnasium_makes_vector_environments_too() -> None:
    envs = gymnasium.make_vec("pcg/Dungeon-v0", num_envs=3)
    observations, _ = envs.reset(seed=1)
    assert isinstance(envs.unwrapped, pcg.engine.envs.VectorEnv) and len(observations) == 3
    slow = gymnasium.make_vec("pcg/Dungeon-v0", num_envs=3, vectorization_mode="sync")
    assert np.array_equal(slow.reset(seed=1)[0], observations)


@pytest.mark.parametrize("tile", [16, 7, 24])
@pytest.mark.parametrize("name", sorted(builtin_games()))
def test_pictures_are_those_of_the_renderer(name: str, tile: int) -> None:
    """Tiles, their variants and directions, sizes that do not divide, and the edges: byte for byte."""
    game = pcg.load(name)
    make = pcg.env if game.players == 1 else pcg.parallel_env
    env = make(game, observation="rgb", tile=tile)
    env.reset(seed=2)
    draw = np.random.default_rng(2)
    for step in range(30):
        if game.players == 1:
            observation, _, over, _, _ = env.step(int(draw.integers(len(env.actions))))
            state = env.state
        else:
            results = env.step({agent: int(draw.integers(len(env.actions))) for agent in env.agents})
            observation, over, state = results[0]["player_0"], not env.agents, env.game_state
        if step % 6 == 0:
            assert np.array_equal(observation, rgb_array(state, tile=tile))
        if over:
            break


def test_text_is_that_of_the_level() -> None:
    env = pcg.env("boxes", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == pcg.load("boxes").levels[0].rstrip("\n") + "\n"


def test_batches_show_the_same_pictures() -> None:
    envs = pcg.vector_env("dungeon", 3, observation="rgb")
    observations, _ = envs.reset(seed=1)
    for observation, state in zip(observations, envs.states(), strict=True):
        assert np.array_equal(observation, rgb_array(state))


def test_a_game_may_be_a_name_a_text_or_a_game() -> None:
    text = "BasicGame\n  SpriteSet\n    avatar > MovingAvatar\n  LevelMapping\n    A > avatar\n"
    assert pcg.env("boxes").game.name == "boxes"
    assert pcg.env(pcg.load("boxes")).game.name == "boxes"
    assert pcg.env(text, level="A.").actions == ("NIL", "UP", "LEFT", "DOWN", "RIGHT")
