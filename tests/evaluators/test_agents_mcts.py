"""Monte Carlo tree search finds what there is to find, and is the search of reference/agents 11.6, draw by draw."""

from __future__ import annotations

import math
from typing import Any

import pytest
from draw_by_draw import MAPS, assert_decides_as
from tiny_engine import ACTIONS, TinyState, sliding, walk

from pcg.engine.kernel.random import scramble
from pcg.evaluators.agents import make_agent, play

pytestmark = pytest.mark.kernel


# --- finding what is there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed_loop", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_takes_the_win_one_step_away(seed: int, closed_loop: bool) -> None:
    agent = make_agent("mcts", seed=seed, budget=200, closed_loop=closed_loop)
    assert agent.act(walk("....\n.AG.\n....").start()) == "RIGHT"


@pytest.mark.parametrize("closed_loop", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_avoids_the_loss_one_step_away(seed: int, closed_loop: bool) -> None:
    agent = make_agent("mcts", seed=seed, budget=400, closed_loop=closed_loop)
    assert agent.act(walk("#x##\nxA..\n#x##").start()) == "RIGHT"


def test_gives_up_little_now_for_more_later() -> None:
    # four ticks: the single coin on the left, or the three on the right
    state = walk("c.A.ccc", limit=5).start()
    assert {make_agent("mcts", seed=s, budget=1500).act(state) for s in range(4)} == {"RIGHT"}


def test_sees_no_farther_than_its_depth() -> None:
    game = walk("A...G", limit=4)  # four steps, and no tick to spare

    def wins(depth: int) -> int:
        plays = [play(game, make_agent("mcts", seed=s, budget=3000, depth=depth)) for s in range(4)]
        return sum(p.winner == 1 for p in plays)

    assert wins(2) < 2
    assert wins(4) == 4


@pytest.mark.parametrize("recommend", ["visits", "value"])
def test_wins_an_open_field(recommend: str) -> None:
    game = walk(".....G\n.A....\n......")
    for seed in range(4):
        assert play(game, make_agent("mcts", seed=seed, budget=600, recommend=recommend), max_ticks=60).winner == 1


def test_a_bounded_tree_still_decides() -> None:
    state = walk("....\n.AG.\n....").start()
    for nodes in (1, 2, 5, 40):
        agent = make_agent("mcts", seed=1, budget=300, max_nodes=nodes)
        action = agent.act(state)
        assert action in ACTIONS
        assert nodes < 40 or action == "RIGHT"


def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    assert state.actions == ("RIGHT",)
    agent: Any = make_agent("mcts", seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "RIGHT"
    assert agent.calls == 0


def test_two_players_race_and_each_wins_alone() -> None:
    game = walk("A.G.....B")
    first = make_agent("mcts", seed=1, budget=800)
    idle = make_agent("nothing", seed=2, player=1)
    assert play(game, [first, idle], max_ticks=30).winner == (1, 0)
    game = walk("A.....G.B")
    second = make_agent("mcts", seed=1, budget=800, player=1)
    assert play(game, [make_agent("nothing", seed=2), second], max_ticks=30).winner == (0, 1)


# --- the published search, written again from its description ---------------------------------------------------------


class JavaRandom:
    """java.util.Random with Python's own integers."""

    def __init__(self, seed: int) -> None:
        self.state = scramble(seed)

    def bits(self, count: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        return self.state >> (48 - count)

    def below(self, bound: int) -> int:
        if bound & (bound - 1) == 0:
            return bound * self.bits(31) >> 31
        while True:
            bits = self.bits(31)
            if bits - bits % bound + bound - 1 < 2**31:
                return bits % bound

    def real(self) -> float:
        high = self.bits(26)
        return ((high << 27) + self.bits(27)) / 2**53


class Node:
    def __init__(self, action: str = "") -> None:
        self.action = action
        self.children: dict[str, Node] = {}
        self.visits = 0
        self.total = 0.0
        self.low = math.inf
        self.high = -math.inf


class Reference:
    """Open-loop MCTS over Python objects: reference/agents 11.6, with the random streams of this toolkit."""

    EPSILON = 1e-6

    def __init__(self, seed: int, budget: int) -> None:
        self.random = JavaRandom(seed)
        self.budget = budget

    def noise(self, value: float) -> float:
        return (value + self.EPSILON) * (1 + self.EPSILON * (self.random.real() - 0.5))

    def act(self, state: TinyState) -> str:
        root = Node()
        calls = 0
        while calls < self.budget:
            copy = state.copy()
            seed = (self.random.bits(32) << 16) + self.random.bits(16)
            copy.game.call("reseed", copy.address, seed)
            path = [root]
            while not copy.is_over and len(path) <= 10:
                missing = [a for a in copy.actions if a not in path[-1].children]
                if missing:
                    draws = {a: self.random.real() for a in copy.actions}
                    action = max(missing, key=draws.__getitem__)
                    path[-1].children[action] = Node(action)
                else:
                    action = self.best(path[-1], copy.actions)
                path.append(path[-1].children[action])
                copy.advance(action)
                calls += 1
                if missing:
                    break
            depth = len(path) - 1
            while not copy.is_over and depth < 10:
                copy.advance(copy.actions[self.random.below(len(copy.actions))])
                calls += 1
                depth += 1
            value = copy.score + 1e7 * copy.game.call("outcome", copy.address, 0)
            for node in path:
                node.visits += 1
                node.total += value
                node.low = min(node.low, value)
                node.high = max(node.high, value)
        return self.recommended(root, state.actions)

    def best(self, node: Node, actions: tuple[str, ...]) -> str:
        values = {}
        for action in actions:
            child = node.children[action]
            visits = child.visits + self.EPSILON
            value = child.total / visits
            if node.low < node.high:
                value = (value - node.low) / (node.high - node.low)
            values[action] = self.noise(value + math.sqrt(2) * math.sqrt(math.log(node.visits + 1) / visits))
        return max(actions, key=values.__getitem__)

    def recommended(self, root: Node, actions: tuple[str, ...]) -> str:
        known = [root.children[a] for a in actions if a in root.children]
        alike = len({c.visits for c in known}) == 1
        values = {
            c.action: self.noise(c.total / (c.visits + self.EPSILON) if alike else float(c.visits)) for c in known
        }
        return max(values, key=values.__getitem__)


@pytest.mark.parametrize("about", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("budget", [3, 25, 160])
def test_is_the_published_search_draw_by_draw(about: dict[str, Any], budget: int) -> None:
    assert_decides_as("mcts", Reference(11, budget), about, budget)
