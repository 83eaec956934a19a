"""Greedy tree search: it finds what lies at hand, keeps to its budget, and is the same search however it is run."""

from __future__ import annotations

from typing import Any

import pytest
from tiny_engine import ACTIONS, sliding, walk

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent, play

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("seed", range(4))
def test_takes_the_win_one_step_away(seed: int) -> None:
    agent = make_agent("greedytree", seed=seed, budget=200)
    assert agent.act(walk("....\n.AG.\n....").start()) == "RIGHT"


@pytest.mark.parametrize("value", ["mean", "sum"])
@pytest.mark.parametrize("seed", range(4))
def test_avoids_the_loss_one_step_away(seed: int, value: str) -> None:
    agent = make_agent("greedytree", seed=seed, budget=400, value=value)
    assert agent.act(walk("#x##\nxA..\n#x##").start()) == "RIGHT"


def test_gives_up_time_now_for_a_win_later() -> None:
    # two steps to the goal, and the first of them brings nothing
    state = walk("#.###\n.A.G#\n#.###", limit=3).start()
    assert {make_agent("greedytree", seed=s, budget=600).act(state) for s in range(4)} == {"RIGHT"}


def test_stays_with_the_first_gain_as_its_name_says() -> None:
    state = walk("#.###\ncA.cc\n#.###", limit=4).start()
    agent: Any = make_agent("greedytree", seed=1, budget=400)
    agent.reset(state)
    assert agent.act(state) == "LEFT"
    tree = agent._record._kept["search"]
    assert tree._kept["visits"][0] > 100
    assert sum(tree._kept["visits"][1:5]) == tree._kept["visits"][0]
    assert tree._kept["visits"][2] > 0.9 * tree._kept["visits"][0]  # LEFT, the second action to be tried


def test_sees_no_farther_than_its_depth() -> None:
    game = walk("A...G", limit=4)  # four steps, and no tick to spare

    def wins(depth: int) -> int:
        plays = [play(game, make_agent("greedytree", seed=s, budget=3000, depth=depth)) for s in range(4)]
        return sum(p.winner == 1 for p in plays)

    assert wins(2) < 2
    assert wins(4) == 4


def test_wins_an_open_field() -> None:
    game = walk(".....G\n.A....\n......")
    for seed in range(4):
        assert play(game, make_agent("greedytree", seed=seed, budget=600), max_ticks=60).winner == 1


def test_tries_every_action_before_it_follows_the_best() -> None:
    # one tick of depth: exactly one call for each of the four actions, then the known tree is asked again
    state = walk("....\n.A.c\n....").start()
    agent: Any = make_agent("greedytree", seed=1, budget=4, depth=1)
    agent.reset(state)
    agent.act(state)
    tree = agent._record._kept["search"]
    assert tree["used"] == 5
    assert tree._kept["action"][1:5].tolist() == [1, 2, 3, 4]
    assert tree._kept["visits"][:5].tolist() == [4, 1, 1, 1, 1]


def test_a_draw_is_worth_half_its_score() -> None:
    # after one tick the game is over, undecided, with a coin taken: half a point, which the root's total shows
    state = walk("#c#\ncAc\n#c#", limit=1).start()
    agent: Any = make_agent("greedytree", seed=1, budget=4, depth=1)
    agent.reset(state)
    agent.act(state)
    assert agent._record._kept["search"]._kept["total"][:5].tolist() == [2.0, 0.5, 0.5, 0.5, 0.5]


def test_a_bounded_tree_still_decides() -> None:
    state = walk("....\n.AG.\n....").start()
    for nodes in (1, 2, 5, 40):
        action = make_agent("greedytree", seed=1, budget=300, max_nodes=nodes).act(state)
        assert action in ACTIONS
        assert nodes < 40 or action == "RIGHT"


def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    agent: Any = make_agent("greedytree", seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "RIGHT"
    assert agent.calls == 0


def test_two_players_race_and_each_wins_alone() -> None:
    first = make_agent("greedytree", seed=1, budget=800)
    assert play(walk("A.G.....B"), [first, make_agent("nothing", seed=2, player=1)], max_ticks=30).winner == (1, 0)
    second = make_agent("greedytree", seed=1, budget=800, player=1)
    assert play(walk("A.....G.B"), [make_agent("nothing", seed=2), second], max_ticks=30).winner == (0, 1)


def test_a_search_in_slices_of_time_goes_on_where_it_stopped() -> None:
    state = walk("....\n.A.c\n....", wind=20).start()
    agent: Any = make_agent("greedytree", seed=1, budget="40ms")
    agent.reset(state)
    assert agent.act(state) in ACTIONS
    tree = agent._record._kept["search"]
    calls, visits = agent.calls, int(tree._kept["visits"][0])
    assert calls > 32  # more than the first slice
    assert calls / 10 <= visits <= calls  # no visit was forgotten between slices


def test_the_depth_is_at_least_one() -> None:
    with pytest.raises(PcgError, match="depth"):
        make_agent("greedytree", depth=0)
