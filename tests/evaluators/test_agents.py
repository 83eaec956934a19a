"""Agents that do not search, the table of agents, budgets, and agents that users write; on two tiny engines."""

from __future__ import annotations

import doctest
from collections import Counter
from typing import Any

import pytest
from tiny_engine import TinyState, sliding, walk

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators import parameters
from pcg.evaluators.agents import (
    AGENTS,
    HEURISTICS,
    Agent,
    AgentError,
    Budget,
    base,
    graph_search,
    make_agent,
    play,
    playout,
    recorded_play,
    register,
    registry,
)
from pcg.evaluators.agents.compiled import grow_model

pytestmark = pytest.mark.kernel

ROOM = """
....
.A..
....
"""


def decisions(name: str, state: TinyState, number: int, **about: Any) -> list[str]:
    agent = make_agent(name, **about)
    agent.reset(state)
    return [str(agent.act(state)) for _ in range(number)]


# --- nothing and random -----------------------------------------------------------------------------------------------


def test_nothing_does_nothing() -> None:
    assert decisions("nothing", walk(ROOM).start(), 5, seed=1) == ["NIL"] * 5


def test_random_draws_available_actions_uniformly() -> None:
    counts = Counter(decisions("random", walk(ROOM).start(), 4000, seed=5))
    assert set(counts) == {"UP", "LEFT", "DOWN", "RIGHT"}
    assert all(900 < n < 1100 for n in counts.values())


def test_random_plays_only_what_the_state_allows() -> None:
    corner = sliding("123456780").start()
    corner.advance("NIL")
    assert corner.actions == ()
    assert decisions("random", corner, 3, seed=1) == ["NIL"] * 3
    assert set(decisions("random", sliding("012345678").start(), 50, seed=1)) == {"DOWN", "RIGHT"}


def test_same_seed_same_decisions_and_other_seed_others() -> None:
    state = walk(ROOM).start()
    assert decisions("random", state, 50, seed=7) == decisions("random", state, 50, seed=7)
    assert decisions("random", state, 50, seed=7) != decisions("random", state, 50, seed=8)


def test_reset_starts_the_random_stream_again() -> None:
    state = walk(ROOM).start()
    agent = make_agent("random", seed=3)
    first = [agent.act(state) for _ in range(20)]
    agent.reset(state)
    assert [agent.act(state) for _ in range(20)] == first


# --- one step ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_onestep_takes_the_win_beside_it_and_shuns_the_pit(seed: int) -> None:
    state = walk("xAG\n.x.").start()
    assert decisions("onestep", state, 4, seed=seed) == ["RIGHT"] * 4


@pytest.mark.parametrize("seed", range(5))
def test_onestep_picks_up_the_coin_beside_it(seed: int) -> None:
    assert decisions("onestep", walk("...\ncA.\n...").start(), 3, seed=seed) == ["LEFT"] * 3


def test_simple_heuristic_walks_to_the_nearest_portal() -> None:
    game = walk("G.......A.G")
    playout = play(game, make_agent("onestep", seed=1, heuristic="simple"), max_ticks=20)
    assert playout.actions == ("RIGHT", "RIGHT")


def test_heuristics_differ_where_only_one_sees_the_way() -> None:
    state = walk("A....G").start()
    blind = set(decisions("onestep", state, 30, seed=1, heuristic="winscore"))
    assert len(blind) > 1
    assert set(decisions("onestep", state, 30, seed=1, heuristic="simple")) == {"RIGHT"}


def test_averaging_several_samples_judges_chance_better() -> None:
    state = walk("......\n.A...G", wind=600).start()
    assert state.model.stochastic
    rare = Counter(decisions("onestep", state, 60, seed=1, heuristic="simple"))["RIGHT"]
    often = Counter(decisions("onestep", state, 60, seed=1, heuristic="simple", samples=60))["RIGHT"]
    assert often > 55 > rare


# --- budgets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        (None, Budget(calls=1000)),
        (250, Budget(calls=250)),
        ("250", Budget(calls=250)),
        ("40ms", Budget(milliseconds=40)),
        (" 1.5 ms ", Budget(milliseconds=1.5)),
    ],
)
def test_a_budget_is_read_from_numbers_and_texts(given: Any, budget: Budget) -> None:
    assert Budget.read(given) == budget
    assert make_agent("mcts", budget=given).budget == budget  # type: ignore[attr-defined]


@pytest.mark.parametrize("given", ["", "ms", "1.5", "-3", "0", "0ms", "40 s", "1e3", 0, -1])
def test_a_wrong_budget_is_named(given: Any) -> None:
    with pytest.raises(AgentError, match="budget"):
        Budget.read(given)


def test_a_budget_is_calls_or_time_not_both() -> None:
    with pytest.raises(AgentError, match="not both"):
        Budget(calls=1, milliseconds=1)


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_agent_of_the_table_explains_itself() -> None:
    assert set(AGENTS) >= {"nothing", "random", "onestep", "mcts", "solver"}
    for entry in AGENTS.values():
        assert entry.help
        assert all(p.help and p.default is not None for p in entry.params)
        agent = make_agent(entry.name, seed=9, **{p.name: p.default for p in entry.params})
        assert type(agent) is entry.cls and agent.seed == 9


def test_parameters_stand_in_the_name_or_in_keywords() -> None:
    agent: Any = make_agent("mcts:depth=12, c=0.5,closed_loop=true,budget=40ms", seed=1)
    assert (agent.depth, agent.c, agent.closed_loop, agent.budget) == (12, 0.5, True, Budget(milliseconds=40))
    agent = make_agent("mcts:depth=12,budget=40ms", seed=1, depth=7, budget=99)
    assert (agent.depth, agent.budget) == (7, Budget(calls=99))


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("mtcs", {}, "unknown agent `mtcs`, did you mean `mcts`"),
        ("zzz", {}, "expected one of .*nothing"),
        ("mcts", {"dept": 3}, "no parameter `dept`, did you mean `depth`"),
        ("mcts", {"depth": 0}, "depth.*at least 1|depth.*from 1"),
        ("mcts", {"depth": "deep"}, "depth"),
        ("mcts", {"c": -1}, "`c`"),
        ("mcts:depth", {}, "parameter=value"),
        ("onestep", {"heuristic": "winscor"}, "did you mean `winscore`"),
        ("nothing", {"depth": 1}, "no parameter `depth`"),
    ],
)
def test_a_wrong_name_or_parameter_is_one_clear_error(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_agent(name, seed=1, **params)


def test_heuristics_are_choices_of_the_one_step_agent() -> None:
    (heuristic,) = (p for p in AGENTS["onestep"].params if p.name == "heuristic")
    assert tuple(heuristic.choices) == tuple(HEURISTICS)


def test_agents_have_a_readable_repr() -> None:
    assert repr(make_agent("mcts", seed=3, budget=500)) == "<agent MCTS, Budget(calls=500), seed 3>"


# --- agents that users write ------------------------------------------------------------------------------------------


class Greedy(Agent):
    """Plays the action after which the score is highest."""

    def act(self, state: Any) -> str:
        def score_after(action: str) -> float:
            future = state.copy()
            future.advance(action)
            return float(future.score)

        return max(state.actions, key=score_after)


def test_an_agent_of_ten_lines_plays() -> None:
    playout = play(walk("Accc"), Greedy(), max_ticks=3)
    assert playout.actions == ("RIGHT",) * 3
    assert playout.score == 3


def test_a_registered_agent_is_made_by_name() -> None:
    @register("leftist", "walks left")
    class Leftist(Agent):
        def act(self, state: Any) -> str:
            return "LEFT"

    try:
        assert play(walk("c.A"), "leftist", max_ticks=2).score == 1
        with pytest.raises(AgentError, match="leftist"):
            register("leftist", "another")(Greedy)
    finally:
        AGENTS.unregister("leftist")


def test_none_is_doing_nothing() -> None:
    class Idle(Agent):
        def act(self, state: Any) -> None:
            return None

    assert play(walk(ROOM), Idle(), max_ticks=2).actions == ("NIL", "NIL")


@pytest.mark.parametrize("answer", ["JUMP", 3, "up", ("UP",)])
def test_an_answer_that_is_no_action_is_named(answer: Any) -> None:
    class Confused(Agent):
        def act(self, state: Any) -> Any:
            return answer

    with pytest.raises(AgentError, match="expected one of NIL, UP"):
        play(walk(ROOM), Confused())


def test_an_agent_that_says_nothing_about_acting_is_named() -> None:
    with pytest.raises(NotImplementedError, match="Agent"):
        Agent().act(walk(ROOM).start())


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_state_that_outgrows_any_memory_is_one_clear_error() -> None:
    model = walk(ROOM, crumbs=True).model
    with pytest.raises(AgentError, match="outgrows"):
        grow_model(model, 2**17)
    room = model.room
    grow_model(model, room)
    grow_model(model, room)  # someone else has grown it already
    assert model.room == 2 * room


def test_the_examples_in_docstrings_run() -> None:
    modules = (base, graph_search, playout, recorded_play, registry, parameters)
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert [name for name, result in results.items() if result.failed or not result.attempted] == []
