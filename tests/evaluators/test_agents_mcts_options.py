"""The options of Monte Carlo tree search: each does what its paper says, and none of them costs reproducibility."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tiny_engine import sliding, walk

from pcg.engine.game import load
from pcg.engine.kernel.runtime import invoke3
from pcg.evaluators.agents import AGENTS, AgentError, make_agent, play
from pcg.evaluators.agents.kernel.avatar_position import position_and_orientation
from pcg.evaluators.agents.kernel.move_statistics import ENTRY, HEAD
from pcg.evaluators.agents.kernel.tree import PRUNED, TESTED

pytestmark = pytest.mark.kernel

OPTIONS: dict[str, dict[str, Any]] = {
    "history": {"history": 2.0},
    "nst": {"nst": True, "nst_visits": 2},
    "reuse": {"reuse": True},
    "samples": {"samples": 3},
    "loss_avoidance": {"loss_avoidance": True},
    "novelty": {"novelty": True},
    "knowledge": {"knowledge": True},
    "transpositions": {"transpositions": True},
    "careful": {"opponent": "careful"},
    "all_open": {
        "history": 1.0, "nst": True, "reuse": True, "samples": 2, "loss_avoidance": True, "novelty": True,
        "knowledge": True, "transpositions": True,
    },
    "all_closed": {
        "closed_loop": True, "history": 1.0, "nst": True, "samples": 2, "loss_avoidance": True, "novelty": True,
        "knowledge": True, "transpositions": True,
    },
}  # fmt: skip

by_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def searched(state: Any, budget: int = 300, seed: int = 1, **options: Any) -> Any:
    """An agent that has decided about the state once, and the tree it did so with."""
    agent: Any = make_agent("mcts", seed=seed, budget=budget, **options)
    agent.reset(state)
    agent.act(state)
    return agent, tree_of(agent)


def tree_of(agent: Any) -> Any:
    return next(t for t in agent._trees if t.address == agent._record["search"])


def children(tree: Any, node: int = 0) -> dict[int, int]:
    """Node by action code."""
    found = {}
    child = int(tree._kept["first"][node])
    while child >= 0:
        found[int(tree._kept["action"][child])] = child
        child = int(tree._kept["sibling"][child])
    return found


# --- what holds with every option -------------------------------------------------------------------------------------


@by_option
@pytest.mark.parametrize("seed", range(2))
def test_takes_the_win_one_step_away(seed: int, options: dict[str, Any]) -> None:
    assert make_agent("mcts", seed=seed, budget=300, **options).act(walk("....\n.AG.\n....").start()) == "RIGHT"


@by_option
@pytest.mark.parametrize("seed", range(2))
def test_avoids_the_loss_one_step_away(seed: int, options: dict[str, Any]) -> None:
    assert make_agent("mcts", seed=seed, budget=400, **options).act(walk("#x##\nxA..\n#x##").start()) == "RIGHT"


@by_option
def test_a_small_tree_still_decides(options: dict[str, Any]) -> None:
    state = walk("....\n.AG.\n....").start()
    for nodes in (1, 3, 6):
        agent = make_agent("mcts", seed=1, budget=100, max_nodes=nodes, **options)
        assert agent.act(state) in ("UP", "LEFT", "DOWN", "RIGHT")


def test_the_preset_is_what_the_table_says() -> None:
    agent: Any = make_agent("enhanced", seed=1)
    told = {p.name: p.default for p in AGENTS["enhanced"].params}
    assert {name: getattr(agent, name) for name in told} == told
    direct = type(agent)(seed=1)
    assert {name: getattr(direct, name) for name in told} == told
    assert told["reuse"] and told["nst"] and told["novelty"] and told["samples"] == 3


# --- breadth-first initialisation and safety --------------------------------------------------------------------------


def test_safety_prunes_the_actions_that_lose_at_once() -> None:
    _, tree = searched(walk("#x##\nxA..\n#x##").start(), samples=1)
    marks = {action: int(tree._kept["mark"][node]) & PRUNED for action, node in children(tree).items()}
    assert marks == {1: PRUNED, 2: PRUNED, 3: PRUNED, 4: 0}
    assert [tree._kept["visits"][children(tree)[a]] for a in (1, 2, 3)] == [1.0, 1.0, 1.0]  # never again


def test_where_every_action_loses_none_is_pruned() -> None:
    _, tree = searched(walk("#x#\nxAx\n#x#").start(), samples=1)
    assert [int(tree._kept["mark"][node]) & PRUNED for node in children(tree).values()] == [0] * 4


def test_games_with_chance_are_sampled_as_often_as_asked() -> None:
    state = walk("....\n.A..\n....", wind=500).start()
    agent, tree = searched(state, budget=12, samples=3)
    assert agent.calls == 12
    assert [tree._kept["visits"][node] for node in children(tree).values()] == [3.0] * 4


# --- loss avoidance ---------------------------------------------------------------------------------------------------

LEDGE = "xxxxxx\nA....c\nxxxxxx"


def test_avoidable_losses_do_not_count_above_the_node_that_is_lost() -> None:
    _, plain = searched(walk(LEDGE).start(), recommend="value")
    _, tree = searched(walk(LEDGE).start(), recommend="value", loss_avoidance=True)
    assert plain._kept["total"][0] / plain._kept["visits"][0] < -1e6
    assert tree._kept["total"][0] / tree._kept["visits"][0] > -1e6
    up = children(tree)[1]
    assert tree._kept["total"][up] == -1e7 * tree._kept["visits"][up]


# --- novelty ----------------------------------------------------------------------------------------------------------


def test_actions_that_change_nothing_are_pruned() -> None:
    # walls on three sides: these actions leave the state, and so all its features, as they were
    _, tree = searched(walk("A......G").start(), novelty=True)
    nodes = children(tree)
    assert int(tree._kept["mark"][0]) & TESTED
    assert {action: int(tree._kept["mark"][node]) & PRUNED for action, node in nodes.items()} == {
        1: PRUNED,
        2: PRUNED,
        3: PRUNED,
        4: 0,
    }
    assert tree._kept["visits"][nodes[4]] > 0.8 * tree._kept["visits"][0]


def test_where_nothing_is_new_nothing_is_pruned() -> None:
    _, tree = searched(walk("A").start(), novelty=True)
    assert [int(tree._kept["mark"][node]) & PRUNED for node in children(tree).values()] == [0] * 4


# --- knowledge --------------------------------------------------------------------------------------------------------

FAR = "A" + "." * 20 + "G"


def test_knowledge_walks_a_corridor_longer_than_the_rollouts() -> None:
    for seed in range(3):
        assert play(walk(FAR), make_agent("mcts", seed=seed, budget=200, knowledge=True), max_ticks=60).winner == 1
    assert play(walk(FAR), make_agent("mcts", seed=0, budget=200), max_ticks=60).winner != 1


def test_what_a_meeting_brings_moves_the_weight_of_its_kind() -> None:
    agent, tree = searched(walk("Ac.").start(), knowledge=True)
    weights = tree._kept["knowledge"]._kept["weights"].reshape(-1, 2)
    assert weights[3, 0] == pytest.approx(1.0)  # coins bring a point, as resources are thought to
    assert weights[3, 1] == 0.1  # and have been met so often that little is left to learn
    assert weights[1].tolist() == [1.0, 0.8]  # goals have not been met
    assert agent.calls >= 300


# --- statistics of moves ----------------------------------------------------------------------------------------------


def combine(key: int, value: int) -> int:
    return ((key ^ value) * 1103515245 + 12345) % 2147483647


def statistics(tree: Any) -> dict[int, tuple[float, float]]:
    """Weight and total by key, of entries of the latest decision."""
    words = tree._kept["moves"]._kept["table"]
    entries = words[HEAD // 8 :].reshape(-1, ENTRY // 8)
    numbers = entries.view(np.float64)
    return {
        int(entry[0]): (float(number[2]), float(number[3]))
        for entry, number in zip(entries, numbers, strict=False)
        if entry[0] > 0 and entry[1] == words[0]
    }


def single(action: int) -> int:
    """The key of an action where all places are alike."""
    return combine(0, combine(0, action + 1))


@pytest.mark.parametrize("options", [{"history": 1.0}, {"nst": True}, {"nst": True, "closed_loop": True}])
def test_every_simulated_move_is_counted_once(options: dict[str, Any]) -> None:
    agent, tree = searched(walk("....\n.Ac.\n....").start(), **options)
    known = statistics(tree)
    moves = sum(known[single(action)][0] for action in range(1, 5))
    if "closed_loop" in options:  # moves inside the tree are not simulated again, but they were made
        assert moves > agent.calls
    else:
        assert moves == agent.calls
        assert len(known) == 4 or "nst" in options


def test_sequences_are_counted_with_the_moves_that_end_them() -> None:
    _, tree = searched(walk("....\n.Ac.\n....").start(), nst=True)
    known = statistics(tree)
    pairs = [combine(single(b), combine(0, a + 1)) for a in range(1, 5) for b in range(1, 5)]
    root_visits = tree._kept["visits"][0]
    # every move ends a pair except the first of each simulation
    assert sum(known[p][0] for p in pairs) == sum(known[single(a)][0] for a in range(1, 5)) - root_visits


def test_rollouts_prefer_what_has_proved_good() -> None:
    # the way to the coins is always to the right
    state = walk("A" + "c" * 12).start()
    _, plain = searched(state, history=1.0)
    _, guided = searched(state, nst=True, nst_epsilon=0.1)

    def share(tree: Any) -> float:
        known = statistics(tree)
        return known[single(4)][0] / sum(known[single(a)][0] for a in range(1, 5))

    assert share(guided) > share(plain) + 0.1


def test_old_statistics_fade() -> None:
    state = walk("....\n.Ac.\n....", wind=1).start()
    agent, _ = searched(state, history=1.0, decay=0.25)
    first = {a: statistics(tree_of(agent))[single(a)][0] for a in range(1, 5)}
    made = agent.calls
    agent.act(state)
    both = {a: statistics(tree_of(agent))[single(a)][0] for a in range(1, 5)}
    assert sum(both.values()) == pytest.approx(0.25 * sum(first.values()) + agent.calls - made)


def test_values_count_from_the_score_of_the_state_at_hand() -> None:
    state = walk("Acc" + "." * 12).start()
    agent, _ = searched(state, history=1.0)
    for _ in range(2):
        state.advance("RIGHT")
    assert state.score == 2
    agent.reset(state)
    agent.act(state)
    assert {total for _, total in statistics(tree_of(agent)).values()} == {0.0}  # no coin is left to be had


# --- reuse ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wind", "kept"), [(1, 0.5), (0, 1.0)])
def test_the_next_decision_starts_from_the_subtree_of_the_action_played(wind: int, kept: float) -> None:
    state = walk("......\n..A...\n......", wind=wind).start()
    agent, tree = searched(state, budget=600, reuse=True, decay=0.5)
    action = agent.act(state)  # a second decision about the same state is one about the next to the agent
    tree = tree_of(agent)
    below = children(tree)[("NIL", "UP", "LEFT", "DOWN", "RIGHT").index(action)]
    old_visits = tree._kept["visits"][below]
    old_children = {a: tree._kept["visits"][n] for a, n in children(tree, below).items()}
    assert len(old_children) == 4
    state.advance(action)
    agent.act(state)
    tree = tree_of(agent)
    new = tree._kept["visits"][0] - kept * old_visits
    assert new == pytest.approx(round(new)) and 60 <= round(new) <= 600
    assert all(tree._kept["visits"][children(tree)[a]] > kept * visits for a, visits in old_children.items())


def test_a_reset_forgets() -> None:
    state = walk("......\n..A...\n......").start()
    agent, tree = searched(state, reuse=True, history=1.0, knowledge=True)
    fresh = tree._kept["visits"][0]
    agent.act(state)
    assert tree_of(agent)._kept["visits"][0] > fresh
    agent.reset(state)
    agent.act(state)
    assert tree_of(agent)._kept["visits"][0] == fresh


@pytest.mark.parametrize("name", ["enhanced", "mcts:history=1,nst=true,knowledge=true"])
def test_a_reset_forgets_where_the_first_move_is_forced(name: str) -> None:
    def decide_twice(agent: Any) -> Any:
        state = sliding("012345", width=6).start()
        agent.reset(state)
        state.advance(agent.act(state))
        agent.act(state)
        return statistics(tree_of(agent))

    agent = make_agent(name, seed=1, budget=60)
    first = decide_twice(agent)
    assert first and decide_twice(agent) == first


def test_a_closed_loop_cannot_be_reused() -> None:
    with pytest.raises(AgentError, match="open loop"):
        make_agent("mcts", reuse=True, closed_loop=True)


# --- transpositions ---------------------------------------------------------------------------------------------------


def test_two_orders_of_the_same_moves_share_their_values() -> None:
    _, tree = searched(walk(".....\n.....\n..A..\n.....\n....c").start(), budget=800, transpositions=True)
    shared = tree._kept["shared"]._kept
    up, right = children(tree)[1], children(tree)[4]
    one, other = children(tree, up)[4], children(tree, right)[1]
    assert shared["owner"][one] == shared["owner"][other]
    assert shared["owner"][up] != shared["owner"][right]
    owner = shared["owner"][one]
    alike = [n for n in range(tree["used"]) if shared["owner"][n] == owner]
    assert shared["visits"][owner] == sum(tree._kept["visits"][n] for n in alike)
    assert shared["total"][owner] == pytest.approx(sum(tree._kept["total"][n] for n in alike))


def test_shared_values_stay_sums_when_a_tree_is_reused() -> None:
    state = walk(".....\n.....\n..A..\n.....\n....c").start()
    agent, _ = searched(state, budget=800, transpositions=True, reuse=True)
    state.advance(agent.act(state))
    agent.act(state)
    tree = tree_of(agent)
    shared = tree._kept["shared"]._kept
    used = tree["used"]
    sums = np.zeros(used)
    np.add.at(sums, shared["owner"][:used], tree._kept["visits"][:used])
    owners = np.unique(shared["owner"][1:used])
    assert sums[owners] == pytest.approx(shared["visits"][owners])


def test_chance_leaves_nothing_to_share() -> None:
    _, tree = searched(walk("A..c", wind=1).start(), transpositions=True)
    assert tree["shared"] == 0


# --- opponents --------------------------------------------------------------------------------------------------------


def test_a_careful_opponent_is_not_expected_to_blunder() -> None:
    _, tree = searched(walk("A....\n...xB\n....x").start(), opponent="careful")
    safe = tree._kept["safe"]
    assert safe[0, 0] == 0
    assert sorted(safe[1, 1 : 1 + safe[1, 0]].tolist()) == [0, 1, 4]  # neither into the pit below nor to the left


def test_a_careful_opponent_costs_its_simulations() -> None:
    state = walk("A....\n...xB\n....x").start()
    agent, tree = searched(state, budget=5, opponent="careful")
    assert agent.calls == 5  # one for each move of the opponent, and nothing is left
    assert tree["used"] == 1


def test_both_players_may_be_enhanced() -> None:
    agents = [make_agent("enhanced", seed=1, budget=200), make_agent("enhanced", seed=2, budget=200, player=1)]
    playout = play(walk("A.G.....B"), agents, max_ticks=30)
    assert playout.winner == (1, 0)


# --- places -----------------------------------------------------------------------------------------------------------

ROOM = """
BasicGame
    SpriteSet
        hero > OrientedAvatar
    InteractionSet
        hero wall > stepBack
    LevelMapping
        A > hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
"""


def test_places_tell_positions_and_orientations_apart() -> None:
    state = load(ROOM, levels=["wwwww\nw   w\nw A w\nw   w\nwwwww"]).start()
    game = int(state.model._record[0]["game"])
    seen = []
    for action in ("RIGHT", "RIGHT", "LEFT", "LEFT", "RIGHT"):
        state.advance(action)
        seen.append(int(invoke3(position_and_orientation.address, game, state.address, 0)))
    assert all(0 < place < 2**31 for place in seen)
    assert len(set(seen)) >= 3
    assert math.isfinite(sum(seen))
