"""OLETS finds what there is to find, keeps its tree from tick to tick, and is the search of reference/agents 11.11."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from draw_by_draw import MAPS, assert_decides_as
from test_agents_mcts import JavaRandom
from tiny_engine import ACTIONS, TinyState, sliding, walk

from pcg.engine.game import load
from pcg.engine.kernel.runtime import invoke5
from pcg.evaluators.agents import make_agent, play

pytestmark = pytest.mark.kernel


# --- finding what is there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_takes_the_win_one_step_away(seed: int) -> None:
    assert make_agent("olets", seed=seed, budget=200).act(walk("....\n.AG.\n....").start()) == "RIGHT"


@pytest.mark.parametrize("seed", range(4))
def test_avoids_the_loss_one_step_away(seed: int) -> None:
    assert make_agent("olets", seed=seed, budget=400).act(walk("#x##\nxA..\n#x##").start()) == "RIGHT"


def test_gives_up_little_now_for_more_later() -> None:
    state = walk("c.A.ccc", limit=5).start()
    assert {make_agent("olets", seed=s, budget=1500).act(state) for s in range(4)} == {"RIGHT"}


def test_goes_down_a_corridor_longer_than_the_rollouts_of_others() -> None:
    game = walk("A...........G")
    for seed in range(3):
        assert play(game, make_agent("olets", seed=seed, budget=400), max_ticks=40).winner == 1


def test_a_bounded_tree_still_decides() -> None:
    state = walk("....\n.AG.\n....").start()
    for nodes in (1, 2, 5, 40):
        action = make_agent("olets", seed=1, budget=300, max_nodes=nodes).act(state)
        assert action in ACTIONS
        assert nodes < 40 or action == "RIGHT"


def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    agent: Any = make_agent("olets", seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "RIGHT"
    assert agent.calls == 0


def test_two_players_race_and_each_wins_alone() -> None:
    first = make_agent("olets", seed=1, budget=400)
    assert play(walk("A.G.....B"), [first, make_agent("nothing", player=1)], max_ticks=30).winner == (1, 0)
    second = make_agent("olets", seed=1, budget=400, player=1)
    assert play(walk("A.....G.B"), [make_agent("nothing"), second], max_ticks=30).winner == (0, 1)


# --- the tree and the memory of places --------------------------------------------------------------------------------


def nodes_after(ticks: int, **params: Any) -> int:
    state = walk("......\n..A...\n......").start()
    agent: Any = make_agent("olets", seed=1, budget=100, **params)
    agent.reset(state)
    for _ in range(ticks):
        state.advance(agent.act(state))
    return int(agent._tree["used"])


def test_the_tree_moves_on_with_the_game() -> None:
    alone = nodes_after(1)
    assert nodes_after(4, reuse=False) <= 101
    assert nodes_after(2) > alone / 2  # what lay below the action played is still there
    assert nodes_after(30) <= 401


def test_children_lie_in_the_order_of_the_actions_however_often_the_tree_moved_on() -> None:
    state = walk("......\n..A...\n......").start()
    agent: Any = make_agent("olets", seed=1, budget=100)
    agent.reset(state)
    for _ in range(4):
        state.advance(agent.act(state))
        nodes = agent._tree.kept("nodes")[: agent._tree["used"]]
        families = 0
        for k, node in enumerate(nodes):
            codes, child = [], node["first"]
            while child >= 0:
                assert nodes[child]["parent"] == k and nodes[child]["depth"] == node["depth"] + 1
                codes.append(int(nodes[child]["action"]))
                child = nodes[child]["sibling"]
            assert codes == sorted(set(codes))
            families += len(codes) > 1
        assert families > 3


FIELD = """
BasicGame
    SpriteSet
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
    LevelMapping
        A > hero
    TerminationSet
        Timeout limit=300 win=True
"""
OPEN = "\n".join(["w" * 14, *["w            w"] * 5, "w     A      w", *["w            w"] * 5, "w" * 14])


def test_the_taboo_drives_the_avatar_to_new_places() -> None:
    game = load(FIELD, levels=[OPEN])

    def places(taboo: float) -> int:
        seen = 0
        for seed in range(3):
            agent = make_agent("olets", seed=seed, budget=60, taboo=taboo)
            playout = play(game, agent, max_ticks=30, keep_states=True)
            seen += len({(s.avatar.x, s.avatar.y) for s in playout.states})
        return seen

    assert places(0.5) > 1.5 * places(0.0)


# --- reproducibility --------------------------------------------------------------------------------------------------


def test_a_time_budget_searches_in_slices_and_wins() -> None:
    game = walk("A.....G")
    assert play(game, make_agent("olets", seed=1, budget="40ms"), max_ticks=30).winner == 1


# --- the published search, written again from its description ---------------------------------------------------------


class Node:
    def __init__(self, action: str = "", depth: int = 0) -> None:
        self.action = action
        self.depth = depth
        self.children: dict[str, Node] = {}
        self.visits = self.exits = 0
        self.total = self.exit_total = self.value = self.bias = 0.0
        self.fresh = False

    def below(self) -> list[Node]:
        return [node for child in self.children.values() for node in (child, *child.below())]


class Reference:
    """OLETS over Python objects: reference/agents 11.11, with the random streams of this toolkit."""

    def __init__(self, seed: int, budget: int) -> None:
        self.random = JavaRandom(seed)
        self.budget = budget
        self.root: Node | None = None
        self.places: list[tuple[float, ...]] = []

    def place(self, state: TinyState) -> tuple[float, ...]:
        out = np.zeros(8)
        record = state.game.memory[0]
        invoke5(int(record["features"]), int(record["game"]), state.address, 0, int(out.ctypes.data), 8)
        return tuple(out[1::2].tolist())

    def act(self, state: TinyState) -> str:
        if self.root is not None:
            self.places = [*self.places, self.place(state)][-15:]
        else:
            self.root = Node()
        root = self.root
        calls = 0
        while calls < self.budget:
            copy = state.copy()
            copy.game.call("reseed", copy.address, (self.random.bits(32) << 16) + self.random.bits(16))
            path = [root]
            while not copy.is_over:
                node = path[-1]
                missing = [a for a in copy.actions if a not in node.children]
                if missing:
                    draws = {a: self.random.real() for a in missing}
                    action = max(missing, key=draws.__getitem__)
                    node.children[action] = Node(action, node.depth + 1)
                else:
                    action = self.selected(node, copy.actions)
                child = node.children[action]
                copy.advance(action)
                calls += 1
                path.append(child)
                if not child.fresh:
                    child.bias = 0.5 if self.place(copy) in self.places else 0.0
                if missing or (not child.fresh and len(path) == 2):
                    break
            self.back_up(path, self.worth(copy, path[-1].depth))
        known = [root.children[a] for a in state.actions if a in root.children]
        alike = len({c.visits for c in known}) == 1
        worth = {c.action: (c.total if alike else float(c.visits)) + 1e-4 * self.random.real() for c in known}
        action = max(worth, key=worth.__getitem__)
        self.move_on(root.children[action])
        return action

    def worth(self, state: TinyState, depth: int) -> float:
        value = float(state.score)
        outcome = state.game.call("outcome", state.address, 0) if state.is_over else 0
        if outcome == 1:
            return value + 100 * (1 + abs(value))
        if outcome == -1:
            return value - 2000 / (1 + depth) ** 2 * (1 + abs(value))
        return value

    def selected(self, node: Node, actions: tuple[str, ...]) -> str:
        if self.random.real() < 0.05:
            return actions[self.random.below(len(actions))]
        values = {}
        for action in actions:
            child = node.children[action]
            spread = math.sqrt(math.log(node.visits + 1) / (child.visits + 1e-4))
            values[action] = child.value + math.sqrt(2) * spread - child.bias
        return max(actions, key=values.__getitem__)

    def back_up(self, path: list[Node], value: float) -> None:
        path[-1].exits += 1
        path[-1].exit_total += value
        for node in reversed(path):
            node.visits += 1
            node.total += value
            node.fresh = True
            best = max((c.value for c in node.children.values()), default=0.0)
            node.value = node.exit_total / node.visits + (1 - node.exits / node.visits) * best

    def move_on(self, root: Node) -> None:
        self.root = root
        shift = root.depth
        root.depth = 0
        for node in root.below():
            node.depth -= shift
            node.total /= node.visits
            node.exit_total = node.exit_total / node.exits if node.exits else node.total
            node.visits = node.exits = 1
            node.value = node.total
            node.fresh = False


@pytest.mark.parametrize("about", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("budget", [3, 25, 160])
def test_is_the_published_search_draw_by_draw(about: dict[str, Any], budget: int) -> None:
    assert_decides_as("olets", Reference(11, budget), about, budget)
