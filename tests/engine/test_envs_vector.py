"""Many plays at once: each is what the single environment plays, however they restart, grow or share threads."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from texts import BREEDERS, BREEDERS_LEVEL, PUSH, PUSH_LEVEL, game

from pcg.engine.envs import Env, VectorEnv
from pcg.engine.game import Game, load
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError

SMALL = "wwwww\nwA..w\nw.bow\nwwwww"


def same(a: object, b: object) -> bool:
    if isinstance(a, dict):
        return all(same(a[key], b[key]) for key in a)  # type: ignore[index]
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


def nth(batch: object, k: int) -> object:
    return {key: value[k] for key, value in batch.items()} if isinstance(batch, dict) else batch[k]  # type: ignore[index]


def compare(game: Game, n: int, steps: int, seed: int, **options: object) -> int:
    """Play a batch beside `n` single environments; returns how many plays have ended."""
    batch = VectorEnv(game, n, **options)  # type: ignore[arg-type]
    single = [Env(game, **{k: v for k, v in options.items() if k != "workers"}) for _ in range(n)]  # type: ignore[arg-type]
    observations, infos = batch.reset(seed=seed)
    for k, env in enumerate(single):
        observation, info = env.reset(seed=seed + k)
        assert same(observation, nth(observations, k))
        assert same(info["action_mask"], infos["action_mask"][k])
    done, ended = [False] * n, 0
    draw = np.random.default_rng(seed)
    for _ in range(steps):
        actions = draw.integers(len(batch.actions), size=n)
        observations, rewards, terminated, truncated, infos = batch.step(actions)
        for k, env in enumerate(single):
            if done[k]:
                observation, info = env.reset()
                reward, end, cut = 0.0, False, False
            else:
                observation, reward, end, cut, info = env.step(actions[k])
            done[k] = end or cut
            ended += done[k]
            assert same(observation, nth(observations, k))
            assert (reward, end, cut) == (rewards[k], terminated[k], truncated[k])
            assert all(same(info[key], infos[key][k]) and infos[f"_{key}"][k] for key in info)
    batch.close()
    return ended


@pytest.mark.parametrize("observation", ["planes", "entities", "rgb", "none"])
def test_each_play_is_the_single_environment_with_its_seed(observation: str) -> None:
    assert compare(load("dungeon"), 5, 150, seed=3, observation=observation, max_ticks=60) >= 5


def test_restarts_and_levels_are_drawn_as_in_the_single_environment() -> None:
    assert compare(game(PUSH, SMALL, PUSH_LEVEL), 6, 120, seed=9, level=[0, 1], win_bonus=2.0) >= 12


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    found = []
    for workers in (1, 2):
        batch = VectorEnv(load("dungeon"), 160, workers=workers)
        batch.reset(seed=4)
        draw = np.random.default_rng(4)
        steps = [batch.step(draw.integers(len(batch.actions), size=160)) for _ in range(40)]
        found.append([(s[0].tobytes(), s[1].tobytes(), s[2].tobytes()) for s in steps])
        batch.close()
    assert found[0] == found[1]


def test_plays_that_outgrow_their_blocks_go_on_in_larger_ones() -> None:
    breeders = game(BREEDERS, BREEDERS_LEVEL)
    assert compare(breeders, 3, 130, seed=1) == 0
    batch = VectorEnv(breeders, 3)
    batch.reset(seed=1)
    for _ in range(100):
        batch.step(np.zeros(3, np.int64))
    assert [len(state.sprites("bee")) > 200 for state in batch.states()] == [True] * 3


def test_a_play_that_has_grown_restarts_small_and_right() -> None:
    assert compare(game(BREEDERS, BREEDERS_LEVEL), 2, 150, seed=2, max_ticks=70) == 4


# --- autoreset ---


def losing(mode: AutoresetMode) -> VectorEnv:
    batch = VectorEnv(game(PUSH, PUSH_LEVEL), 2, autoreset_mode=mode)
    batch.reset(seed=1)
    for _ in range(50):
        assert not batch.step(np.zeros(2, np.int64))[2].any()
    return batch


def test_the_next_step_restarts_and_ignores_the_action() -> None:
    batch = losing(AutoresetMode.NEXT_STEP)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    _, _, terminated, _, infos = batch.step(np.zeros(2, np.int64))
    assert terminated.all() and (infos["winner"] == Outcome.PLAYER_LOSES).all() and (infos["tick"] == 50).all()
    _, rewards, terminated, _, infos = batch.step(np.array([1, 4]))
    assert not rewards.any() and not terminated.any() and (infos["tick"] == -1).all()
    assert (batch.step(np.array([1, 4]))[4]["tick"] == 0).all()


def test_the_same_step_restarts_and_keeps_the_last_observation() -> None:
    batch = losing(AutoresetMode.SAME_STEP)
    batch.reset(seed=1, options={"reset_mask": np.array([True, False])})
    observations, _, terminated, _, infos = batch.step(np.array([4, 0]))
    assert terminated.tolist() == [False, True] == infos["_final_obs"].tolist()
    assert infos["tick"].tolist() == [0, -1]
    assert infos["final_info"]["tick"][1] == 50 and infos["final_info"]["winner"][1] == Outcome.PLAYER_LOSES
    assert infos["final_obs"][0] is None and infos["final_obs"][1] in batch.single_observation_space
    avatar = batch.observer.names.index("avatar")
    assert np.argwhere(observations[0, avatar]).tolist() == [[1, 2]]
    assert np.argwhere(observations[1, avatar]).tolist() == [[1, 1]]


def test_without_autoreset_a_finished_play_stands_still_until_it_is_reset() -> None:
    batch = VectorEnv(game(PUSH, SMALL), 2, autoreset_mode="Disabled", win_bonus=5)
    batch.reset(seed=1)
    down, right = batch.actions.index("DOWN"), batch.actions.index("RIGHT")
    batch.step(np.array([down, 0]))
    _, rewards, terminated, _, _ = batch.step(np.array([right, 0]))
    assert rewards.tolist() == [6.0, 0.0] and terminated.tolist() == [True, False]
    _, rewards, terminated, _, infos = batch.step(np.array([right, 0]))
    assert rewards.tolist() == [0.0, 0.0] and terminated.tolist() == [True, False]
    assert infos["tick"].tolist() == [1, 2]
    _, infos = batch.reset(options={"reset_mask": np.array([True, False])})
    assert infos["tick"].tolist() == [-1, 2]
    assert not batch.step(np.array([right, 0]))[2].any()


# --- interface ---


def test_spaces_hold_what_comes_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for observation in ("planes", "entities", "rgb", "none"):
            batch = VectorEnv(load("dungeon"), 3, observation=observation)
            observations, _ = batch.reset(seed=0)
            assert observations in batch.observation_space
            batch.action_space.seed(0)
            observations, rewards, terminated, truncated, _ = batch.step(batch.action_space.sample())
            assert observations in batch.observation_space
            assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
            assert rewards.shape == terminated.shape == truncated.shape == (3,)


def test_observations_stay_as_they_are_and_memory_is_used_again() -> None:
    batch = VectorEnv(load("dungeon"), 4)
    draw = np.random.default_rng(1)
    held = [batch.reset(seed=0)[0]]
    copies = [held[0].copy()]
    for _ in range(20):
        held.append(batch.step(draw.integers(6, size=4))[0][1:])  # a part is enough to hold it
        copies.append(held[-1].copy())
    assert all(np.array_equal(a, b) for a, b in zip(held, copies, strict=True))
    del held
    seen = {batch.step(draw.integers(6, size=4))[0].ctypes.data for _ in range(50)}
    assert len(seen) <= 4


def test_seeds_may_be_a_list() -> None:
    batch = VectorEnv(load("dungeon"), 3)
    batch.reset(seed=[7, 5, 7])
    assert [state.rng for state in batch.states()] == [load("dungeon").start(0, s).rng for s in (7, 5, 7)]
    with pytest.raises(PcgError, match="2 seeds for 3 plays"):
        batch.reset(seed=[1, 2])
    before = [state.rng for state in batch.states()]
    batch.reset(seed=[None, 5, None])
    after = [state.rng for state in batch.states()]
    assert after[1] == before[1] and after[0] == after[2] != before[0]


def test_states_are_independent_copies() -> None:
    batch = VectorEnv(load("dungeon"), 2)
    batch.reset(seed=1)
    copies = batch.states()
    for _ in range(5):
        batch.step(np.array([1, 2]))
    assert [state.tick for state in copies] == [-1, -1] and [s.tick for s in batch.states()] == [4, 4]
    copies[0].advance("LEFT")
    assert copies[0].tick == 0


def test_rendering_gives_a_picture_for_each_play() -> None:
    batch = VectorEnv(load("boxes"), 2, render_mode="rgb_array", tile=4)
    batch.reset(seed=1)
    pictures = batch.render()
    state = batch.states()[0]
    assert len(pictures) == 2 and pictures[0].shape == (state.height * 4, state.width * 4, 3)
    assert VectorEnv(load("boxes"), 2).render() is None


@pytest.mark.parametrize("closed", [True, False])
def test_memory_is_given_back(closed: bool) -> None:
    boxes = load("boxes")
    context = boxes.context(0)
    arena = context.arena(context.room)
    batch = VectorEnv(boxes, 100)
    batch.reset(seed=1)
    taken = len(arena.free)
    if closed:
        batch.close()
    del batch
    gc.collect()
    assert len(arena.free) == taken + 101 == len(set(arena.free))  # and one that the plays shared


def test_a_game_for_two_has_an_axis_of_players() -> None:
    text = """BasicGame no_players=2 square_size=10
        SpriteSet
            one > MovingAvatar
            two > MovingAvatar
        InteractionSet
            one two > killSprite scoreChange=-1,2
        LevelMapping
            a > one
            b > two
        TerminationSet
            SpriteCounter stype=one limit=0 win=False,True
    """
    batch = load(text, ["ab"]).vectorize(2, win_bonus=10)
    _, infos = batch.reset(seed=1)
    assert infos["action_mask"].shape == (2, 2, 5) and batch.action_space.shape == (2, 2)
    left = batch.actions.index("LEFT")
    _, rewards, terminated, _, infos = batch.step(np.array([[0, left], [0, 0]]))
    assert rewards.tolist() == [[-11.0, 12.0], [0.0, 0.0]] and terminated.tolist() == [True, False]
    assert infos["winner"].tolist() == [[0, 1], [-1, -1]]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(3, np.int64), "expected integer actions of shape \\(2,\\), got \\(3,\\)"),
        (np.zeros(2), "expected integer actions"),
        (np.array([0, 5]), "an action is out of range, expected 0 to 4"),
        (np.array([-1, 0]), "an action is out of range"),
    ],
)
def test_bad_actions_are_refused(actions: np.ndarray, message: str) -> None:
    batch = VectorEnv(game(PUSH, PUSH_LEVEL), 2)
    batch.reset(seed=1)
    with pytest.raises(PcgError, match=message):
        batch.step(actions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"observation": "json"}, "a vector environment has no observation `json`"),
        ({"render_mode": "human"}, "cannot be shown on the terminal"),
    ],
)
def test_arguments_that_do_not_exist_are_named(options: dict, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        VectorEnv(game(PUSH, PUSH_LEVEL), **{"num_envs": 2, **options})


def test_a_step_before_the_first_reset_is_an_error() -> None:
    with pytest.raises(PcgError, match="has not been reset"):
        VectorEnv(game(PUSH, PUSH_LEVEL), 1).step(np.zeros(1, np.int64))


@pytest.mark.parametrize("name", ["gridphysics/aliens", "gridphysics/seaquest", "contphysics/lander", "2player/aliens"])
def test_games_of_the_corpus_play_in_batches(name: str, shared: Path) -> None:
    corpus = load(shared / "gvgai" / "games" / f"{name}.txt")
    if corpus.players == 1:
        compare(corpus, 3, 150, seed=1)
    batch = VectorEnv(corpus, 8)
    batch.reset(seed=1)
    batch.action_space.seed(1)
    total = sum(batch.step(batch.action_space.sample())[2].sum() for _ in range(400))
    assert total >= 1
