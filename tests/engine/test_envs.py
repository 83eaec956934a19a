"""Games as Gymnasium environments: the contract of Gymnasium, what is seen, what is paid, and how seeds work."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from texts import BREEDERS, BREEDERS_LEVEL, PUSH, PUSH_LEVEL, game

from pcg.engine.envs import Env
from pcg.engine.envs.plays import ActionTable, SeedStreams
from pcg.engine.envs.single import OBSERVATIONS
from pcg.engine.game import builtin_games, load
from pcg.engine.kernel.observe import ENTITY_FIELDS
from pcg.engine.vgdl.diagnostics import PcgError

SINGLE = sorted(name for name in builtin_games() if load(name).players == 1)

CORPUS = [
    "gridphysics/aliens", "gridphysics/sokoban", "gridphysics/zelda", "gridphysics/frogs", "gridphysics/boulderdash",
    "gridphysics/pacman", "gridphysics/seaquest", "gridphysics/missilecommand", "gridphysics/camelRace",
    "gridphysics/digdug", "gridphysics/eggomania", "gridphysics/chopper", "gridphysics/towerdefense",
    "gridphysics/x-racer", "gridphysics/waitforbreakfast", "contphysics/lander", "contphysics/mario",
    "contphysics/arkanoid", "contphysics/pong", "contphysics/jumper",
]  # fmt: skip


@pytest.fixture
def push() -> Env:
    return Env(game(PUSH, PUSH_LEVEL))


def checked(env: gymnasium.Env) -> None:
    """Gymnasium's own checks, with its warnings as errors except those that a correct environment cannot avoid."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # what the checker says of any environment that `gymnasium.make` has not made
        warnings.filterwarnings("ignore", message=".*[Nn]ot able to test alternative render modes.*")
        check_env(env)


@pytest.mark.parametrize("name", SINGLE)
def test_every_game_of_ours_keeps_the_contract(name: str) -> None:
    checked(Env(load(name), render_mode="rgb_array"))


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_every_observation_keeps_the_contract(observation: str) -> None:
    checked(Env(load("dungeon"), observation=observation, render_mode="ansi", max_entities=100))


@pytest.mark.parametrize("name", CORPUS)
def test_twenty_games_of_the_corpus_keep_the_contract(name: str, shared: Path) -> None:
    checked(Env(load(shared / "gvgai" / "games" / f"{name}.txt")))


# --- actions ---


def test_actions_are_nil_and_what_any_avatar_of_the_game_can_do() -> None:
    text = """BasicGame square_size=10
        SpriteSet
            hero >
                walker > MovingAvatar
                gunner > FlakAvatar stype=shot
            shot > Missile orientation=UP
            pill > Immovable
        InteractionSet
            walker pill > transformTo stype=gunner
            pill hero > killSprite
        LevelMapping
            A > walker
            p > pill
    """
    env = Env(load(text, ["Ap."]))
    assert env.actions == ("NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE")
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 1, 0]
    info = env.step(env.actions.index("RIGHT"))[4]
    assert info["action_mask"].tolist() == [1, 0, 1, 0, 1, 1]


def test_an_action_that_the_avatar_lacks_counts_as_nil(push: Env) -> None:
    table = ActionTable(push.game)
    assert table.names == ("NIL", "UP", "LEFT", "DOWN", "RIGHT")
    push.reset(seed=1)
    with pytest.raises(PcgError, match="action 5 is out of range, expected 0 to 4"):
        push.step(5)


def test_when_the_game_is_over_only_nil_is_left(push: Env) -> None:
    push.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = push.step(0)
        assert info["action_mask"].tolist() == ([1, 0, 0, 0, 0] if terminated else [1, 1, 1, 1, 1])
    assert info["winner"] == 0 and info["tick"] == 50


# --- reward and end ---


def test_reward_is_the_change_of_the_score_and_the_bonus_is_paid_once() -> None:
    level = "wwwww\nwA..w\nw.bow\nwwwww"
    for bonus, expected in ((0.0, 1.0), (10.0, 11.0)):
        env = Env(game(PUSH, level), win_bonus=bonus)
        env.reset(seed=1)
        down, right = env.actions.index("DOWN"), env.actions.index("RIGHT")
        assert env.step(down)[1:4] == (0.0, False, False)
        _, reward, terminated, truncated, info = env.step(right)
        assert (reward, terminated, truncated, info["winner"], info["score"]) == (expected, True, False, 1, 1.0)
        assert env.step(right)[1:4] == (0.0, True, False)


def test_a_loss_costs_the_bonus() -> None:
    env = Env(game(PUSH, PUSH_LEVEL), win_bonus=3)
    env.reset(seed=1)
    rewards, terminated = [], False
    while not terminated:
        _, reward, terminated, _, _ = env.step(0)
        rewards.append(reward)
    assert rewards[-1] == -3 and not any(rewards[:-1])


def test_a_play_cut_by_max_ticks_is_truncated_and_not_terminated() -> None:
    env = Env(game(PUSH, PUSH_LEVEL), max_ticks=4)
    env.reset(seed=1)
    assert [env.step(0)[2:4] for _ in range(4)] == [(False, False)] * 3 + [(False, True)]


# --- seeds and levels ---


def played(env: Env, steps: int = 60) -> list:
    draw = np.random.default_rng(1)
    found = []
    for _ in range(steps):
        observation, reward, terminated, _, _ = env.step(int(draw.integers(len(env.actions))))
        found.append((observation.tobytes(), reward, terminated))
        if terminated:
            env.reset()
    return found


def test_a_seed_starts_the_state_of_that_seed() -> None:
    env = Env(load("dungeon"))
    env.reset(seed=11)
    assert env.state.to_bytes() == env.game.start(0, 11).to_bytes()


def test_the_same_seed_plays_the_same_and_goes_on_the_same() -> None:
    env, other = Env(load("dungeon")), Env(load("dungeon"))
    env.reset(seed=5)
    other.reset(seed=5)
    first = played(env)
    assert first == played(other)
    env.reset()
    other.reset()
    assert env.state.rng == other.state.rng != env.game.start(0, 5).rng
    env.reset(seed=6)
    assert played(env) != first


def test_without_any_seed_plays_differ() -> None:
    env, other = Env(load("dungeon")), Env(load("dungeon"))
    env.reset()
    other.reset()
    assert env.state.rng != other.state.rng


def test_seed_streams_are_those_of_javas_random() -> None:
    """The seeds after the first: java.util.Random(1000 * seed + 5), 31 bits each, for every environment by itself."""
    streams = SeedStreams(3)
    streams.begin([7, 8], np.array([0, 2]))
    assert streams.seeds(np.array([0, 2])) == [7, 8]
    state = ((7005 ^ 0x5DEECE66D) & ((1 << 48) - 1)) * 0x5DEECE66D + 0xB & ((1 << 48) - 1)
    assert streams.seeds(np.array([0])) == [state >> 17]
    alone = SeedStreams(1)
    alone.begin([8], np.array([0]))
    alone.seeds(np.array([0]))
    assert streams.seeds(np.array([2, 0]))[0] == alone.seeds(np.array([0]))[0]


def test_several_levels_are_drawn_by_the_seed_and_fill_the_largest_space() -> None:
    small, large = "wwww\nwA.w\nwwww", PUSH_LEVEL
    env = Env(game(PUSH, small, large), level=[0, 1])
    assert env.observation_space.shape[1:] == (4, 6)
    rows = []
    env.reset(seed=3)
    for _ in range(20):
        observation, _ = env.reset()
        assert observation in env.observation_space
        rows.append(env.state.height)
        if env.state.height == 3:
            assert not observation[:, 3:].any() and not observation[:, :, 4:].any()
    assert set(rows) == {3, 4}
    again = Env(game(PUSH, small, large), level=[0, 1])
    again.reset(seed=3)
    assert [again.reset() and again.state.height for _ in range(20)] == rows


def test_options_name_the_level_and_a_wrong_one_is_an_error() -> None:
    env = Env(game(PUSH, "wwww\nwA.w\nwwww", PUSH_LEVEL), level=[0, 1])
    env.reset(seed=1, options={"level": 1})
    assert env.state.height == 4
    with pytest.raises(PcgError, match="the environment has 2 level\\(s\\), no number 2"):
        env.reset(options={"level": 2})


# --- observations ---


def test_planes_show_each_type_that_can_be_seen(push: Env) -> None:
    observation, _ = push.reset(seed=1)
    names = push.observer.names
    assert "floor" not in names and set(names) == {"wall", "hole", "box", "avatar"}
    assert observation.dtype == np.bool_
    assert np.argwhere(observation[names.index("box")]).tolist() == [[1, 3]]
    assert observation[names.index("wall")].sum() == 16
    push.step(push.actions.index("RIGHT"))
    observation, *_ = push.step(push.actions.index("RIGHT"))
    assert np.argwhere(observation[names.index("box")]).tolist() == [[1, 4]]


@pytest.mark.parametrize("name", ["dungeon", "invaders", "crossing"])
def test_planes_are_the_observation_grid(name: str) -> None:
    env = Env(load(name))
    env.reset(seed=2)
    draw = np.random.default_rng(2)
    for _ in range(80):
        observation, _, terminated, _, _ = env.step(int(draw.integers(len(env.actions))))
        expected = np.zeros_like(observation)
        plane = {kind: number for number, kind in enumerate(env.observer.types)}
        for x, column in enumerate(env.state.observe().grid()):
            for y, cell in enumerate(column):
                for seen in cell:
                    expected[plane[seen.type], y, x] = True
        assert (observation == expected).all()
        if terminated:
            break


def test_entities_list_the_sprites_that_can_be_seen_in_order() -> None:
    env = Env(load("dungeon"), observation="entities")
    observation, _ = env.reset(seed=1)
    state = env.state
    sprites = state.sprites()
    rows = observation["entities"][: observation["count"]]
    assert observation["count"] == len(sprites) and not observation["entities"][observation["count"] :].any()
    column = {name: rows[:, k] for k, name in enumerate(ENTITY_FIELDS)}
    assert column["type"].tolist() == [s.type for s in sprites]
    assert (column["x"] * state.block_size).round().tolist() == [s.x for s in sprites]
    assert column["dx"].tolist() == [s.orientation[0] for s in sprites]
    assert column["player"].tolist() == [1.0 if s.id == state.avatar.id else 0.0 for s in sprites]
    assert set(column["width"]) == {1.0} == set(column["alive"])


def test_entities_beyond_the_room_are_left_out() -> None:
    env = Env(load("dungeon"), observation="entities", max_entities=7)
    observation, _ = env.reset(seed=1)
    assert observation["count"] == 7 and observation in env.observation_space
    with pytest.raises(PcgError, match="max_entities=0: expected at least 1"):
        Env(load("dungeon"), observation="entities", max_entities=0)


def test_json_is_the_dictionary_of_the_learning_track_with_its_phases() -> None:
    env = Env(game(PUSH, "wwwww\nwA..w\nw.bow\nwwwww"), observation="json")
    phases = [env.reset(seed=1)[0]["phase"]]
    phases += [env.step(env.actions.index(a))[0]["phase"] for a in ("DOWN", "RIGHT")]
    assert phases == ["INIT", "ACT", "END"]
    space = env.observation_space
    space.seed(1)
    sample = space.sample()
    assert sample in space and json.loads(json.dumps(sample)) in space
    assert {**sample, "gameTick": "0"} not in space
    assert {name: value for name, value in sample.items() if name != "phase"} not in space


def test_a_state_that_grows_goes_on_being_observed() -> None:
    env = Env(game(BREEDERS, BREEDERS_LEVEL))
    env.reset(seed=1)
    counts = [int(env.step(0)[0][env.observer.names.index("bee")].sum()) for _ in range(120)]
    assert len(env.state.sprites("bee")) > 300 and max(counts) > counts[0]


# --- pictures ---


def test_a_plain_picture_has_a_colour_for_each_cell() -> None:
    env = Env(game(PUSH, PUSH_LEVEL), observation="rgb", tile=8)
    observation, _ = env.reset(seed=1)
    assert observation.shape == (32, 48, 3) and observation.dtype == np.uint8
    cells = {tuple(observation[8 * y + 4, 8 * x + 4]) for y, x in ((0, 0), (1, 1), (1, 3), (2, 3))}
    assert len(cells) == 4  # wall, avatar, box and hole differ
    wall = observation[:8].reshape(-1, 3)
    assert (wall == wall[0]).all()
    assert (observation[8:16, 8:16] == env.step(0)[0][8:16, 8:16]).all()


def test_a_sprite_that_leaves_the_screen_is_painted_as_far_as_it_is_there() -> None:
    text = """BasicGame square_size=10
        SpriteSet
            dart > Missile orientation=LEFT speed=0.3 color=RED
            avatar > NullAvatar
        LevelMapping
            d > dart
            A > avatar
    """
    env = Env(load(text, ["d..A"]), observation="rgb", tile=10)
    env.reset(seed=1)
    widths = []
    for _ in range(7):
        observation, *_ = env.step(0)
        widths.append(int((observation[5] == (200, 0, 0)).all(axis=-1).sum()))
    # 8 of 10 columns are painted, the first of them after a rim of one; three pixels leave per tick
    assert widths == [8, 6, 3, 0, 0, 0, 0]


@pytest.mark.parametrize(("mode", "kind"), [("rgb_array", np.ndarray), ("ansi", str), (None, type(None))])
def test_render_modes(mode: str | None, kind: type) -> None:
    env = Env(load("boxes"), render_mode=mode)
    env.reset(seed=1)
    assert isinstance(env.render(), kind)


def test_human_prints_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = Env(game(PUSH, PUSH_LEVEL), render_mode="human")
    env.reset(seed=1)
    assert capsys.readouterr().out == "wwwwww\nwAfbfw\nwffhfw\nwwwwww\n"
    env.step(env.actions.index("RIGHT"))
    assert capsys.readouterr().out == "wwwwww\nwfAbfw\nwffhfw\nwwwwww\n"


# --- errors ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observation": "plane"}, "unknown observation `plane`.*did you mean `planes`"),
        ({"render_mode": "screen"}, "unknown render mode `screen`, expected one of human, rgb_array, ansi"),
        ({"observation": "rgb", "tile": 0}, "tile=0: expected 1 to 256"),
        ({"max_ticks": 0}, "max_ticks=0: expected at least 1"),
        ({"level": []}, "needs at least one level"),
        ({"level": 9}, "has no level 9"),
    ],
)
def test_arguments_that_do_not_exist_are_named(options: dict, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        Env(game(PUSH, PUSH_LEVEL), **options)


def test_a_step_before_the_first_reset_is_an_error(push: Env) -> None:
    with pytest.raises(PcgError, match="has not been reset"):
        push.step(0)
