"""The plays that come with the games: each runs again to exactly the end that is stored, and no level wins itself."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.state import Outcome, State

GAMES = builtin_games()
ACTIONS = {"N": "NIL", "U": "UP", "L": "LEFT", "D": "DOWN", "R": "RIGHT", "S": "USE"}
LONGEST = 600  # ticks: a play is something to look at


def stored_plays(name: str) -> list[dict[str, Any]]:
    """The plays of a game; each has its `actions` as a list with one text per player."""
    stored = json.loads((GAMES[name] / "replays.json").read_text(encoding="utf-8"))
    assert stored["format"] == 1
    plays: list[dict[str, Any]] = stored["plays"]
    for play in plays:
        if isinstance(play["actions"], str):
            play["actions"] = [play["actions"]]
    return plays


def per_player(value: Any, players: int) -> list[Any]:
    return [value] if players == 1 else list(value)


def advance(state: State, actions: list[str]) -> None:
    state.advance(actions[0] if len(actions) == 1 else tuple(actions))


def left_alone(game: Game, level: int, seed: int) -> State:
    """The end of a game in which nobody does anything."""
    state = game.start(level, seed)
    while not state.is_over:
        advance(state, ["NIL"] * game.players)
    return state


@pytest.mark.parametrize("name", GAMES)
def test_every_play_runs_again_to_the_stored_end(name: str) -> None:
    game = load(name)
    for play in stored_plays(name):
        where = f"level {play['level']}, seed {play['seed']}"
        assert len(play["actions"]) == game.players, where
        state = game.start(play["level"], play["seed"])
        for letters in zip(*play["actions"], strict=True):
            assert not state.is_over, f"{where}: over at tick {state.tick}, but the play goes on"
            advance(state, [ACTIONS[letter] for letter in letters])
        assert state.is_over, f"{where}: not over after the last action"
        assert [int(one) for one in per_player(state.winner, game.players)] == play["winner"], where
        assert per_player(state.score, game.players) == play["score"], where
        assert state.tick == play["ticks"], where


@pytest.mark.parametrize("name", GAMES)
def test_every_level_has_a_play_that_wins_it(name: str) -> None:
    won = [play["level"] for play in stored_plays(name) if Outcome.PLAYER_WINS in play["winner"]]
    assert set(won) == set(range(len(load(name).levels)))


@pytest.mark.parametrize("name", GAMES)
def test_whoever_wins_a_play_has_acted_in_it(name: str) -> None:
    for play in stored_plays(name):
        for letters, winner in zip(play["actions"], play["winner"], strict=True):
            if winner == Outcome.PLAYER_WINS:
                assert set(letters) - {"N"}, f"level {play['level']}"


@pytest.mark.parametrize("name", GAMES)
def test_no_level_is_won_by_doing_nothing(name: str) -> None:
    game = load(name)
    seeds = {play["seed"] for play in stored_plays(name)} | {1, 2, 3}
    for level in range(len(game.levels)):
        for seed in sorted(seeds):
            winners = per_player(left_alone(game, level, seed).winner, game.players)
            assert Outcome.PLAYER_WINS not in winners, f"level {level}, seed {seed}"


@pytest.mark.parametrize("name", GAMES)
def test_plays_are_short_and_the_file_lists_one_per_line(name: str) -> None:
    plays = stored_plays(name)
    assert all(play["ticks"] < LONGEST for play in plays)
    assert [play["level"] for play in plays] == sorted(play["level"] for play in plays)
    lines = (GAMES[name] / "replays.json").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if re.match(r'\s*\{"level": \d+, "seed": \d+, "actions": ', line)]) == len(plays)
