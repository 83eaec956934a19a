"""Agents that know where to go: targets read from rules, the way there, and the portfolio that plans by turns."""

from __future__ import annotations

import mmap
import resource

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.kernel.runtime import invoke2
from pcg.engine.state import Outcome
from pcg.evaluators.agents import GuidedMCTS, make_agent, play
from pcg.evaluators.agents.base import Budget, Timer
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.graph_search import GraphSearch
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.evaluators.agents.kernel.distance_field import build_field
from pcg.evaluators.agents.rehearsal import Rehearsal
from pcg.evaluators.agents.rehearsers import Rehearsers
from pcg.evaluators.agents.resumable_search import BudgetMeter
from pcg.evaluators.agents.subgoal_field import SubgoalField, subgoals_of
from pcg.evaluators.agents.subgoals import AbstractState, Subgoals
from pcg.evaluators.agents.value_field import ValueField

LOCKED = """
BasicGame
    SpriteSet
        door > Door
        key > Immovable
        wall > Immovable
        avatar > MovingAvatar
            bare >
            holder >
    LevelMapping
        A > bare
        D > door
        k > key
        w > wall
    InteractionSet
        avatar wall > stepBack
        avatar EOS > stepBack
        bare door > stepBack
        key bare > killSprite
        bare key > transformTo stype=holder
        door holder > killSprite
    TerminationSet
        SpriteCounter stype=door limit=0 win=True
        Timeout limit=500 win=False
"""
ROOM = "wwwwwwwww\nwA......w\nwwwwwww.w\nwk......w\nw.wwwwwww\nw......Dw\nwwwwwwwww"
MAZE = """
BasicGame
    SpriteSet
        gem > Immovable
        gnat > RandomNPC
        wall > Immovable
        avatar > MovingAvatar
    LevelMapping
        A > avatar
        g > gem
        n > gnat
        w > wall
    InteractionSet
        avatar wall > stepBack
        gnat wall > stepBack
        avatar EOS > stepBack
        gem avatar > killSprite
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
"""
DETOUR = """\
wwwwwwwwwwwwwwwwwwwwwwwww
w..A................wn..w
wwwwwwwwwwwwwwwwwww.ww..w
w..g................w...w
wwwwwwwwwwwwwwwwwwwwwwwww
"""
WINDY = LOCKED.replace("        wall > Immovable\n", "        wall > Immovable\n        gnat > RandomNPC\n").replace(
    "        w > wall\n", "        w > wall\n        g > gnat\n"
)


def moment(game, avatar: str, **counts: int) -> AbstractState:
    index = game.definition.type_index
    numbers = [0] * len(game.definition.types)
    for name, number in counts.items():
        numbers[index[name]] = number
    return AbstractState(index[avatar], tuple(numbers))


def names(game, types) -> set[str]:
    return {game.definition.types[t].name for t in types}


def test_the_key_is_the_target_until_it_is_held_and_then_the_door() -> None:
    game = load(LOCKED, levels=[ROOM])
    targets = Subgoals(game.definition)
    assert names(game, targets.at(moment(game, "bare", bare=1, key=1, door=1))) == {"key"}
    assert names(game, targets.at(moment(game, "holder", holder=1, door=1))) == {"door"}
    assert names(game, targets.wanted) == {"door"}


def test_without_the_key_in_the_level_there_is_nothing_to_go_for() -> None:
    game = load(LOCKED, levels=[ROOM])
    assert Subgoals(game.definition).at(moment(game, "bare", bare=1, door=1)) == frozenset()


def test_walls_and_the_locked_door_block_only_whom_they_stop() -> None:
    game = load(LOCKED, levels=[ROOM])
    targets = Subgoals(game.definition)
    index = game.definition.type_index
    assert names(game, targets.blocking(index["bare"])) == {"wall", "door"}
    assert names(game, targets.blocking(index["holder"])) == {"wall"}


def test_the_field_counts_steps_around_walls() -> None:
    game = load(LOCKED, levels=[ROOM])
    state = game.start(0, seed=1)
    agent = GuidedMCTS(seed=1, budget=10)
    agent.reset(state)
    assert agent.field is not None
    assert agent.field.update(agent._record, state) == 1
    distance = np.array(agent.field.distance).reshape(7, 9)
    assert distance[3, 1] == 0  # the key
    assert distance[1, 1] == 6 + 2 + 6  # right, down, back left
    assert distance[5, 6] > distance[5, 1] == 2
    assert distance[0, 0] > distance[1, 1]  # no way into walls: farther than anything that has one


def test_a_field_without_targets_is_flat() -> None:
    game = load(LOCKED, levels=["wwww\nwADw\nwwww"])
    state = game.start(0, seed=1)
    agent = GuidedMCTS(seed=1, budget=10)
    agent.reset(state)
    field = agent.field
    assert isinstance(field, SubgoalField)
    assert field.update(agent._record, state) == 0
    assert invoke2(build_field.address, agent._record.address, state.address) == 0
    assert not field.distance.any()


def test_targets_of_a_game_are_worked_out_once() -> None:
    game = load(LOCKED, levels=[ROOM])
    assert subgoals_of(game.definition) is subgoals_of(game.definition)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_guided_search_wins_where_the_goal_is_beyond_the_horizon(seed: int) -> None:
    game = load(WINDY, levels=[ROOM.replace("w......Dw", "w...g..Dw")])
    assert (
        play(game, make_agent("guided", seed=seed, budget=300), seed=seed, max_ticks=300).winner == Outcome.PLAYER_WINS
    )
    assert play(game, make_agent("mcts", seed=seed, budget=300), seed=seed, max_ticks=60).winner != Outcome.PLAYER_WINS


def test_the_portfolio_solves_a_deterministic_level_by_a_walk_after_thinking() -> None:
    game = load(LOCKED, levels=[ROOM])
    playout = play(game, make_agent("pcg", seed=1, budget=50), max_ticks=300)
    assert playout.winner == Outcome.PLAYER_WINS
    moves = [a for a in playout.actions if a != "NIL"]
    # 6 right, 2 down, 6 left to the key; 2 down, 6 right to the door; rehearsals win by ways that need not be shortest
    assert 22 <= len(moves) <= 30


def test_the_portfolio_keeps_its_budget_while_it_searches() -> None:
    state = load(LOCKED, levels=[ROOM]).start(0, seed=1)
    agent = make_agent("pcg", seed=1, budget=100)
    agent.reset(state)
    for _ in range(3):
        before = agent.calls
        agent.act(state)
        assert agent.calls - before <= 100 + 15


def test_the_portfolio_plays_on_where_no_line_wins() -> None:
    game = load(LOCKED, levels=["wwwwww\nwA..Dw\nwwwwww"])
    playout = play(game, make_agent("pcg", seed=1, budget=60), max_ticks=40)
    assert playout.ticks == 40
    assert playout.winner == Outcome.NO_WINNER


def test_turns_pass_when_nothing_comes_of_one() -> None:
    game = load(WINDY, levels=["wwwwww\nwA.gDw\nwwwwww"])
    agent = make_agent("pcg", seed=1, budget=20, turn=5)
    state = game.start(0, seed=1)
    agent.reset(state)
    turns = []
    for _ in range(20):
        state.advance(agent.act(state.copy()))
        turns.append(agent._turns.turn)
    assert turns[0] == 0
    assert turns[-1] != 0


# -- memory ------------------------------------------------------------------------------------------------------------


def _faults(*arrays: np.ndarray) -> int:
    """Count how often the system has to hand over memory while arrays are written to."""
    whose = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    before = resource.getrusage(whose).ru_minflt
    for array in arrays:
        array[:] = 1
    return resource.getrusage(whose).ru_minflt - before


def test_memory_that_was_touched_is_there_and_unchanged() -> None:
    record, inner = Record(DECISION), Record(DECISION)
    # 32 MiB each from the system itself: an allocator may hand over memory that was in use before
    outer, deep, fresh = (np.frombuffer(mmap.mmap(-1, 32 << 20), dtype=np.int64) for _ in range(3))
    record.point("own", outer)
    inner.point("own", deep)
    record.own("search", inner)
    outer[7], deep[1 << 20] = 7, 9
    record.touch()
    assert (outer[7], deep[1 << 20], int(outer.sum()), int(deep.sum())) == (7, 9, 7, 9)
    assert 2 * _faults(outer, deep) < _faults(fresh)  # at least 15 pages of 2 MiB, or 8,192 small ones


def test_agents_in_a_hurry_have_their_memory_before_they_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    touched = []
    monkeypatch.setattr(Record, "touch", lambda record: touched.append(record))
    state = load("boxes").start(level=0, seed=1)
    agent = make_agent("pcg", seed=1, budget=1000)
    agent.reset(state)
    assert not touched
    hurried = make_agent("pcg", seed=1, budget="1ms")
    hurried.reset(state)
    assert len(touched) == 18  # five methods, four that rehearse with memory of three sizes, and the search


def test_agents_in_a_hurry_make_nothing_anew_in_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    state = load("boxes").start(level=2, seed=1)
    agent = make_agent("pcg", seed=1, budget="2ms")
    begin = Rehearsers.begin
    agent.reset(state)
    assert agent._rewinding is not None
    agent._rewinding._drop()
    agent._rehearsers.held = 1  # it is the turn of the value field, which reads the level anew when it is reset
    begun = []
    monkeypatch.setattr(Rehearsers, "begin", lambda *given: begun.append(begin(*given)) or begun[-1])
    made = []
    monkeypatch.setattr(ValueField, "prepare", lambda *_: made.append("memory"))
    for _ in range(4):
        state.advance(agent.act(state))
    assert any(isinstance(rehearsal.method, ValueField) for rehearsal in begun)
    assert not made


def test_no_further_method_gets_ready_when_the_time_to_be_made_runs_out() -> None:
    state = load("boxes").start(level=2, seed=1)
    agent = make_agent("hyper", seed=1, budget="2ms")
    agent.timer = Timer(100.0)
    agent.reset(state)
    assert agent._rehearsers.ready == []
    state.advance(agent.act(state))
    agent.timer = Timer(10_000.0)
    agent.reset(state)
    assert len(agent._rehearsers.ready) == 4


def test_a_search_gets_its_memory_in_small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    portions = []
    add = GraphSearch.add_blocks

    def counted(search: GraphSearch, wanted: int) -> None:
        before = int(search.record["block_count"])
        add(search, wanted)
        portions.append((int(search.record["block_count"]) - before) * search.model.stride)

    monkeypatch.setattr(GraphSearch, "add_blocks", counted)
    state = load("boxes").start(level=2, seed=1)
    agent = make_agent("pcg", seed=1, budget=20_000)
    agent.reset(state)
    for _ in range(3):
        state.advance(agent.act(state))
    assert len(portions) > 3 and max(portions) <= 1 << 21


# --- without rules ---


def test_maps_lead_around_a_wall_that_a_straight_pull_runs_into() -> None:
    game = load(MAZE, levels=[DETOUR])
    ticks = {}
    for maps in ("false", "true"):
        players = (make_agent(f"ybcriber:maps={maps},chance=observed", seed=k, budget=60) for k in range(5))
        ticks[maps] = [play(game, player, seed=1, max_ticks=400).ticks for player in players]
    assert sorted(ticks["true"])[2] < sorted(ticks["false"])[2]


def test_a_won_rehearsal_is_a_plan() -> None:
    state = load(LOCKED, levels=[ROOM]).start(level=0, seed=1)
    method = make_agent("ybcriber:maps=true,chance=observed", seed=1, budget=200)
    method.reset(state)
    rehearsal = Rehearsal(state, method, Budget(calls=1000), lambda one: one.key())
    rehearsal.go_on(BudgetMeter(Budget(calls=10**6)), 1.0)
    assert rehearsal.ended
    assert rehearsal.won
    for action in rehearsal.actions:
        state.advance(action)
    assert state.winner == Outcome.PLAYER_WINS


def test_a_rehearsal_stops_with_its_share_and_goes_on() -> None:
    state = load(LOCKED, levels=[ROOM]).start(level=0, seed=1)
    rehearsal = Rehearsal(state, make_agent("olets", seed=1, budget=200), Budget(calls=1000), lambda one: one.key())
    rehearsal.go_on(BudgetMeter(Budget(calls=500)), 1.0)
    some = len(rehearsal.actions)
    assert not rehearsal.ended
    assert rehearsal.method.calls <= 500 + 200
    rehearsal.go_on(BudgetMeter(Budget(calls=500)), 1.0)
    assert some < len(rehearsal.actions)
    assert state.tick == -1


@pytest.mark.parametrize("level", [LOCKED, WINDY])
def test_the_hyper_heuristic_wins_without_the_rules(level: str) -> None:
    room = ROOM if level is LOCKED else ROOM.replace("w......Dw", "w..g...Dw")
    game = load(level, levels=[room])
    agent = make_agent("hyper", seed=1, budget=300)
    played = play(game, agent, seed=1, max_ticks=400)
    assert played.winner == Outcome.PLAYER_WINS
    assert played.calls > 0
    assert agent.rules_read == ""


def test_the_hyper_heuristic_repeats_its_plays() -> None:
    game = load(WINDY, levels=[ROOM.replace("w......Dw", "w..g...Dw")])
    plays = [play(game, make_agent("hyper", seed=2, budget=60), seed=4, max_ticks=40).actions for _ in range(2)]
    assert plays[0] == plays[1]


def test_a_plan_is_given_up_when_what_is_observed_is_not_what_was_planned() -> None:
    state = load(LOCKED, levels=[ROOM]).start(level=0, seed=1)
    agent = make_agent("hyper", seed=1, budget=300)
    agent.reset(state)
    planned = agent.act(state)
    other = next(action for action in state.actions if action != planned)
    state.advance(other)
    assert agent.act(state) in (*state.actions, "NIL")
    while not state.is_over:
        state.advance(agent.act(state))
    assert state.winner == Outcome.PLAYER_WINS
