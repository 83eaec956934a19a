"""Agents on boards: nobody waits where a move has to be made, alpha-beta finds the value, UCT finds wins and blocks."""

from __future__ import annotations

import random
from functools import cache

import pytest
import tiny_engine

from pcg.engine.boards import ConnectState, ConnectX
from pcg.evaluators.agents import AgentError, make_agent, play

pytestmark = pytest.mark.kernel

GAME = ConnectX()


def position(*columns: int, game: ConnectX = GAME) -> ConnectState:
    state = game.start()
    for column in columns:
        state.drop(column)
    return state


SEARCHING = [
    "random", "onestep", "mcts", "enhanced", "greedytree", "kbfastevo", "olets", "rhea", "randomsearch", "ga", "iw",
    "alphabeta", "uct",
]  # fmt: skip


@pytest.mark.parametrize("name", SEARCHING)
def test_who_has_to_move_never_waits(name: str) -> None:
    for seed in range(3):
        agents = [make_agent(name, seed=seed, budget=30, player=0), make_agent("random", seed=seed, player=1)]
        playout = play(GAME, agents)
        assert playout.over
        for tick, joint in enumerate(playout.actions):
            assert joint[tick % 2].startswith("DROP")
            assert joint[1 - tick % 2] == "NIL"


@cache
def solve(state_key: tuple[int, ...], mover: int, game: tuple[int, int, int]) -> int:
    """The value of a position for who is to move, by trying everything; the sooner a win the more, a loss the less."""
    state = ConnectX(*game).position(state_key, mover)
    if state.is_over:
        return int(state.score[mover]) * (100 - state.tick)
    values = []
    for column in state.columns:
        after = state.copy()
        after.drop(column)
        values.append(-solve(tuple(after.board), 1 - mover, game))
    return max(values)


@pytest.mark.parametrize("size", [(3, 3, 3), (3, 4, 3), (4, 3, 3)])
def test_alphabeta_wins_as_soon_as_it_can_and_resists_as_long_as_it_can(size: tuple[int, int, int]) -> None:
    game, draw = ConnectX(*size), random.Random(2)
    for _ in range(6):
        state = game.start()
        while not state.is_over:
            mover = state.mover
            agent = make_agent("alphabeta:depth=12", seed=draw.getrandbits(20), budget=10**7, player=mover)
            best = solve(tuple(state.board), mover, size)
            after = state.copy()
            after.advance(agent.act(state))
            assert -solve(tuple(after.board), 1 - mover, size) == best
            state.drop(draw.choice(state.columns))


def test_ties_are_broken_by_the_seed() -> None:
    openings = {make_agent("alphabeta:depth=2", seed=seed, budget=10**6).act(GAME.start()) for seed in range(40)}
    assert len(openings) == 7


@pytest.mark.parametrize("name", ["alphabeta:depth=5", "uct", "onestep:heuristic=windows"])
def test_wins_are_taken(name: str) -> None:
    state = position(3, 0, 3, 0, 3, 1)
    assert make_agent(name, seed=1, budget=3000, player=0).act(state) == "DROP3"


@pytest.mark.parametrize("name", ["alphabeta:depth=4", "uct", "alphabeta:depth=2,heuristic=windows"])
def test_threats_are_met(name: str) -> None:
    state = position(3, 0, 3, 0, 3)
    assert make_agent(name, seed=1, budget=3000, player=1).act(state) == "DROP3"


@pytest.mark.parametrize("name", ["alphabeta:depth=8", "uct"])
def test_decisions_repeat_and_respect_budgets(name: str) -> None:
    state = position(3, 3, 2)
    answers = set()
    for _ in range(3):
        agent = make_agent(name, seed=7, budget=500, player=1)
        agent.reset(state)
        answers.add(agent.act(state))
        assert agent.calls <= 500 + 42
    assert len(answers) == 1
    hurried = make_agent(name, seed=7, budget="5ms", player=1)
    hurried.reset(state)
    assert hurried.act(state).startswith("DROP")


def test_a_forced_move_costs_nothing() -> None:
    narrow = ConnectX(5, 1, 4)
    for name in ("alphabeta", "uct", "mcts"):
        agent = make_agent(name, seed=1)
        agent.reset(narrow.start())
        assert agent.act(narrow.start()) == "DROP0"
        assert agent.calls == 0


def test_agents_play_boards_of_any_size() -> None:
    for size in ((1, 2, 2), (10, 12, 5), (2, 3, 3)):
        game = ConnectX(*size)
        agents = [make_agent("uct", seed=1, budget=200, player=0), make_agent("alphabeta:depth=3", seed=1, player=1)]
        assert play(game, agents).over


def test_two_who_move_at_once_can_be_searched_too() -> None:
    for rows, player, best in (("A.G...B", 0, "RIGHT"), ("A...G.B", 1, "LEFT")):
        for name in ("alphabeta:depth=3", "uct:horizon=6"):
            agent = make_agent(name, seed=1, budget=4000, player=player)
            assert agent.act(tiny_engine.walk(rows).start()) == best


def test_what_they_cannot_play_is_said() -> None:
    alone = tiny_engine.walk("A.G")
    with pytest.raises(AgentError, match="the heuristic `windows` is for ConnectX"):
        make_agent("onestep:heuristic=windows").act(alone.start())


@pytest.mark.parametrize("name", ["uct:horizon=12", "alphabeta:depth=4"])
@pytest.mark.parametrize("wind", [0, 50])
def test_they_play_alone_and_in_the_wind_too(name: str, wind: int) -> None:
    game = tiny_engine.walk(["A...G", "x...x"], limit=12, wind=wind)
    assert make_agent(name, seed=3, budget=20_000).act(game.start()) == "RIGHT"
