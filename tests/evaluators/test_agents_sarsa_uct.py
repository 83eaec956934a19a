"""SARSA-UCT: the returns that are backed up, by hand; what they reduce to; and play against plain tree search."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tiny_engine import walk

from pcg.engine.game import load
from pcg.engine.kernel.runtime import COMPILED
from pcg.evaluators.agents import AgentError, make_agent, play
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.evaluators.agents.kernel.temporal_difference import RETURNS, back_up_returns
from pcg.evaluators.agents.kernel.tree import TREE

pytestmark = pytest.mark.kernel


class Tree:
    """A path of nodes with values, and the rewards of a simulation through them."""

    def __init__(self, values: list[float], visits: list[float], rewards: list[float], **about: float) -> None:
        room = len(values)
        self.decision, self.tree = Record(DECISION), Record(TREE, room=room)
        self.returns = Record(RETURNS, **about)
        self.returns.point("rewards", np.array([*rewards, 0.0], dtype=np.float64))
        self.tree.own("returns", self.returns)
        self.decision.own("search", self.tree)
        self.visits = self.tree.point("visits", np.array(visits, dtype=np.float64))
        self.total = self.tree.point("total", np.array(visits) * np.array(values))
        self.low = self.tree.point("low", np.full(room, 1e300))
        self.high = self.tree.point("high", np.full(room, -1e300))
        self.tree.point("path", np.arange(room + 1, dtype=np.int32))

    def back_up(self, length: int, ticks: int) -> list[float]:
        """Return the learned values of each node but the root."""
        before = self.total.copy()
        back_up_returns(self.decision.address, length, ticks)
        return (self.total - before)[1:].tolist()


def by_errors(values: list[float], rewards: list[float], length: int, trace: float, discount: float) -> list[float]:
    """The same by TD errors and eligibility, as the paper has it: old value + sum of (gamma lambda)^j delta."""
    ticks = len(rewards)

    def q(k: int) -> float:  # of the action of tick k
        return values[k + 1] if k + 1 < length else 0.0

    following = [q(k + 1) if k + 1 < ticks else 0.0 for k in range(ticks)]
    errors = [rewards[k] + discount * following[k] - q(k) for k in range(ticks)]
    return [q(k) + sum((discount * trace) ** (j - k) * errors[j] for j in range(k, ticks)) for k in range(length - 1)]


@pytest.mark.parametrize(("trace", "discount"), list(itertools.product((0.0, 0.5, 1.0), (0.9, 1.0))))
def test_nodes_learn_the_returns_of_the_paper(trace: float, discount: float) -> None:
    values, rewards, length = [9.0, 1.0, -2.0, 4.0], [1.0, 0.0, 3.0, -1.0, 2.0], 4
    tree = Tree(values, [7.0, 3.0, 2.0, 1.0], rewards, trace=trace, discount=discount)
    assert tree.back_up(length, len(rewards)) == pytest.approx(by_errors(values, rewards, length, trace, discount))
    assert tree.visits.tolist() == [8.0, 4.0, 3.0, 2.0]


def test_without_discount_and_with_full_traces_it_is_the_sum_of_rewards_to_come() -> None:
    tree = Tree([0.0, 5.0, 5.0], [1.0, 1.0, 1.0], [1.0, 2.0, 4.0, 8.0], trace=1.0, discount=1.0)
    assert tree.back_up(3, 4) == [15.0, 14.0]
    assert tree.high.tolist() == [15.0, 14.0, 12.0]  # bounds are those of the actions below


def test_one_step_back_up_looks_no_further_than_the_next_action_known() -> None:
    tree = Tree([0.0, 0.0, 5.0], [1.0, 0.0, 1.0], [1.0, 2.0, 4.0], trace=0.0, discount=0.5)
    assert tree.back_up(3, 3) == [1.0 + 0.5 * 5.0, 2.0]


def test_a_node_without_visits_says_nothing() -> None:
    tree = Tree([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0], trace=0.0, discount=1.0)
    assert tree.back_up(3, 2) == [1.0, 2.0]


def test_it_goes_for_what_comes_sooner() -> None:
    game = walk("c.A..c", limit=30)
    assert play(game, make_agent("sarsauct", seed=2, budget=400), max_ticks=2).actions == ("LEFT", "LEFT")


@pytest.mark.skipif(not COMPILED, reason="is about strength, and takes a minute without the compiler")
def test_it_wins_where_random_play_does_not() -> None:
    game = load("hunt")
    won = {
        name: sum(
            play(game, make_agent(name, seed=s, budget=300), level=0, seed=s, max_ticks=600).score for s in range(4)
        )
        for name in ("sarsauct", "random")
    }
    assert won["sarsauct"] > won["random"] + 2


@pytest.mark.parametrize("option", ["closed_loop", "samples=2", "loss_avoidance", "knowledge", "transpositions"])
def test_options_that_back_up_something_else_are_refused(option: str) -> None:
    text = option if "=" in option else f"{option}=true"
    with pytest.raises(AgentError, match="does not go with"):
        make_agent(f"mcts:td=true,{text}")


def test_the_agent_is_tree_search_with_the_option() -> None:
    given: dict[str, Any] = {"seed": 3, "budget": 60}
    own = play(load("duel"), [make_agent("sarsauct", **given), make_agent("random", player=1)], max_ticks=12)
    same = make_agent("mcts:td=true,win_bonus=1000", **given)
    assert play(load("duel"), [same, make_agent("random", player=1)], max_ticks=12) == own


def test_a_share_of_the_others_gain_counts_as_a_loss() -> None:
    plain = [make_agent("sarsauct", seed=1, budget=60), make_agent("random", seed=1, player=1)]
    minded = [make_agent("sarsauct:others=1.0", seed=1, budget=60), make_agent("random", seed=1, player=1)]
    game = load("tag")
    assert play(game, plain, max_ticks=6).actions != play(game, minded, max_ticks=6).actions
