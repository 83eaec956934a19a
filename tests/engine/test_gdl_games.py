"""The built-in rule sheets: played beside the same rules in plain Python, and what every sheet owes its players."""

import itertools
import random
from pathlib import Path

import pytest
from board_rules import RULES
from tiers import PROFILE

import pcg.games
from pcg.engine.gdl import GdlGame, load

SHEETS = {p.stem: p for p in sorted((Path(pcg.games.__path__[0]) / "gdl").glob("*.kif"))}
PLAYS = 40 if PROFILE == "fast" else 100


@pytest.fixture(scope="module")
def game(request: pytest.FixtureRequest) -> GdlGame:
    return load(SHEETS[request.param])


every_sheet = pytest.mark.parametrize("game", SHEETS, indirect=True)


def test_every_sheet_has_rules_to_compare_with():
    assert set(SHEETS) == set(RULES) and len(SHEETS) == 17


@every_sheet
def test_a_sheet_says_nothing_doubtful(game):
    assert game.warnings == ()


@every_sheet
def test_random_games_go_as_the_rules_in_python_say(game):
    rules, rng = RULES[game.name], random.Random(game.name)
    assert game.roles == rules.roles
    for _ in range(PLAYS):
        state, twin = game.start(), rules.start()
        while not state.is_terminal:
            legal = [state.legal(role) for role in game.roles]
            assert [set(moves) for moves in legal] == rules.legal(twin)
            assert not rules.over(twin)
            compare_goals(state, rules.goals(twin))
            joint = [rng.choice(moves) for moves in legal]
            state.advance(joint)
            twin = rules.after(twin, joint)
        assert rules.over(twin)
        compare_goals(state, rules.goals(twin))


def compare_goals(state, goals):
    """The Python rules say None where a sheet need not know a value: before the end."""
    if goals is not None:
        assert list(state.goals.values()) == [(value,) for value in goals]


@every_sheet
def test_random_games_end_with_one_goal_value_each(game):
    played = game.playouts(2000, seed=3)
    assert not played.stuck.any()
    assert ((played.goals >= 0) & (played.goals <= 100)).all()
    assert played.plies.max() <= 160


def count_plays(start, key, legal, after, over, depth):
    """The number of sequences of so many joint moves; from equal positions it is counted on once."""
    positions = {key(start): (start, 1)}
    for _ in range(depth):
        following = {}
        for state, ways in positions.values():
            for joint in () if over(state) else itertools.product(*legal(state)):
                position = after(state, joint)
                found = following.get(key(position), (position, 0))[1]
                following[key(position)] = position, found + ways
        positions = following
    return sum(ways for _, ways in positions.values())


def sequences(game: GdlGame, depth: int) -> int:
    def after(state, joint):
        following = state.copy()
        following.advance(joint)
        return following

    def legal(state):
        return [state.legal(role) for role in game.roles]

    return count_plays(game.start(), lambda s: frozenset(s.facts), legal, after, lambda s: s.is_terminal, depth)


@pytest.mark.parametrize(
    ("game", "counts"),
    [("connect-four", [7, 49, 343, 2401, 16807]), ("tic-tac-toe-large", [25, 600, 13800]), ("breakthrough", [16, 256])],
    indirect=["game"],
)
def test_numbers_of_openings_are_the_known_ones(game, counts):
    assert [sequences(game, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(
    ("game", "depth"),
    [
        ("reversi", 5),
        ("checkers", 6),
        ("hex", 2),
        ("nim", 12),
        ("pentago", 2),
        ("babel", 4),
        ("pacman-3p", 6),
        ("pacman-3p-small", 6),
    ],
    indirect=["game"],
)
def test_numbers_of_openings_are_those_of_the_rules_in_python(game, depth):
    rules = RULES[game.name]
    expected = count_plays(rules.start(), repr, rules.legal, rules.after, rules.over, depth)
    assert sequences(game, depth) == expected > 0


@pytest.mark.parametrize("game", ["connect-four"], indirect=True)
def test_six_discs_fill_a_column(game):
    state = game.start()
    for _ in range(6):
        assert "(drop 4)" in state.legal(game.roles[state.ply % 2])
        state.advance(["(drop 4)", "wait"] if state.ply % 2 == 0 else ["wait", "(drop 4)"])
    assert "(drop 4)" not in state.legal("red")


@pytest.mark.parametrize("game", ["lights-out"], indirect=True)
def test_the_presses_that_made_the_lights_put_them_out(game):
    state = game.start()
    for press in ("(press 4 4)", "(press 2 3)", "(press 1 1)", "(press 3 2)"):
        assert not state.is_terminal
        state.advance(press)
    assert state.is_terminal and state.score == 100.0


@pytest.mark.parametrize("game", ["eight-puzzle"], indirect=True)
def test_the_puzzle_is_solved_in_sixteen_slides_and_not_sooner(game):
    rules = RULES["eight-puzzle"]
    seen, edge, slides = {rules.start()[0]}, [rules.start()], 0
    while not any(rules.goals(s) == [100] for s in edge):
        following = [rules.after(s, [move]) for s in edge for move in rules.legal(s)[0]]
        edge = [s for s in dict.fromkeys(following) if s[0] not in seen]
        seen.update(s[0] for s in edge)
        slides += 1
    assert slides == 16


@pytest.mark.parametrize(
    ("name", "way"),
    [("pacman-3p", "wwwnnnnnneessseennneessssssww"), ("pacman-3p-small", "nswwnnnnneeesneesssssw")],
)
def test_all_pellets_can_be_eaten_in_time(name, way):
    # by Pac-Man alone: the ghosts stay where they are
    step_of = {"n": "(go north)", "e": "(go east)", "s": "(go south)", "w": "(go west)"}
    rules = RULES[name]
    places, pellets, _ = rules.start()
    for move in way:
        step = rules.after((places, pellets, 0), [step_of[move], "wait", "wait"])
        places, pellets = step[0], step[1]
    assert not pellets and 2 * len(way) <= rules.moves


@pytest.mark.parametrize("game", ["babel"], indirect=True)
def test_babel_pays_for_working_together_and_more_for_letting_others_work(game):
    rest = play_through(game, ["rest"] * 3, 16)
    assert list(rest.goals.values()) == [(20,)] * 3
    lazy = game.start()
    for _ in range(3):
        lazy.advance(["carry", "carry", "rest"])
    assert lazy.goals == {"ashur": (30,), "enlil": (30,), "ninua": (50,)}
    together = game.start()
    while not together.is_terminal:
        able = all("carry" in together.legal(role) for role in game.roles)
        together.advance(["carry" if able else "rest"] * 3)
    assert [goal for (goal,) in together.goals.values()] == [80] * 3


def play_through(game, joint, times):
    state = game.start()
    for _ in range(times):
        state.advance(joint)
    assert state.is_terminal
    return state
