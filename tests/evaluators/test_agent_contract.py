"""The contract of agents: what holds for every agent of the table, whatever it searches with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import agent_variants
import pytest
from agent_variants import SPRITE_READERS, VARIANTS, Variant, decisions
from tiny_engine import ACTIONS, sliding, walk

import pcg.games
from pcg.engine.boards import ConnectX
from pcg.engine.game import load
from pcg.engine.gdl import load as load_gdl
from pcg.engine.kernel.runtime import COMPILED
from pcg.evaluators.agents import AGENTS, AgentError, make_agent, play

kernel = pytest.mark.kernel
every_agent = pytest.mark.parametrize("name", AGENTS)
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)


def decide(name: str, state: Any, number: int, **about: Any) -> list[str]:
    agent = make_agent(name, **about)
    agent.reset(state)
    return [str(agent.act(state)) for _ in range(number)]


def test_every_agent_of_the_table_is_held_to_the_contract() -> None:
    assert {variant.name.partition(":")[0] for variant in VARIANTS} == set(AGENTS)


# --- manners ----------------------------------------------------------------------------------------------------------


@kernel
@every_variant
def test_the_state_shown_is_not_changed(variant: Variant) -> None:
    state = walk("A..c.\n.x..G", crumbs=True).start()
    before = state.words()
    decide(variant.name, state, 3, seed=1, budget=100)
    assert state.words() == before


@kernel
@every_agent
def test_a_finished_game_is_left_alone(name: str) -> None:
    state = walk("AG").start()
    state.advance("RIGHT")
    assert state.is_over
    agent = make_agent(name, seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "NIL"
    assert agent.calls == 0


@kernel
@every_agent
def test_a_time_budget_gives_an_available_action(name: str) -> None:
    state = walk("A..c.\n.x..G", wind=10).start()
    agent = make_agent(name, seed=1, budget="3ms")
    agent.reset(state)
    assert agent.act(state) in ACTIONS


@kernel
@pytest.mark.parametrize(
    ("variant", "wind"),
    # in a game without chance the solver looks for a whole plan first, within `max_nodes`
    [(v, wind) for v in VARIANTS for wind in (0, 100) if wind or v.name != "solver"],
    ids=lambda given: given.name if isinstance(given, Variant) else f"wind{given}",
)
def test_a_budget_is_used_and_exceeded_by_no_more_than_one_iteration(variant: Variant, wind: int) -> None:
    goal = "B" if "opponent" in variant.name else "G"
    for budget in (1, 7, 50, 333):
        state = walk(f"A..c.....\n.x......{goal}\n.........", wind=wind).start()
        agent = make_agent(variant.name, seed=1, budget=budget)
        agent.reset(state)
        for _ in range(3):
            before = agent.calls
            assert agent.act(state) in ACTIONS
            assert variant.least * budget <= agent.calls - before <= budget + variant.more
            state.advance("RIGHT" if goal == "G" else ("RIGHT", "NIL"))


# --- reproducibility --------------------------------------------------------------------------------------------------


@kernel
@every_variant
def test_decisions_depend_on_the_seed_and_on_nothing_before_the_reset(variant: Variant) -> None:
    one, other = walk("A..c.\n.x..G", wind=10).start(), walk("A.G", wind=10).start()
    agent = make_agent(variant.name, seed=1, budget=60)
    agent.reset(one)
    first = [agent.act(one) for _ in range(4)]
    agent.reset(other)
    agent.act(other)
    agent.reset(one)
    assert [agent.act(one) for _ in range(4)] == first == decide(variant.name, one, 4, seed=1, budget=60)


def test_other_seeds_give_other_decisions() -> None:
    """Of most agents: some do not draw, or decide alike whatever they draw."""
    state = walk("A....\n.....\n.....", wind=200).start()
    same = {name for name in AGENTS if len({str(decide(name, state, 6, seed=s, budget=20)) for s in range(4)}) == 1}
    planners = {"solver", "pcg", "hyper", "iw", "ybcriber", "alphabeta", "valuefield"}
    assert same <= {"nothing", "replay", "flatmc"} | planners


@kernel
@every_variant
def test_how_much_room_states_have_does_not_change_decisions(variant: Variant) -> None:
    def actions(room: int) -> tuple[str, ...]:
        game = walk("A..c..G\n..x....", crumbs=True, room=room, wind=50)
        return play(game, make_agent(variant.name, seed=4, budget=100), max_ticks=8, seed=2).actions

    assert actions(1) == actions(3) == actions(200)


@every_variant
def test_threads_play_what_one_thread_plays(variant: Variant) -> None:
    game = walk("A..c..G\n..x....", crumbs=True, room=1, wind=50)

    def job(seed: int) -> Any:
        return play(game, make_agent(variant.name, seed=seed, budget=100), seed=seed, max_ticks=10)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(job, range(4))) == [job(s) for s in range(4)]


@kernel
@pytest.mark.modes
def test_compiled_and_plain_python_decide_alike() -> None:
    """One other process plays all variants, with the compiler if it is off here and the other way round."""
    done = subprocess.run(
        [sys.executable, agent_variants.__file__],
        env={**os.environ, "PCG_KERNELS": "python" if COMPILED else "aot"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    there, here = json.loads(done.stdout), json.loads(json.dumps(decisions()))
    assert len(here) == 3 * len(VARIANTS) - 1 + len(SPRITE_READERS)
    assert {name: found for name, found in here.items() if there[name] != found} == {}


# --- all kinds of games -----------------------------------------------------------------------------------------------

SHEETS = Path(pcg.games.__path__[0]) / "gdl"
GAMES: dict[str, Callable[[], Any]] = {
    "walk": cache(lambda: walk("A..c.....\n.x......G", wind=10)),
    "walk for two": cache(lambda: walk("A..c.G.B")),
    "sliding tiles": cache(lambda: sliding("123450786")),
    "connectx": ConnectX,
    "vgdl": cache(lambda: load("dungeon")),
    "vgdl for two": cache(lambda: load("duel")),
    "gdl for two": cache(lambda: load_gdl(SHEETS / "tic-tac-toe-large.kif")),
    "gdl for three": cache(lambda: load_gdl(SHEETS / "pacman-3p.kif")),
}


@every_agent
@pytest.mark.parametrize("kind", GAMES)
def test_games_of_every_kind_are_played_or_declined(name: str, kind: str) -> None:
    state = GAMES[kind]().start()
    players = state.model.players
    agents = [make_agent(name, seed=1, budget=50, player=player) for player in range(players)]
    if name == "solver" and players > 1:
        with pytest.raises(AgentError, match=f"games of one player, this one has {players}"):
            agents[0].act(state)
        return
    for agent in agents:
        agent.reset(state)
    for _ in range(3):
        joint = [agent.act(state) for agent in agents]
        available = [state.actions] if players == 1 else state.actions
        assert all(a in (None, "NIL", *some) for a, some in zip(joint, available, strict=True))
        state.advance(joint[0] if players == 1 else tuple(joint))
        if state.is_over:
            return
