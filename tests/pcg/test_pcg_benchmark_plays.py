"""Native evaluators for problems of the PCG Benchmark that are plays (arcade rules, bullets), by hand and beside it."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.pcg_benchmark.native_arcade import COLOURS, NativeArcade
from benchmarks.pcg_benchmark.native_bullets import Grammar, NativeTalakat
from pcg.integrations.pcg_benchmark.contents import Layout
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents

INSTALLED = importlib.util.find_spec("pcg_benchmark") is not None
PAIRS = ("player-red", "player-green", "player-yellow", "red-red", "red-green", "red-yellow", "green-green",
         "green-yellow", "yellow-yellow")  # fmt: skip
STILL, FLICKER, ACROSS, CHASE = 0, 1, 4, 6
KILL_FIRST, KILL_SECOND, KILL_BOTH = 1, 2, 3


def rules(**changed: Any) -> dict[str, Any]:
    """Return rules in which nothing happens, but for what is told; pieces are places by their colours."""
    content: dict[str, Any] = {"x": 0, "y": 0, "seed": 1, "win": 0}
    for colour in COLOURS:
        places = changed.pop(f"{colour}s", [])
        content[f"{colour}Start"] = {
            "num": len(places), "x": [x for x, _ in places] + [0] * 4, "y": [y for _, y in places] + [0] * 4
        }  # fmt: skip
        content[colour] = changed.pop(colour, STILL)
    for pair in PAIRS:
        action, score = changed.pop(pair.replace("-", "_"), (0, 0))
        content[pair] = {"action": action, "score": score}
    return content | changed


def arcade(text: str = "...... ......") -> NativeArcade:
    layout = np.array([[char == "." for char in row] for row in text.split()], int)
    return NativeArcade(SimpleNamespace(_layout=layout, _diversity=0.25))


def outcome(play: Any) -> tuple[int, bool, bool]:
    return len(play), play[-1][0]["isWin"], play[-1][0]["isLose"]


def test_who_survives_wins_after_forty_ticks() -> None:
    info = arcade().info(rules())
    for player in ("do_nothing", "random", "flat_mcts"):
        assert outcome(info[player]) == (41, True, False)
    assert info["way"].sum() == 41


def test_a_chaser_reaches_who_does_nothing_and_kills() -> None:
    info = arcade("...... ######").info(rules(reds=[(5, 0)], red=CHASE, player_red=(KILL_FIRST, 0)))
    # walls count as nearest, so that one that stands beside any stays there
    assert outcome(info["do_nothing"]) == (41, True, False)
    open_field = arcade("....... ....... .......")
    info = open_field.info(rules(x=0, y=1, reds=[(5, 1)], red=CHASE, player_red=(KILL_FIRST, 0)))
    assert outcome(info["do_nothing"]) == (6, False, True)
    assert info["where"][0].sum() == 6


def test_points_win_and_the_dead_go_on_earning() -> None:
    # two points in each tick in which the player stands on the piece, which kills at the first
    info = arcade().info(rules(reds=[(0, 0)], player_red=(KILL_FIRST, 2), win=2))
    assert outcome(info["do_nothing"]) == (6, True, False)
    info = arcade().info(rules(reds=[(0, 0)], player_red=(KILL_BOTH, 3), win=1))
    assert outcome(info["do_nothing"]) == (41, False, True)  # four points once


def test_what_flickers_comes_back_to_life() -> None:
    info = arcade().info(rules(reds=[(0, 0)], red=FLICKER, player_red=(KILL_SECOND, 1), win=1))
    # killed in each of four ticks, away for five, and killed once more in the tenth
    assert outcome(info["do_nothing"])[0] == 11


def test_equal_pieces_do_not_meet() -> None:
    info = arcade().info(rules(reds=[(3, 0), (3, 0)], red_red=(0, 3), win=1))
    assert outcome(info["do_nothing"]) == (41, False, True)
    info = arcade(".").info(rules(reds=[(0, 0)], greens=[(0, 0)], green=ACROSS, red_green=(0, 3), win=1))
    first = int(np.random.default_rng(1).integers(2))  # the direction in which it begins; it turns in every tick
    assert outcome(info["do_nothing"]) == (4 + first, True, False)


def test_a_play_on_a_wall_is_none() -> None:
    info = arcade("#..... ......").info(rules())
    assert (info["do_nothing"], info["max_time"]) == ([], 0)


def test_arcade_rules_differ_by_where_things_have_been() -> None:
    native = arcade()
    one, same = native.info(rules()), native.info(rules(win=0))
    assert native.diversity(one, same) == 0.0
    other = native.info(rules(reds=[(4, 1)]))
    assert native.diversity(one, other) == pytest.approx(0.5 / 3)  # one cell of twelve, of which a quarter is full


def test_a_grammar_is_expanded_by_a_sequence_that_goes_round() -> None:
    grammar = Grammar({"start": ["#word#-#word#", "#start#\\[#word#\\]"], "word": ["a", "b"]})
    assert grammar.expand("start", [0, 1, 0]) == "b-a"
    assert grammar.expand("start", [1, 0, 0]) == "a-b[a]"
    grammar.add("word", "c")
    assert grammar.expand("start", [0, 2, 1]) == "c-b"
    with pytest.raises(RecursionError, match="start"):
        grammar.expand("start", [1, 3])


def talakat(spawner: str, *, health: int = 60, most: int = 50) -> dict[str, Any]:
    engine = SimpleNamespace(
        spawnerGrammar={"origin": [spawner.replace("[", "\\[").replace("]", "\\]")], "name": ["bullet"]},
        parameters={"maxNumSpawners": 5, "maxNumBullets": most},
    )
    problem = SimpleNamespace(_width=200, _height=300, _maxHealth=health)
    return NativeTalakat(problem, engine).info([[0, 0, 0]])


STREAM = """{"pattern": ["bullet"], "patternTime": "%d", "patternRepeat": "%d", "spawnerPhase": "90",
"spawnedNumber": "1", "spawnedAngle": "0", "spawnedSpeed": "5"}"""


def test_a_stream_of_bullets_falls_to_the_edge() -> None:
    info = talakat(STREAM % (4, 0))
    assert info["percentage"] == 1.0
    # one every fourth tick from the second on, from 75 down to 300: 46 ticks until it has left
    alive = [sum(1 <= tick - made <= 47 for made in range(1, 60, 4)) for tick in range(60)]
    assert info["bullets"].tolist() == [sum(alive[:30]) / 30, sum(alive[30:]) / 30]
    columns = info["bullet_locations"].reshape(2, 15, 10).sum(axis=(0, 1))
    assert columns[[4, 5]].sum() == pytest.approx(columns.sum())
    assert not info["bullet_locations"].reshape(2, 15, 10)[:, :3].any()


def test_a_spawner_that_repeats_twice_makes_two_bullets() -> None:
    info = talakat(STREAM % (4, 2))
    assert info["bullets"][0] == (28 + 24) / 30


def test_too_many_bullets_end_the_pattern() -> None:
    info = talakat(STREAM % (1, 0), most=10)
    assert info["percentage"] == 13 / 60  # the play is over with the tick that begins with eleven


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
@pytest.mark.parametrize(
    ("name", "kind", "count"), [("arcade-v0", NativeArcade, 12), ("talakat-v0", NativeTalakat, 40)]
)
def test_native_plays_are_those_of_the_package(name: str, kind: Any, count: int) -> None:
    import pcg_benchmark  # type: ignore[import-not-found, unused-ignore]

    environment = pcg_benchmark.make(name)
    environment.seed(2)
    layout, theirs = Layout(environment.content_space), environment._problem
    made, native = starting_contents(layout, 3), kind(theirs)
    controls = [environment.control_space.sample() for _ in range(5)]
    compared = []
    while len(compared) < count:
        content = layout.content(next(made))
        try:
            told = theirs.info(content)
        except RecursionError:
            with pytest.raises(RecursionError):
                native.info(content)
            continue
        mine = native.info(content)
        assert theirs.quality(mine) == theirs.quality(told)
        for control in controls:
            assert theirs.controlability(mine, control) == theirs.controlability(told, control)
        for known_mine, known in compared[-3:]:
            assert native.diversity(mine, known_mine) == pytest.approx(theirs.diversity(told, known))
        compared.append((mine, told))
