"""Memory of pools: it is used again after a pool has gone, and what was left in it changes no decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pcg.engine import model as models
from pcg.engine.boards import ConnectX
from pcg.engine.game import builtin_sheets, load
from pcg.engine.gdl import load as load_sheet
from pcg.evaluators.agents import make_agent, solve
from pcg.evaluators.proving import prove

GARBAGE = -0x5A5A5A5A5A5A5A5B
AGENTS = ("mcts", "enhanced", "rhea", "olets", "iw", "solver", "greedytree", "onestep")


class Littered(models.Reserve):
    """A reserve whose memory is full of one number."""

    def take(self, size: int) -> models.Given | None:
        return models.Given(np.full(size, GARBAGE, dtype=np.int64), 8 * size)


@pytest.fixture
def littered(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it to have all pools from then on in memory full of garbage."""

    def litter() -> None:
        monkeypatch.setattr(models, "RESERVE", Littered(0))
        monkeypatch.setattr(models, "_WORTH_KEEPING", 0)

    return litter


def decisions(state: Any, names: tuple[str, ...]) -> list[str]:
    found = []
    for name in names:
        played = state.copy()
        agents = [make_agent(name, seed=k, budget=150, player=k) for k in range(played.model.players)]
        for _ in range(6):
            if played.is_over:
                break
            joint = [agent.act(played) for agent in agents]
            played.advance(joint if len(joint) > 1 else joint[0])
            found += joint
    return found


@pytest.mark.parametrize("name", ["boxes", "dungeon", "invaders", "hunt", "siege", "duel"])
def test_what_is_left_in_memory_changes_no_decision(name: str, littered: Callable[[], None]) -> None:
    state = load(name).start(0, seed=1)
    names = AGENTS if state.model.players == 1 else ("mcts", "rhea", "olets")
    before = decisions(state, names)
    littered()
    assert decisions(state, names) == before and len(set(before)) > 1


def test_nor_on_boards(littered: Callable[[], None]) -> None:
    games = [ConnectX().start(), load_sheet(builtin_sheets()["breakthrough"]).start()]
    before = [decisions(state, ("mcts", "uct")) for state in games]
    littered()
    assert [decisions(state, ("mcts", "uct")) for state in games] == before


def test_nor_any_proof(littered: Callable[[], None]) -> None:
    rules = load("dungeon")
    before = prove(rules, 0, budget=60_000, seed=1)
    littered()
    assert prove(rules, 0, budget=60_000, seed=1) == before


def test_memory_of_a_pool_is_used_again_when_it_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "RESERVE", models.Reserve(1 << 24))
    model = load("boxes").start(0, seed=1).model
    with models.RESERVE.open():
        pool = model.pool(1000)
        address = pool.address
        other = model.pool(1000)
        assert other.address != address
        del pool
        assert model.pool(900).address == address
        del other
        assert models.RESERVE.nbytes > 0
    assert models.RESERVE.nbytes == 0, "nothing is kept between evaluations"
    last = model.pool(1000)
    del last
    assert models.RESERVE.nbytes == 0


def test_a_reserve_keeps_no_more_than_its_limit() -> None:
    reserve = models.Reserve(limit=3 << 20)
    kept = [np.zeros(1 << 17, dtype=np.int64) for _ in range(4)]
    with reserve.open():
        for memory in kept:
            reserve.lend(memory, memory.nbytes)
        for memory in kept:
            reserve.give(memory)
        assert reserve.nbytes == 3 << 20
        reserve.give(np.zeros(1 << 10, dtype=np.int64))  # too little
        reserve.give(np.zeros(1 << 20, dtype=np.int64))  # too much
        assert reserve.nbytes == 3 << 20
        with reserve.open():
            found = [reserve.take(1 << 17) for _ in range(4)]
    assert {id(given.memory) for given in found if given is not None} == {id(memory) for memory in kept[1:]}
    assert found[3] is None


def test_what_is_kept_and_what_is_in_use_are_never_more_than_was_in_use_at_once() -> None:
    reserve = models.Reserve(limit=1 << 26)
    first, second, third, later = (np.zeros(1 << 17, dtype=np.int64) for _ in range(4))
    with reserve.open():
        reserve.lend(first, 1 << 20)
        reserve.lend(second, 1 << 20)
        reserve.give(first)
        reserve.give(second)
        assert reserve.nbytes == 2 << 20
        reserve.lend(later, 1 << 19)
        assert reserve.nbytes == 1 << 20, "half a megabyte is in use, and two were at most"
        reserve.lend(later, 1 << 20)
        found = reserve.take(1 << 17)
        assert found is not None and found.memory is second, "what was given last is kept longest"
        reserve.lend(second, 1 << 20)
        reserve.lend(third, 1 << 20)
        for memory in (second, third, later):
            reserve.give(memory)
        assert reserve.nbytes == 3 << 20


def test_a_pool_makes_way_before_it_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "RESERVE", models.Reserve(1 << 26))
    model = load("boxes").start(0, seed=1).model
    with models.RESERVE.open():
        pool = model.pool(1000)
        del pool
        assert models.RESERVE.nbytes == 1000 * model.stride
        other = model.pool(5000, ready=300)
        assert models.RESERVE.nbytes == 0, "it is too small to be used again, and both were more than there was"
        del other


def test_a_long_search_gets_memory_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcg.evaluators.agents.graph_search._MORE_BYTES", 1 << 18)
    start = load("boxes").start(0, seed=1)
    counts: list[int] = []
    pool = models.Model.pool

    def noted(self: models.Model, count: int, ready: int | None = None, *, small_pages: bool = False) -> models.Pool:
        counts.append(count)
        return pool(self, count, ready, small_pages=small_pages)

    before = solve(start, max_nodes=5000)
    monkeypatch.setattr(models.Model, "pool", noted)
    assert solve(start, max_nodes=5000) == before
    assert sum(counts) > 200 and max(counts) == 64, "not twice as many each time"


def test_what_was_never_in_use_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "RESERVE", models.Reserve(3 << 20))
    model = load("boxes").start(0, seed=1).model
    with models.RESERVE.open():
        pools = [model.pool((2 << 20) // model.stride, ready=100) for _ in range(4)]
        addresses = {pool.address for pool in pools}
        pools[0].lay_out(200)
        del pools
        assert models.RESERVE.nbytes == 500 * model.stride, "eight megabytes, of which two were in use"
        again = model.pool((2 << 20) // model.stride, ready=1)
        assert again.address in addresses and again.used == 200 * model.stride, "that of which most was in use"
        del again
        assert models.RESERVE.nbytes == 500 * model.stride


def test_a_pool_is_laid_out_as_it_is_needed() -> None:
    model = load("boxes").start(0, seed=1).model
    pool = model.pool(10, ready=2)
    assert pool.ready == 2
    pool.lay_out(6)
    pool.lay_out(4)
    assert pool.ready == 6
    pool.lay_out(99)
    assert pool.ready == 10


def test_memory_that_another_pool_has_taken_over_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "RESERVE", models.Reserve(1 << 26))
    model = load("boxes").start(0, seed=1).model
    old = model.pool(1000)
    address = old.address
    model.grow()
    with models.RESERVE.open():
        new = model.pool_in(old)
        del old
        assert models.RESERVE.nbytes == 0
    assert new.address == address and new.count < 1000
