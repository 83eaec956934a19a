"""Agents on VGDL games: the same agents, the same guarantees, through the real engine."""

from __future__ import annotations

import doctest
import importlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pcg.engine.game import Game, load
from pcg.evaluators.agents import AGENTS, Agent, make_agent, play, replay, solve
from pcg.evaluators.agents.goal_heuristic import PER_GOAL, goal_weights

HOUSE = """
BasicGame
    SpriteSet
        key > Resource limit=2 color=GOLD
        door > Door color=BROWN
        ghost > RandomNPC cooldown=3 color=WHITE
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        ghost wall > stepBack
        ghost door > stepBack
        door hero > killIfOtherHasMore resource=key limit=1 scoreChange=2
        hero door > stepBack
        key hero > collectResource scoreChange=1
        hero ghost > killSprite scoreChange=-1
    LevelMapping
        k > key
        d > door
        g > ghost
        A > hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=door limit=0 win=True
"""
STILL_HOUSE = "\n".join(line for line in HOUSE.splitlines() if "ghost" not in line)
QUIET = """
wwwwwww
wA   kw
w www w
w    dw
wwwwwww
"""
HAUNTED = """
wwwwwwww
wA    kw
w w  w w
w    gdw
wwwwwwww
"""
CROWD = """
BasicGame
    SpriteSet
        hive > SpawnPoint stype=bee cooldown=1 prob=0.9 total=400 color=YELLOW
        bee > RandomNPC cooldown=2 color=ORANGE
        flower > Immovable color=RED
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        bee wall > stepBack
        flower hero > killSprite scoreChange=1
    LevelMapping
        h > hive
        f > flower
        A > hero
    TerminationSet
        Timeout limit=300 win=True
"""
GARDEN = """
wwwwwwwww
wA h  f w
w   f   w
w f   h w
wwwwwwwww
"""


def house(level: str) -> Game:
    text = HOUSE if "g" in level else STILL_HOUSE  # a game with random movers is stochastic on every level
    return load(text, levels=[level.strip("\n")])


class Wrapped(Agent):
    """A compiled agent that is asked tick by tick."""

    def __init__(self, name: str, **about: Any) -> None:
        self.inside = make_agent(name, **about)
        self.seed = self.inside.seed

    def reset(self, state: Any) -> None:
        self.inside.reset(state)

    def act(self, state: Any) -> str | None:
        return self.inside.act(state)

    @property
    def calls(self) -> int:
        return self.inside.calls  # type: ignore[attr-defined,no-any-return]


def shortest(game: Game) -> int:
    """Ticks of a shortest win, by breadth-first search over state objects."""
    start = game.start()
    seen = {start.key()}
    queue = deque([(start, 0)])
    while queue:
        state, depth = queue.popleft()
        for action in (*state.actions, "NIL"):
            after = state.copy()
            after.advance(action)
            if after.is_over:
                if after.winner == 1:
                    return depth + 1
                continue
            if after.key() not in seen:
                seen.add(after.key())
                queue.append((after, depth + 1))
    raise AssertionError("no win")


# --- solving ----------------------------------------------------------------------------------------------------------


def test_the_solver_finds_the_key_before_the_door() -> None:
    game = house(QUIET)
    solution = solve(game.start())
    assert solution.status == "solved" and len(solution.actions) == shortest(game)
    final = replay(game.start(), solution.actions)[-1]
    assert final.winner == 1 and final.score == 3


def test_a_level_without_its_key_is_proved_unsolvable() -> None:
    assert solve(house(QUIET.replace("k", " ")).start()).status == "unsolvable"


def test_a_level_with_a_ghost_is_stochastic_to_the_solver() -> None:
    assert solve(house(HAUNTED).start()).status == "stochastic"


@pytest.mark.parametrize("algorithm", ["bfs", "astar"])
def test_the_solver_solves_every_level_of_boxes(algorithm: str) -> None:
    game = load("boxes")
    for level in range(len(game.levels)):
        start = game.start(level)
        weights = goal_weights(start.model) if algorithm == "astar" else None
        solution = solve(start, max_nodes=1_000_000, algorithm=algorithm, weights=weights)
        assert solution.status == "solved", f"level {level}: {solution}"
        states = replay(start, solution.actions)
        assert states[-1].winner == 1
        assert not any(s.is_over for s in states[:-1])


def test_what_must_vanish_and_what_must_be_collected_first_weigh() -> None:
    game = house(QUIET)
    weights = goal_weights(game.start().model)
    assert weights is not None
    index = game.definition.type_index
    named = {name for name, t in index.items() if weights[2 * t] != 0}
    assert named == {"key", "door"}
    assert weights[2 * index["door"]] == PER_GOAL and weights[2 * index["door"] + 1] == 1


def test_a_game_won_by_waiting_has_no_goal_to_walk_to() -> None:
    assert goal_weights(load(CROWD, levels=[GARDEN.strip("\n")]).start().model) is None


# --- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mcts", "solver"])
def test_planning_agents_win_the_haunted_house(name: str) -> None:
    game = house(HAUNTED)
    wins = [play(game, make_agent(name, seed=s, budget=1500), seed=s, max_ticks=300).winner == 1 for s in range(4)]
    assert sum(wins) >= 3


def test_the_simple_heuristic_sees_portals_and_the_goal_heuristic_what_must_vanish() -> None:
    text = HOUSE.replace("door hero > killIfOtherHasMore resource=key limit=1 scoreChange=2", "door hero > killSprite")
    game = load(text.replace("        hero door > stepBack\n", ""), levels=["wwwwwwwww\nwA     dw\nwwwwwwwww"])
    for heuristic in ("simple", "goals"):
        playout = play(game, make_agent("onestep", seed=1, heuristic=heuristic), max_ticks=20)
        assert playout.actions == ("RIGHT",) * 6
        assert playout.winner == 1


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("level", [QUIET, HAUNTED], ids=["quiet", "haunted"])
def test_compiled_plays_equal_plays_through_python(level: str, name: str) -> None:
    game = house(level)
    fast = play(game, make_agent(name, seed=2, budget=80), seed=5, max_ticks=30)
    slow = play(game, Wrapped(name, seed=2, budget=80), seed=5, max_ticks=30)
    assert fast == slow


@pytest.mark.parametrize("name", ["random", "onestep", "mcts"])
def test_a_play_in_which_sprites_multiply_grows_and_goes_on(name: str) -> None:
    game = load(CROWD, levels=[GARDEN.strip("\n")])
    room = game.start().model.room
    fast = play(game, make_agent(name, seed=2, budget=30), seed=5, max_ticks=120)
    slow = play(game, Wrapped(name, seed=2, budget=30), seed=5, max_ticks=120, keep_states=True)
    assert (fast.actions, fast.score, fast.events, fast.calls) == (slow.actions, slow.score, slow.events, slow.calls)
    assert len(slow.states[-1].sprites()) > room


def test_an_agent_keeps_its_memory_from_tick_to_tick() -> None:
    state = house(HAUNTED).start()
    agent: Any = make_agent("mcts", seed=1, budget=50)
    agent.reset(state)
    memory = agent._record._kept["search"]
    for _ in range(5):
        state.advance(agent.act(state))
    assert agent._record._kept["search"] is memory


def test_events_of_a_playout_are_those_of_the_state() -> None:
    game = house(QUIET)
    playout = play(game, "solver", seed=1)
    state = replay(game.start(seed=1), playout.actions)[-1]
    pairs = [(e.active, e.passive) for e in state.events]
    assert playout.events == {pair: pairs.count(pair) for pair in pairs}
    assert pairs


def test_threads_play_what_one_thread_plays() -> None:
    game = house(HAUNTED)

    def job(seed: int) -> Any:
        return play(game, make_agent("mcts", seed=seed, budget=150), seed=seed, max_ticks=40)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(job, range(6))) == [job(s) for s in range(6)]


def test_scores_of_a_playout_are_those_of_a_replay() -> None:
    game = house(HAUNTED)
    for seed in range(5):
        playout = play(game, make_agent("random", seed=seed), seed=seed, max_ticks=200)
        final = replay(game.start(seed=seed), playout.actions)[-1]
        assert (final.score, final.winner, final.is_over) == (playout.score, playout.winner, playout.over)
        assert np.isfinite(final.score)


@pytest.mark.parametrize("module", ["base", "registry", "playout"])
def test_examples_in_the_docstrings_are_right(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"pcg.evaluators.agents.{module}"))
    assert found.attempted > 0 and found.failed == 0
