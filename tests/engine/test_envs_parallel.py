"""Games for two players under PettingZoo's parallel interface."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from pettingzoo.test import parallel_api_test
from texts import PUSH, PUSH_LEVEL, game

from pcg.engine.envs import Env, ParallelEnv
from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl.diagnostics import PcgError

CHASE = """BasicGame no_players=2 square_size=10
    SpriteSet
        wall > Immovable
        hare > MovingAvatar
        hound > ShootAvatar stype=bark
        bark > Flicker limit=1
    InteractionSet
        hare hound > killSprite scoreChange=-1,2
        hare wall > stepBack
        hound wall > stepBack
    LevelMapping
        h > hare
        d > hound
        w > wall
    TerminationSet
        SpriteCounter stype=hare limit=0 win=False,True
        Timeout limit=30 win=True,False
"""
LEVEL = "wwwwww\nwh..dw\nwwwwww"
OURS = sorted(name for name in builtin_games() if load(name).players == 2)
CORPUS = [
    "aliens", "accelerator", "asteroids", "beekeeper", "bombergirl", "breedingdragons", "circuit", "competesokoban",
    "copsNrobbers", "drowning", "firetruck", "hunger-games", "klax", "mimic", "minions", "pacoban", "pong2p",
    "steeplechase", "tron", "watchout",
]  # fmt: skip


@pytest.fixture
def chase() -> ParallelEnv:
    return ParallelEnv(game(CHASE, LEVEL))


def checked(env: ParallelEnv, cycles: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(env, num_cycles=cycles)


@pytest.mark.parametrize("observation", ["planes", "entities", "rgb", "json", "none"])
def test_every_observation_keeps_the_contract(observation: str) -> None:
    env = ParallelEnv(game(CHASE, LEVEL), observation=observation)
    checked(env, 100)
    observations, _ = env.reset(seed=1)
    assert all(observations[agent] in env.observation_space(agent) for agent in env.agents)


def test_every_game_of_ours_for_two_keeps_the_contract() -> None:
    for name in OURS:
        checked(ParallelEnv(load(name)), 200)


@pytest.mark.parametrize("name", CORPUS)
def test_games_of_the_corpus_keep_the_contract(name: str, shared: Path) -> None:
    checked(ParallelEnv(load(shared / "gvgai" / "games" / "2player" / f"{name}.txt")), 100)


def test_players_act_at_once_and_each_has_its_own_reward(chase: ParallelEnv) -> None:
    observations, infos = chase.reset(seed=1)
    assert chase.agents == ["player_0", "player_1"] and set(observations) == set(infos) == set(chase.agents)
    right, left = chase.actions.index("RIGHT"), chase.actions.index("LEFT")
    assert chase.actions == ("NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE")
    assert infos["player_0"]["action_mask"].tolist() == [1, 1, 1, 1, 1, 0]
    assert infos["player_1"]["action_mask"].tolist() == [1, 1, 1, 1, 1, 1]
    assert chase.step({"player_0": right, "player_1": left})[1] == {"player_0": 0.0, "player_1": 0.0}  # it turns
    chase.step({"player_0": 0, "player_1": left})
    _, rewards, ends, cuts, infos = chase.step({"player_0": 0, "player_1": left})
    assert rewards == {"player_0": -1.0, "player_1": 2.0}
    assert ends == {"player_0": True, "player_1": True} and not any(cuts.values())
    assert (infos["player_0"]["winner"], infos["player_1"]["winner"]) == (0, 1) and chase.agents == []
    with pytest.raises(PcgError, match="the play is over"):
        chase.step({})


def test_a_bonus_is_for_the_winner_and_a_missing_agent_does_nothing() -> None:
    env = ParallelEnv(game(CHASE, LEVEL), win_bonus=5)
    env.reset(seed=1)
    rewards: dict[str, float] = {}
    while env.agents:
        _, rewards, _, _, _ = env.step({"player_1": 0})
    assert rewards == {"player_0": 5.0, "player_1": -5.0}
    assert env.game_state.avatar[0].x == 10


def test_plays_can_be_cut(chase: ParallelEnv) -> None:
    env = ParallelEnv(chase.game, max_ticks=3)
    env.reset(seed=1)
    found = [env.step({})[3]["player_0"] for _ in range(3)]
    assert found == [False, False, True] and env.agents == []


def test_the_same_seed_plays_the_same_and_starts_the_state_of_that_seed(chase: ParallelEnv) -> None:
    other = ParallelEnv(chase.game)
    chase.reset(seed=4)
    other.reset(seed=4)
    assert chase.game_state.to_bytes() == other.game_state.to_bytes() == chase.game.start(0, 4).to_bytes()
    chase.reset()
    other.reset()
    assert chase.game_state.rng == other.game_state.rng != chase.game.start(0, 4).rng


def test_json_is_each_players_own() -> None:
    env = ParallelEnv(game(CHASE, LEVEL), observation="json")
    observations, _ = env.reset(seed=1)
    assert [observations[a]["avatarPosition"] for a in env.agents] == [[10.0, 10.0], [40.0, 10.0]]


def test_the_number_of_players_must_fit(chase: ParallelEnv) -> None:
    with pytest.raises(PcgError, match="is for one player"):
        ParallelEnv(game(PUSH, PUSH_LEVEL))
    with pytest.raises(PcgError, match="is for 2 players"):
        Env(chase.game)


def test_an_unknown_agent_is_named(chase: ParallelEnv) -> None:
    chase.reset(seed=1)
    with pytest.raises(PcgError, match="unknown agent player_2, expected one of player_0, player_1"):
        chase.step({"player_2": 0})
