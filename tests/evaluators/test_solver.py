"""The solver: shortest plans, proofs that there is none, bounded memory; against searches written in plain Python."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import pytest
from tiny_engine import TinyGame, sliding, walk

from pcg.evaluators.agents import AgentError, make_agent, play, solve
from pcg.evaluators.agents.base import Budget
from pcg.evaluators.agents.graph_search import GraphSearch
from pcg.evaluators.agents.resumable_search import BudgetMeter, ResumableSearch, SearchMethod

pytestmark = pytest.mark.kernel


def distances(goal: str, width: int) -> dict[str, int]:
    """Moves from every solvable arrangement of tiles to the goal."""
    known = {goal: 0}
    queue = deque([goal])
    while queue:
        tiles = queue.popleft()
        blank = tiles.index("0")
        for step in (-1, 1, -width, width):
            to = blank + step
            beside = abs(to % width - blank % width) + abs(to // width - blank // width) == 1
            if 0 <= to < len(tiles) and beside:
                after = list(tiles)
                after[blank], after[to] = after[to], "0"
                text = "".join(after)
                if text not in known:
                    known[text] = known[tiles] + 1
                    queue.append(text)
    return known


SMALL = distances("123450", 3)
HARD = max(sorted(SMALL), key=SMALL.__getitem__)


def wins(game: TinyGame, actions: tuple[str, ...]) -> bool:
    state = game.start()
    for action in actions:
        assert not state.is_over
        state.advance(action)
    return state.is_over and state.score > 0


# --- shortest plans and proofs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tiles", sorted(SMALL)[::37])
def test_breadth_first_finds_a_shortest_plan(tiles: str) -> None:
    game = sliding(tiles)
    solution = solve(game.start())
    assert solution.status == "solved" and solution.optimal
    assert len(solution.actions) == SMALL[tiles]
    assert tiles == "123450" or wins(game, solution.actions)


@pytest.mark.parametrize("tiles", sorted(SMALL)[::37])
def test_astar_with_a_bound_finds_a_shortest_plan_with_less_effort(tiles: str) -> None:
    game = sliding(tiles)
    # the feature is the sum of the tiles' distances: never more than the moves left
    solution = solve(game.start(), algorithm="astar", weights=[1, 0])
    assert len(solution.actions) == SMALL[tiles]
    assert solution.calls <= solve(game.start()).calls
    assert tiles == "123450" or wins(game, solution.actions)


def test_astar_without_an_estimate_is_as_exact_as_breadth_first() -> None:
    solution = solve(sliding(HARD).start(), algorithm="astar")
    assert solution.optimal and len(solution.actions) == SMALL[HARD]


def test_trusting_the_estimate_more_finds_longer_plans_sooner() -> None:
    state = sliding("806547231").start()
    exact = solve(state, max_nodes=200_000, algorithm="astar", weights=[1, 0])
    hasty = solve(state, max_nodes=200_000, algorithm="astar", weights=[1, 0], weight=5)
    assert hasty.nodes < exact.nodes
    assert len(hasty.actions) >= len(exact.actions)
    assert wins(sliding("806547231"), hasty.actions)
    assert not hasty.optimal


@pytest.mark.parametrize("algorithm", ["bfs", "astar"])
def test_proves_that_half_of_all_arrangements_cannot_be_solved(algorithm: str) -> None:
    for tiles in ("213450", "132450", "124350"):
        assert tiles not in SMALL
        solution = solve(sliding(tiles).start(), algorithm=algorithm, weights=[1, 0])
        assert solution.status == "unsolvable" and solution.actions == ()
        assert solution.nodes == len(SMALL)


def test_misleading_estimates_still_lead_to_plans_that_win() -> None:
    for weights in ([-3, 0], [50, 0], [0.4, 0]):
        solution = solve(sliding(HARD).start(), algorithm="astar", weights=weights)
        assert wins(sliding(HARD), solution.actions)
        assert len(solution.actions) >= SMALL[HARD]


def test_a_node_reached_sooner_later_on_is_opened_again() -> None:
    # weighing coins makes the search prefer detours over coins, whose ends are then reached sooner without them
    rows = """
    A....
    .##c.
    .#ccc
    c.c.G
    """
    exact = solve(walk(rows).start())
    for weight in (0.5, 1.0, 3.0, 8.0):
        weights = [0, 0, 0, 1, 0, 0, weight, 0.5]
        solution = solve(walk(rows).start(), algorithm="astar", weights=weights)
        state = walk(rows).start()
        for action in solution.actions:
            state.advance(action)
        assert state.words()[11] == 1
        assert len(solution.actions) >= len(exact.actions)


def test_a_plan_counts_as_shortest_when_the_estimate_is_said_to_be_a_bound() -> None:
    def found(**about: Any) -> Any:
        return solve(sliding(HARD).start(), algorithm="astar", weights=[1, 0], **about)

    assert found(admissible=True).optimal and not found().optimal
    assert not found(admissible=True, weight=2).optimal
    assert len(found(admissible=True).actions) == SMALL[HARD]


# --- progress ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["bfs", "astar"])
def test_progress_is_told_and_changes_nothing(algorithm: str) -> None:
    state = sliding("806547231").start()
    told: list[Any] = []
    watched = solve(state, max_nodes=30_000, algorithm=algorithm, progress=told.append)
    assert watched == solve(state, max_nodes=30_000, algorithm=algorithm)
    assert len(told) == watched.calls // 20_000 > 1
    for before, now in pairwise(told):
        assert before.nodes < now.nodes and before.calls < now.calls and before.depth <= now.depth
        assert 0 < now.open <= now.nodes


def test_what_the_callback_raises_ends_the_search() -> None:
    def stop(progress: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(sliding("806547231").start(), max_nodes=100_000, progress=stop)


# --- dead ends and limits ---------------------------------------------------------------------------------------------


def test_lost_states_are_dead_ends() -> None:
    around = solve(walk("A.x.G\n.#x#.\n.....").start())
    assert around.status == "solved" and len(around.actions) == 8
    assert solve(walk("Ax.G").start()).status == "unsolvable"


def test_an_end_without_a_winner_is_a_dead_end() -> None:
    assert solve(walk("A....G", limit=5).start()).status == "solved"
    assert solve(walk("A....G", limit=4).start()).status == "unsolvable"


def test_a_state_that_is_won_already_needs_no_action() -> None:
    state = walk("AG").start()
    state.advance("RIGHT")
    solution = solve(state)
    assert (solution.status, solution.actions, solution.calls) == ("solved", (), 0)


def test_a_state_that_is_lost_already_has_no_plan() -> None:
    state = walk("Ax").start()
    state.advance("RIGHT")
    assert solve(state).status == "unsolvable"


def test_a_spent_budget_proves_nothing_but_points_somewhere() -> None:
    state = walk("A.c......G").start()
    solution = solve(state, max_nodes=5)
    assert solution.status == "budget" and solution.nodes == 5
    assert solution.promising == ("RIGHT", "RIGHT")  # the coin


def test_plans_beyond_the_tick_limit_are_not_denied() -> None:
    state = walk("A.....G").start()
    assert solve(state, max_ticks=5).status == "budget"
    assert len(solve(state, max_ticks=6).actions) == 6


def test_with_lasting_actions_nothing_is_proved() -> None:
    assert solve(walk("A.#G").start()).status == "unsolvable"
    assert solve(walk("A.#G").start(), stride=2).status == "budget"
    found = solve(walk("A....G").start(), stride=2)
    assert found.status == "solved" and not found.optimal
    assert len(found.actions) == 6


def test_games_of_chance_are_declined() -> None:
    assert solve(walk("A.G", wind=100).start()).status == "stochastic"


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"algorithm": "dfs"}, "bfs, astar"),
        ({"max_nodes": 0}, "max_nodes is 0"),
        ({"max_ticks": -1}, "max_ticks is -1"),
        ({"stride": 0}, "stride is 0"),
        ({"weights": [1.0]}, "pairs"),
        ({"weights": [1.0, float("nan")]}, "finite"),
    ],
)
def test_wrong_settings_are_named(about: dict[str, Any], message: str) -> None:
    with pytest.raises(AgentError, match=message):
        solve(walk("A.G").start(), **about)


def test_games_of_two_players_are_declined() -> None:
    with pytest.raises(AgentError, match="one player"):
        solve(walk("A.G.B").start())


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["bfs", "astar"])
def test_the_answer_does_not_depend_on_the_memory(algorithm: str) -> None:
    def found(memory: int) -> Any:
        return solve(sliding(HARD).start(), algorithm=algorithm, weights=[1, 0], memory=memory)

    # the least memory is a few states; with more nodes open than that, states are made again from their paths
    tight, ample = found(0), found(2**26)
    assert (tight.actions, tight.nodes, tight.status) == (ample.actions, ample.nodes, ample.status)
    assert tight.calls > ample.calls or algorithm == "astar"


def test_states_that_outgrow_their_blocks_are_searched_again() -> None:
    def found(room: int) -> Any:
        return solve(walk("A..x\n.#..\n...G", crumbs=True, room=room).start())

    assert found(1) == found(100)
    assert len(found(1).actions) == 5


def test_a_resumed_search_whose_states_outgrow_their_blocks_begins_anew_in_larger_ones() -> None:
    def found(room: int) -> tuple[list[str], int, GraphSearch]:
        state = walk("A..x\n.#..\n...G", crumbs=True, room=room).start()
        resumable = ResumableSearch(state.model, 1000)
        table = resumable.search
        resumable.begin(state, SearchMethod("bfs", 1.0, guided=False), 1000)
        while not resumable.ended:
            resumable.resume(BudgetMeter(Budget(calls=7)), 1.0)
        assert resumable.search is table  # nodes and tables stay
        return resumable.plan(), int(table.record["used"]), table

    (small, nodes, grown), (large, others, ample) = found(1), found(100)
    assert (small, nodes) == (large, others)
    assert len(small) == 5
    assert 1 < grown.room < ample.room


# --- the agent --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["bfs", "astar"])
def test_the_agent_plays_the_plan_and_thinks_once(algorithm: str) -> None:
    game = sliding(HARD)
    agent: Any = make_agent("solver", seed=1, algorithm=algorithm, budget=10)
    state = game.start()
    agent.reset(state)
    state.advance(agent.act(state))
    first = agent.calls
    while not state.is_over:
        state.advance(agent.act(state))
    assert state.tick == SMALL[HARD]
    assert agent.calls == first > 10


def test_the_agent_plans_anew_for_a_state_its_plan_does_not_know() -> None:
    agent: Any = make_agent("solver", seed=1)
    near, far = walk("A..G").start(), walk("G...A").start()
    assert [agent.act(near), agent.act(far), agent.act(near)] == ["RIGHT", "LEFT", "RIGHT"]


def test_the_agent_goes_on_to_what_looks_best_when_there_is_no_win_to_find() -> None:
    playout = play(walk("..c.A...c"), make_agent("solver", seed=1, budget=300), max_ticks=30)
    assert playout.score == 2


def test_the_agent_plays_games_of_chance_by_imagined_futures() -> None:
    game = walk("A....\n.#.#.\n....G", wind=150)
    plays = [play(game, make_agent("solver", seed=s, budget=300), seed=s, max_ticks=60) for s in range(5)]
    assert all(p.winner == 1 for p in plays)
    assert len({p.actions for p in plays}) > 1
