"""The value-field agent: Bellman's recursion is exact, ways are learnt as they are, and it brings the gold home."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_engine import TinyState, sliding, walk

import pcg.games
from pcg.engine.game import Game, load
from pcg.evaluators.agents import make_agent, play, replay, value_field
from pcg.evaluators.agents.kernel import value_field_record as graph

kernel = pytest.mark.kernel

MINE = (Path(pcg.games.__path__[0]) / "vgdl" / "lode_runner" / "game.vgdl").read_text(encoding="utf-8")
GARDEN = """
BasicGame
    SpriteSet
        berry > Resource limit=50 color=RED
        hive > SpawnPoint stype=fly cooldown=1 total=60 color=YELLOW
        fly > RandomNPC cooldown=2 color=ORANGE
        wolf > RandomNPC cooldown=100 color=GRAY
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        fly wall > stepBack
        wolf wall > stepBack
        berry hero > collectResource scoreChange=1
        hero wolf > killSprite
    LevelMapping
        b > berry
        h > hive
        m > wolf
        A > hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=berry limit=0 win=True
"""


def garden(level: str) -> Game:
    return load(GARDEN, levels=[level.strip("\n")])


def mine(level: str) -> Game:
    """A level of lode_runner: blanks are air, `b` brick, `h` ladder, `r` rope, `g` gold, `w` stone."""
    return load(MINE, levels=[level.strip("\n").replace(" ", ".")])


def agent_at(state: Any, **about: Any) -> Any:
    agent: Any = make_agent("valuefield", **{"seed": 1, "budget": 400, **about})
    agent.reset(state)
    return agent


def array(agent: Any, field: str) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = agent._field._kept[field]
    return found


def ways_from(agent: Any, state: Any, decisions: int = 30) -> list[int]:
    """The ticks from the avatar to each target, as the agent has learnt them after looking at a state for a while."""
    for _ in range(decisions):
        agent.act(state)
    field = agent._field
    assert field["head"] == field["tail"], "not all is learnt yet"
    names = array(agent, "name")[: field["used"]]
    ways = array(agent, "ways").reshape(graph.TARGETS, field["room"])
    columns, block = field["columns"], state.block_size
    here = state.avatar.y // block * columns + state.avatar.x // block
    face = {(0, 0): 0, (0, -1): 1, (-1, 0): 2, (0, 1): 3, (1, 0): 4}[tuple(int(v) for v in state.avatar.orientation)]
    nodes = [k for k, name in enumerate(names) if (name // 5) % field["cells"] == here and name % 5 in (face, 0)]
    return [int(ways[k, nodes].min()) for k in range(field["targets"])]


def ticks_to_win(state: Any, limit: int = 60) -> int:
    """Length of a shortest win, by breadth-first search over state objects."""
    seen, queue = {state.key()}, deque([(state, 0)])
    while queue:
        now, ticks = queue.popleft()
        if now.winner == 1:
            return ticks
        if now.is_over or ticks == limit:
            continue
        for action in (*now.actions, "NIL"):
            after = now.copy()
            after.advance(action)
            if after.key() not in seen:
                seen.add(after.key())
                queue.append((after, ticks + 1))
    raise AssertionError("cannot be won")


# --- the recursion ----------------------------------------------------------------------------------------------------


@kernel
@pytest.mark.parametrize("seed", range(3))
def test_takes_the_win_one_step_away(seed: int) -> None:
    assert make_agent("valuefield", seed=seed, budget=200).act(walk("....\n.AG.\n....").start()) == "RIGHT"


@kernel
@pytest.mark.parametrize("seed", range(3))
def test_avoids_the_loss_one_step_away(seed: int) -> None:
    state = walk("#x#\nxA.\n#x#").start()
    assert make_agent("valuefield", seed=seed, budget=200, horizon=2).act(state) in ("RIGHT", "NIL")


@kernel
def test_gives_up_little_now_for_more_later() -> None:
    state = walk("c.A.ccc", limit=6).start()
    assert {make_agent("valuefield", seed=s, budget=1500, strategy=0).act(state) for s in range(3)} == {"RIGHT"}


@kernel
def test_a_field_reaches_farther_than_the_horizon() -> None:
    game = walk("A....................c")
    led = play(game, make_agent("valuefield", seed=1, budget=60, horizon=2), max_ticks=30)
    assert led.actions[:21] == ("RIGHT",) * 21 and led.score == 1
    blind = play(game, make_agent("valuefield", seed=1, budget=60, horizon=2, strategy=0), max_ticks=30)
    assert blind.score == 0


def best_actions(state: TinyState, horizon: int, inflation: float) -> tuple[float, set[str]]:
    """Bellman's recursion over state objects: the value of a state and the actions that have it."""
    if horizon == 0 or state.is_over:
        return 0.0, set()
    values = {}
    for action in ("NIL", "UP", "LEFT", "DOWN", "RIGHT"):
        after = state.copy()
        after.advance(action)
        bonus = 100.0 * after.game.call("outcome", after.address, 0) if after.is_over else 0.0
        reward = after.score - state.score + bonus
        values[action] = reward + inflation * best_actions(after, horizon - 1, inflation)[0]
    best = max(values.values())
    return best, {a for a, value in values.items() if value > best - 1e-9}


@kernel
@pytest.mark.parametrize(
    "rows",
    ["A.c\ncx.", "cAc\n.c.", "x.c\nA.G", "A#c\n..c\nc.x", "xAx\n.c.", "...\n.A.\n..c"],
    ids=lambda r: r.replace("\n", "/"),
)
@pytest.mark.parametrize("inflation", [0.5, 0.95])
def test_is_bellmans_recursion(rows: str, inflation: float) -> None:
    state = walk(rows).start()
    value, best = best_actions(state, 4, inflation)
    agent = agent_at(state, budget=2000, horizon=4, inflation=inflation, strategy=0)
    assert agent.act(state) in best
    assert array(agent, "value")[0] == pytest.approx(value)


@kernel
def test_two_players_race_and_each_wins_alone() -> None:
    first, second = (make_agent("valuefield", seed=1, budget=300, player=p) for p in (0, 1))
    idle = [make_agent("nothing", seed=2, player=p) for p in (0, 1)]
    assert play(walk("A.G.....B"), [first, idle[1]], max_ticks=30).winner == (1, 0)
    assert play(walk("A.....G.B"), [idle[0], second], max_ticks=30).winner == (0, 1)


# --- what it learns about a level -------------------------------------------------------------------------------------


def test_ways_are_shortest_ways_round_walls() -> None:
    state = garden("wwwwwwwww\nwA w   bw\nw ww ww w\nw  w w  w\nww     bw\nwwwwwwwww").start()
    ways = ways_from(agent_at(state), state)
    steps = {(1, 1): 0}
    queue = deque([(1, 1)])
    rows = state.game.levels[0].split("\n")
    while queue:
        x, y = queue.popleft()
        for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if rows[place[1]][place[0]] != "w" and place not in steps:
                steps[place] = steps[(x, y)] + 1
                queue.append(place)
    assert sorted(ways) == sorted((steps[(7, 1)], steps[(7, 4)]))


LADDER = "wwwwwww\nw   g w\nw bhbbw\nwA h  w\nwbbbbbw\nwwwwwww"
ROPE = "wwwwwwww\nwA    gw\nwbrrrhbw\nw    h w\nwbbbbbbw\nwwwwwwww"
LEDGE = "wwwwwww\nwA    w\nwbb   w\nw    gw\nwbbbbbw\nwwwwwww"
CELLAR = "wwwwww\nwA   w\nwbbbbw\nw g  w\nwbbbbw\nwwwwww"


@pytest.mark.parametrize("level", [LADDER, ROPE, LEDGE, CELLAR], ids=["ladder", "rope", "ledge", "cellar"])
def test_ways_go_up_ladders_along_ropes_down_ledges_and_through_dug_holes(level: str) -> None:
    state = mine(level).start()
    won = ticks_to_win(state)
    assert ways_from(agent_at(state), state) == [won]
    playout = play(state, make_agent("valuefield", seed=1, budget=400))
    assert playout.winner == 1
    assert playout.ticks <= won + 3  # what it takes to learn the level in the first ticks
    assert ("USE" in playout.actions) == (level == CELLAR)


def test_a_place_that_cannot_be_left_is_not_on_the_way() -> None:
    # falling into the pit is no way to the gold above it
    state = mine("wwwwwww\nw   ggw\nwA   bw\nwbb  bw\nwbb  bw\nwbbbbbw\nwwwwwww").start()
    assert ways_from(agent_at(state), state) == [graph.FAR, graph.FAR]


def test_ways_are_learnt_past_monsters() -> None:
    state = garden("wwwwwwwww\nwA  m  bw\nwwwwwwwww").start()
    assert ways_from(agent_at(state), state) == [6]


def test_a_door_that_opens_is_learnt() -> None:
    text = GARDEN.replace(
        "        berry hero >",
        "        door hero > killIfOtherHasMore resource=berry limit=1\n"
        "        hero door > stepBack\n        berry hero >",
    )
    text = text.replace("        b > berry\n", "        b > berry\n        d > door\n")
    text = text.replace("        hero > MovingAvatar", "        door > Door color=BROWN\n        hero > MovingAvatar")
    game = load(text, levels=["wwwwwwwwwwwwwww\nwb   A  d    bw\nwwwwwwwwwwwwwww"])
    playout = play(game, make_agent("valuefield", seed=1, budget=200, horizon=3), max_ticks=60)
    assert playout.winner == 1


def test_keeps_away_from_a_monster_and_does_not_die_for_a_berry() -> None:
    for seed in range(3):
        state = garden("wwwwwwwwwwww\nw    A  m bw\nwwwwwwwwwwww").start(seed=seed)
        agent = agent_at(state, seed=seed, danger=3)
        moves = [agent.act(state) for _ in range(3)]
        assert moves[-1] in ("LEFT", "NIL")


# --- the watcher ------------------------------------------------------------------------------------------------------


def test_standing_still_changes_the_strategy_to_the_nearest_target_for_a_while() -> None:
    state = garden("wwwwwwwwwww\nwb   A  b w\nwwwwwwwwwww").start()
    agent = agent_at(state, nearest_moves=10)
    field = agent._field
    for _ in range(graph.TRAIL):
        assert field["until"] == 0
        agent.act(state)
    assert field["until"] == graph.TRAIL + 10
    berries = {s.id: s.x // state.block_size for s in state.sprites() if s.name == "berry"}
    assert berries[field["only"]] == 8  # three steps, the other is four away
    for _ in range(11):
        agent.act(state)
    assert berries[field["only"]] == 1  # still there: the other


def test_one_that_moves_and_collects_is_left_alone() -> None:
    game = garden("wwwwwwwwwwwwwwwwwwwwwwww\nwA b b b b b b b b b b bw\nwwwwwwwwwwwwwwwwwwwwwwww")
    agent: Any = make_agent("valuefield", seed=1, budget=200, starvation=10)
    assert play(game, agent).winner == 1
    assert agent._field["until"] == 0


def test_starvation_changes_the_strategy_too() -> None:
    level = "wwwwwwwwwwwwwwwwwwwwwwww\nwA                    bw\nwwwwwwwwwwwwwwwwwwwwwwww"
    agent: Any = make_agent("valuefield", seed=1, budget=200, starvation=12)
    assert play(garden(level), agent).winner == 1
    assert agent._field["until"] > 0


# --- promises of every agent ------------------------------------------------------------------------------------------


@kernel
def test_a_finished_game_is_left_alone() -> None:
    state = walk("AG").start()
    state.advance("RIGHT")
    agent = agent_at(state)
    assert agent.act(state) == "NIL" and agent.calls == 0


@pytest.mark.parametrize("budget", [1, 20, 300])
def test_learning_is_paid_for_from_the_budget(budget: int) -> None:
    state = load("lode_runner").start(0, seed=1)
    agent = agent_at(state, budget=budget)
    for _ in range(4):
        before = agent.calls
        agent.act(state)
        assert budget <= agent.calls - before < budget + graph.MOVES


def test_the_state_handed_over_is_not_changed() -> None:
    state = load("lode_runner").start(3, seed=1)
    before = state.to_bytes()
    agent = agent_at(state)
    for _ in range(3):
        agent.act(state)
    assert state.to_bytes() == before


@pytest.mark.parametrize("name", ["lode_runner", "dungeon", "invaders", "boxes"])
def test_a_play_depends_on_seed_and_budget_alone(name: str) -> None:
    game = load(name)
    agent = make_agent("valuefield", seed=3, budget=80)
    first = play(game, agent, level=1, seed=2, max_ticks=40)
    play(game, agent, level=0, seed=5, max_ticks=10)
    assert play(game, agent, level=1, seed=2, max_ticks=40) == first

    def job(_: int) -> Any:
        return play(load(name), make_agent("valuefield", seed=3, budget=80), level=1, seed=2, max_ticks=40)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(job, range(3))) == [first] * 3


def test_how_much_room_states_have_does_not_change_decisions() -> None:
    def actions(doublings: int) -> list[str]:
        state = garden("wwwwwwwwwwww\nwA  h  b   w\nw ww  w  h w\nwb  h   b  w\nwwwwwwwwwwww").start(seed=5)
        agent = agent_at(state, budget=60, seed=2)
        room = agent._room
        for _ in range(doublings):
            agent.enlarge()
        chosen = []
        while not state.is_over:
            chosen.append(agent.act(state))
            state.advance(chosen[-1])
        assert agent._room > room, "the states were meant to grow"
        return chosen

    assert actions(0) == actions(1) == actions(4)


def test_in_a_hurry_few_of_those_that_wait_are_moved_to_larger_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_field, "_HASTY", 2)
    monkeypatch.setattr(value_field, "_TIMED_QUOTA", 30)  # so that there are some
    state = load("lode_runner").start(3, seed=1)
    agent = make_agent("valuefield", seed=1, budget="40ms")
    agent.reset(state)
    agent.act(state)
    field: Any = agent._field  # type: ignore[attr-defined]
    first, waiting = field["head"], field["tail"] - field["head"]
    assert waiting > 2
    nodes = [int(field.kept("waiting")[entry % 256]) for entry in range(first, field["tail"])]
    known = agent.known_places  # type: ignore[attr-defined]
    agent.enlarge()  # type: ignore[attr-defined]
    assert field["tail"] - field["head"] == 2
    states = [field.kept("done")[node] for node in nodes]
    assert states == [graph.WAITING] * 2 + [graph.NEW] * (waiting - 2)
    agent.act(state)
    assert agent.known_places >= known  # type: ignore[attr-defined]


@kernel
def test_games_of_any_engine_are_played() -> None:
    state = sliding("123456708").start()
    assert make_agent("valuefield", seed=1, budget=300).act(state) == "RIGHT"


def test_a_time_budget_is_used_in_slices() -> None:
    state = load("lode_runner").start(0, seed=1)
    agent = agent_at(state, budget="30ms")
    for _ in range(4):
        state.advance(agent.act(state))
    assert agent.known_places > 100
    assert agent.calls > 400


# --- its home game ----------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_brings_home_more_than_twice_the_gold_of_mcts() -> None:
    """A slice of `benchmarks/lode_runner.py`."""
    game = load("lode_runner")
    taken = {"valuefield": 0, "mcts": 0}
    for name in taken:
        for level in range(len(game.levels)):
            start = game.start(level, seed=1)
            done = play(start, make_agent(name, seed=1, budget=300), max_ticks=400)
            end = replay(start, done.actions)[-1]
            gold = [sum(s.name == "gold" for s in state.sprites()) for state in (start, end)]
            taken[name] += gold[0] - gold[1]
    assert taken["valuefield"] >= 2 * taken["mcts"]
    assert taken["valuefield"] >= 16  # half of it


def test_each_nugget_is_worth_one_more_than_the_last() -> None:
    game = load("lode_runner")
    done = play(game, make_agent("valuefield", seed=6, budget=1000), level=0, seed=6)
    scores = [s.score for s in replay(game.start(0, seed=6), done.actions)]
    gains = [after - before for before, after in pairwise(scores) if after != before]
    assert gains == [1, 2, 3, 4, 5]


def test_in_a_hurry_the_look_ahead_takes_no_more_memory_than_there_is_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    state = load("lode_runner").start()
    monkeypatch.setattr(value_field, "_TIMED_BYTES", 1 << 23)
    patient, hurried = (make_agent("valuefield", seed=1, budget=budget) for budget in (5000, "2ms"))
    for agent in (patient, hurried):
        agent.reset(state)
    assert patient._field["depth_room"] == 2048
    assert 256 < hurried._field["depth_room"] == (1 << 23) // hurried._model.stride < 2048
    assert hurried.act(state) in (*state.actions, "NIL")
