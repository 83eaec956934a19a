"""Iterated width: it finds what there is to find, shuns danger, and prunes exactly what is not new."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from tiny_engine import TinyState, sliding, walk

from pcg.engine.game import load
from pcg.engine.kernel.protocol import MODEL
from pcg.engine.kernel.runtime import invoke5
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.compiled import CompiledAgent

pytestmark = pytest.mark.kernel

BOTH = pytest.mark.parametrize("name", ["iw", "ybcriber"])

GARDEN = """
BasicGame
    SpriteSet
        rose > Immovable color=RED
        crate > Passive color=BROWN
        gem > Resource limit=3 color=GOLD
        hero > ShootAvatar stype=beam cooldown={cooldown} color=BLUE
        beam > Flicker limit=2 singleton=True color=WHITE
    InteractionSet
        hero wall > stepBack
        crate hero > bounceForward
        crate wall > undoAll
        crate crate > undoAll
        rose hero > killSprite scoreChange=1
        gem hero > collectResource
    LevelMapping
        r > rose
        c > crate
        g > gem
        A > hero
    TerminationSet
        SpriteCounter stype=rose limit=0 win=True
"""
MAZE = """
wwwwwwwww
wA  w  rw
w w   www
w www   w
wr      w
wwwwwwwww
"""


def garden(level: str, cooldown: int = 1) -> Any:
    return load(GARDEN.format(cooldown=cooldown), levels=[level.strip("\n")])


# --- the right move ---------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("wind", [0, 10])
@pytest.mark.parametrize("seed", range(3))
def test_takes_the_win_one_step_away(name: str, seed: int, wind: int) -> None:
    agent = make_agent(name, seed=seed, budget=200)
    assert agent.act(walk("....\n.AG.\n....", wind=wind).start()) == "RIGHT"


@pytest.mark.parametrize("wind", [0, 10])
@pytest.mark.parametrize("seed", range(3))
def test_avoids_the_loss_one_step_away(seed: int, wind: int) -> None:
    state = walk("#x##\nxA..\n#x##", wind=wind).start()
    assert make_agent("iw", seed=seed, budget=300).act(state) == "RIGHT"
    assert make_agent("ybcriber", seed=seed, budget=300).act(state) in ("RIGHT", "NIL")


@BOTH
def test_gives_up_little_now_for_more_later(name: str) -> None:
    # four ticks: the single coin on the left, or the three on the right
    state = walk("c.A.ccc", limit=5).start()
    assert {make_agent(name, seed=s, budget=600).act(state) for s in range(4)} == {"RIGHT"}


@BOTH
def test_a_corridor_longer_than_any_rollout_is_walked_straight_to_its_end(name: str) -> None:
    game = walk("A" + "." * 30 + "G")
    playout = play(game, make_agent(name, seed=1, budget=200), max_ticks=60)
    assert playout.winner == 1 and playout.ticks == 31


@BOTH
def test_a_game_of_chance_is_won(name: str) -> None:
    game = walk("A....\n.#.#.\n....G", wind=150)
    assert [play(game, make_agent(name, seed=s, budget=250), seed=s, max_ticks=80).winner for s in range(3)] == [1] * 3


@BOTH
def test_danger_that_comes_by_chance_is_given_a_wide_berth(name: str) -> None:
    # up is lost with certainty; every other move only when the wind blows
    state = walk("xxxxx\nA...G\n.###.\n.....", wind=200).start()
    agent = make_agent(name, seed=2, budget=2000)
    assert agent.act(state) != "UP"
    trapped = walk("#x#\nxA.\n#x#", wind=300).start()
    assert {make_agent(name, seed=s, budget=600).act(trapped) for s in range(3)} <= {"RIGHT", "NIL"}


@BOTH
def test_puzzles_beyond_the_first_width_are_solved_by_the_next(name: str) -> None:
    for tiles in ("312450", "120453", "412053"):
        game = sliding(tiles)
        playout = play(game, make_agent(name, seed=1, budget=3000), max_ticks=60)
        assert playout.winner == 1, tiles


def test_two_players_race_and_each_wins_alone() -> None:
    for name in ("iw", "ybcriber"):
        game = walk("A.G.....B")
        idle = make_agent("nothing", seed=2, player=1)
        assert play(game, [make_agent(name, seed=1, budget=500), idle], max_ticks=30).winner == (1, 0)
        game = walk("A.....G.B")
        second = make_agent(name, seed=1, budget=500, player=1)
        assert play(game, [make_agent("nothing", seed=2), second], max_ticks=30).winner == (0, 1)


def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    agent: Any = make_agent("iw", seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "RIGHT"
    assert agent.calls == 0


# --- what is kept from one decision to the next -----------------------------------------------------------------------


def test_a_win_found_once_is_played_without_thinking_again() -> None:
    game = walk("A.......\n.######.\n.....#.G")
    agent: Any = make_agent("iw", seed=1, budget=500)
    state = game.start()
    agent.reset(state)
    state.advance(agent.act(state))
    first = agent.calls
    while not state.is_over:
        state.advance(agent.act(state))
    assert agent.calls == first
    assert state.tick == 9


def test_a_state_that_was_not_expected_is_searched_afresh() -> None:
    agent: Any = make_agent("iw", seed=1, budget=500)
    near, far = walk("A..G").start(), walk("G...A").start()
    assert [agent.act(near), agent.act(far), agent.act(near)] == ["RIGHT", "LEFT", "RIGHT"]


def test_a_play_without_rewards_goes_where_it_has_not_been() -> None:
    game = walk("....\n....\nA...")
    state = game.start()
    agent = make_agent("iw", seed=3, budget=100, iterate=False)
    agent.reset(state)
    places = set()
    for _ in range(25):
        state.advance(agent.act(state))
        places.add(state.place)
    assert len(places) >= 11


# --- reproducibility --------------------------------------------------------------------------------------------------


@BOTH
def test_memory_for_a_crowded_state_is_got_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by doubling what there is again and again: memory for all nodes is fetched and filled each time."""
    text = """
BasicGame
    SpriteSet
        cloud > SpawnPoint stype=rain
        rain > Missile orientation=DOWN speed=0.1
        hero > MovingAvatar
    InteractionSet
        rain EOS > killSprite
        hero EOS > stepBack
    LevelMapping
        c > cloud
        A > hero
"""
    state = load(text, levels=["cccccccccc\nA" + 9 * " " + 5 * ("\n" + 10 * " ")]).start()
    agent: Any = make_agent(name, seed=1, budget=40)
    agent.act(state)
    first = agent._room
    for _ in range(80):
        state.advance("NIL")
    assert len(state.sprites()) > 4 * first
    rooms = []
    allocate = CompiledAgent._allocate

    def watched(self: CompiledAgent, model: Any) -> None:
        rooms.append(model.room)
        allocate(self, model)

    monkeypatch.setattr(CompiledAgent, "_allocate", watched)
    assert agent.act(state) in state.model.action_names
    assert rooms == [state.model.room] and rooms[0] >= len(state.sprites())


@BOTH
def test_threads_do_not_change_decisions(name: str) -> None:
    def actions(seed: int) -> tuple[str, ...]:
        game = load("hunt")
        return play(game, make_agent(name, seed=seed, budget=60), seed=seed, max_ticks=4).actions

    alone = [actions(s) for s in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(actions, range(4))) == alone


@BOTH
def test_time_as_the_budget_gives_sensible_actions(name: str) -> None:
    for wind in (0, 20):
        state = walk("....\n.AG.\n....", wind=wind).start()
        agent = make_agent(name, seed=1, budget="200ms")
        agent.reset(state)
        assert agent.act(state) == "RIGHT"


# --- the facts of a state ---------------------------------------------------------------------------------------------


def facts_of(state: Any, room: int = 512) -> list[int]:
    record = np.ctypeslib.as_array(
        (np.ctypeslib.ctypes.c_int64 * (MODEL.itemsize // 8)).from_address(state.model.address)
    )
    model = record.view(MODEL)[0]
    out = np.full(room + 1, -7, dtype=np.int64)
    count = invoke5(int(model["atoms"]), int(model["game"]), state.address, 0, int(out.ctypes.data), room)
    assert 0 <= count <= room and out[room] == -7
    return [int(f) for f in out[:count]]


def after(state: Any, *actions: str) -> Any:
    state = state.copy()
    for action in actions:
        state.advance(action)
    return state


def test_facts_tell_apart_what_matters_and_nothing_else() -> None:
    start = garden("wwwwwwww\nwA cg rw\nw      w\nwwwwwwww").start()
    assert facts_of(start) == facts_of(start.copy())
    right, turned = after(start, "RIGHT"), after(start, "RIGHT", "LEFT")
    assert facts_of(right)[0] != facts_of(start)[0]
    assert facts_of(turned)[0] not in (facts_of(start)[0], facts_of(right)[0])
    # a pushed crate changes exactly the avatar's fact and the crate's
    pushed = after(right, "RIGHT")
    assert pushed.key() != right.key()
    assert len(set(facts_of(pushed)) - set(facts_of(right))) == 2
    assert all(0 <= f < 2**31 for f in facts_of(pushed))


def test_what_is_held_and_what_is_gone_are_facts() -> None:
    start = garden("wwwwwwww\nwAg r  w\nwwwwwwww").start()
    collected = after(start, "RIGHT")
    come_back = after(collected, "LEFT")
    gone = set(facts_of(come_back)) - set(facts_of(after(start, "LEFT")))
    assert len(gone) >= 2  # held by the avatar, and no longer in the level
    assert set(facts_of(come_back)[1:]) >= gone - {facts_of(come_back)[0]}


def test_a_cooldown_that_runs_out_is_progress() -> None:
    start = garden("wwwwwwww\nwA    rw\nwwwwwwww", cooldown=4).start()
    states = [start]
    for _ in range(4):
        states.append(after(states[-1], "NIL"))
    assert len({facts_of(s)[0] for s in states}) >= 3
    playout = play(garden("wwwwwwww\nwA    rw\nwwwwwwww", cooldown=4), make_agent("iw", seed=1), max_ticks=60)
    assert playout.winner == 1


def test_facts_that_do_not_fit_are_left_out_and_the_first_stay() -> None:
    state = after(garden(MAZE).start(), "DOWN")
    everything = facts_of(state)
    for room in range(len(everything) + 1):
        assert facts_of(state, room) == everything[:room]


# --- the search is the published one ----------------------------------------------------------------------------------


def reference(state: Any, width: int, pairs_with_avatar: bool = False) -> tuple[int, int]:
    """Breadth-first search with novelty pruning, over Python sets: (calls, states opened) until it is exhausted."""

    def tuples(facts: list[int]) -> set[Any]:
        found: set[Any] = set(facts)
        if pairs_with_avatar:
            found |= {(facts[0], f) for f in facts[1:]}
        elif width == 2:
            found |= {frozenset(pair) for pair in combinations(facts, 2)}
        return found

    seen = tuples(facts_of(state))
    queue = [state]
    calls = 0
    for at in queue:
        for action in at.actions:
            child = after(at, action)
            calls += 1
            if child.is_over:
                continue
            new = tuples(facts_of(child)) - seen
            seen |= new
            if new:
                queue.append(child)
    return calls, len(queue)


@pytest.mark.parametrize(("width", "level"), [("1", 0), ("1.5", 0), ("2", 0), ("1", 1), ("1.5", 1), ("2", 1)])
def test_simulates_and_prunes_exactly_as_published(width: str, level: int) -> None:
    # no win within reach, so that the search is exhausted
    rows = ["wwwwww\nwA cgw\nw  c w", "wwwwwww\nwA g  w\nw c   w"][level]
    wall = "w" * (6 + level)
    start = garden(f"{rows}\n{wall}\n{wall[1:]}r\n{wall}").start()
    agent: Any = make_agent("iw", seed=1, budget=4000, width=width, iterate=False)
    agent.reset(start)
    agent.act(start)
    calls, opened = reference(start, 2 if width == "2" else 1, width == "1.5")
    assert calls < 4000
    assert agent.calls == calls
    assert agent._memory.search["order_used"] == opened


def test_greater_widths_go_on_until_every_state_is_known() -> None:
    start = garden("wwwwww\nwA c w\nwwwwww\nwwwwrw\nwwwwww").start()
    keys = {start.key()}
    queue = [start]
    for at in queue:
        for action in at.actions:
            child = after(at, action)
            if child.key() not in keys:
                keys.add(child.key())
                queue.append(child)
    agent: Any = make_agent("iw", seed=1, budget=8000)
    agent.reset(start)
    agent.act(start)
    assert agent.calls < 8000  # everything is known, nothing is left to search
    # the plan of the width before is looked at first, and on it a state may come twice
    assert len(keys) <= agent._memory.search["order_used"] <= len(keys) + 5


# --- what sprites are good for ----------------------------------------------------------------------------------------


def test_what_gave_points_attracts_and_what_killed_repels() -> None:
    text = """
BasicGame
    SpriteSet
        rose > Immovable color=RED
        lava > Immovable color=ORANGE
        stone > Immovable color=GRAY
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        rose hero > killSprite scoreChange=2
        hero lava > killSprite scoreChange=-1
        stone hero > killSprite
    LevelMapping
        r > rose
        l > lava
        s > stone
        A > hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
"""
    game = load(text, levels=["wwwwwww\nwr A lw\nw  s  w\nwwwwwww"])
    state = game.start()
    agent: Any = make_agent("ybcriber", seed=1, budget=500, exploration=0)
    agent.reset(state)
    agent.act(state)
    agent.act(state)
    index = game.definition.type_index
    worth = agent._memory.knowledge._kept["worth"]
    touches = agent._memory.knowledge._kept["touches"]
    assert touches[index["rose"]] > 0 and touches[index["lava"]] > 0
    assert worth[index["rose"]] == 1.0
    assert worth[index["lava"]] < 0.0
    assert worth[index["stone"]] == 0.0 and worth[index["hero"]] == 0.0
    agent.reset(state)
    assert not touches.any()


def test_the_agents_win_what_random_play_does_not() -> None:
    game = garden(MAZE)
    assert play(game, make_agent("random", seed=1), max_ticks=60).winner != 1
    for name in ("iw", "ybcriber"):
        assert play(game, make_agent(name, seed=1, budget=1000), max_ticks=60).winner == 1


def test_state_handed_over_is_left_alone() -> None:
    state = TinyState.copy(walk("A..c.\n.x..G", crumbs=True, wind=30).start())
    before = state.words()
    for name in ("iw", "ybcriber"):
        agent = make_agent(name, seed=1, budget=300)
        agent.act(state)
    assert state.words() == before
