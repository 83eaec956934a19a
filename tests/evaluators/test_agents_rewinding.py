"""Rehearsals that go back, and portfolio agents that improve a line of play with them."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.engine.state import Outcome, State
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.base import Budget, Timer
from pcg.evaluators.agents.playout import MAX_TICKS
from pcg.evaluators.agents.rehearsal import Rehearsal
from pcg.evaluators.agents.rehearsers import Rehearsers, Rounds
from pcg.evaluators.agents.resumable_search import BudgetMeter
from pcg.evaluators.agents.rewinding import BRINK, Rewinding

CORRIDOR = """
BasicGame
    SpriteSet
        goal > Door
        pit > Immovable
        fence > Immovable
        clock > Missile orientation=DOWN speed=0.01
        avatar > MovingAvatar
    LevelMapping
        A > avatar
        g > goal
        p > pit
        t > clock
        w > fence
    InteractionSet
        avatar fence > stepBack
        avatar EOS > stepBack
        avatar pit > killSprite
        goal avatar > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
"""The way to the goal leads past a pit; time does not wait, as something falls all the while."""
PAST_THE_PIT = f"t{'w' * 35}\nwA{'.' * 30}p.gw\n{'w' * 31}....w\n{'w' * 36}"
LANES = """
BasicGame
    SpriteSet
        goal > Door
        car > Missile orientation=LEFT speed=1
        wall > Immovable
        avatar > MovingAvatar
    LevelMapping
        A > avatar
        g > goal
        c > car
        w > wall
    InteractionSet
        avatar wall > stepBack
        avatar EOS > stepBack
        car EOS > wrapAround
        avatar car > killSprite
        goal avatar > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
ROAD = "w....g......w\n.c.cc..c.cc.c\nc..c.cc..c..c\n.............\ncc.c..c.cc.c.\nw.....A.....w"


class Scripted:
    """Stands in for a method: plays what it is given, from a state of the corridor on."""

    most_calls = 1

    def __init__(self, ways: list[str], then: str = "N") -> None:
        self._ways = ways
        self._then = then
        self.calls = 0
        self.starts: list[int] = []

    def begin(self, state: State) -> Rehearsal:
        self.starts.append(state.tick)
        self._left = list(self._ways.pop(0)) if self._ways else []
        return Rehearsal(state, self, Budget(calls=1), lambda one: one.key(), keeps_states=True)

    def act_within(self, state: State, budget: Budget) -> str:
        self.calls += 1
        letter = self._left.pop(0) if self._left else self._then
        return {"R": "RIGHT", "D": "DOWN", "U": "UP", "L": "LEFT", "N": "NIL"}[letter]


def corridor() -> State:
    return load(CORRIDOR, levels=[PAST_THE_PIT]).start(level=0, seed=1)


def rewinding(method: Scripted, seed: int = 1) -> Rewinding:
    return Rewinding(method.begin, lambda one: one.states[-1].score, lambda one: one.key(), seed)


def test_a_lost_line_is_taken_up_before_its_end_until_it_is_won() -> None:
    state, method = corridor(), Scripted([], then="R")
    line = rewinding(method)
    line.look(state, moving=True)
    assert not line.go_on(state, BudgetMeter(Budget(calls=2 * 40)), 0.8, moving=True)
    assert len(line.plan()) == 31  # into the pit
    method._ways = ["DRRURR"] * 200  # wins from one tick of all: right before the pit
    assert line.go_on(state, BudgetMeter(Budget(calls=10**6)), 1.0, moving=True)
    assert method.starts[0] == -1
    plan = line.plan()
    assert plan[:2] == ["RIGHT", "RIGHT"]
    for action in plan:
        state.advance(action)
    assert state.winner == Outcome.PLAYER_WINS


def test_a_line_is_followed_until_only_its_lost_end_is_left() -> None:
    state, method = corridor(), Scripted(["R" * 40] * 100)
    line = rewinding(method)
    assert line.pressed
    followed = 0
    while followed < 40:
        line.look(state, moving=True)
        if line.plan() and line.pressed:
            break
        assert not line.go_on(state, BudgetMeter(Budget(calls=41)), 0.8, moving=True)
        action = line.follow()
        if action is None:
            break
        state.advance(action)
        followed += 1
    assert 31 - BRINK <= followed < 31 - BRINK + 2  # a rehearsal from there may be followed until it is lost, too
    assert not state.is_over
    line.look(state, moving=True)
    assert line.pressed


def test_a_play_that_goes_elsewhere_drops_the_line() -> None:
    state, method = corridor(), Scripted(["R" * 40])
    line = rewinding(method)
    line.go_on(state, BudgetMeter(Budget(calls=2 * 40)), 0.8, moving=True)
    line.look(state, moving=True)
    assert len(line.plan()) == 31
    state.advance("NIL")
    line.look(state, moving=True)
    assert line.plan() == []
    assert line.pressed


def test_a_line_that_is_not_over_is_gone_on_with() -> None:
    state, method = corridor(), Scripted(["N"])
    line = rewinding(method)
    line.go_on(state, BudgetMeter(Budget(calls=2 * 950)), 1.0, moving=True)
    assert len(line.plan()) >= 900
    assert method.starts[:3] == [-1, 299, 599]
    line.go_on(state, BudgetMeter(Budget(calls=2 * 1150)), 1.0, moving=True)
    assert len(line.plan()) == MAX_TICKS + 1  # as long as a play, whose first tick is -1


def test_where_waiting_changes_nothing_a_line_is_only_gone_on_with_while_that_brings_points() -> None:
    state, method = corridor(), Scripted(["N"])
    line = rewinding(method)
    line.go_on(state, BudgetMeter(Budget(calls=10**4)), 1.0, moving=False)
    assert len(line.plan()) == 300  # going on with it has brought none


def test_lines_are_the_same_with_the_same_seed() -> None:
    ways = ["R" * 40, "N" * 10 + "L" * 3, "RRRD" * 9, "U" * 50] * 20
    starts = []
    for seed in (3, 3, 4):
        method = Scripted(list(ways))
        rewinding(method, seed).go_on(corridor(), BudgetMeter(Budget(calls=4000)), 1.0, moving=True)
        starts.append(method.starts)
    assert starts[0] == starts[1] != starts[2]


def test_half_of_the_rounds_are_of_the_smallest_size() -> None:
    rounds = Rounds(Budget(calls=17_000))
    assert rounds.sizes == (200, 800, 3200)
    sizes = [rounds.calls(done) for done in range(64)]
    assert [sizes.count(size) for size in rounds.sizes] == [37, 18, 9]  # the fourth size begins anew
    assert Rounds(Budget(calls=1000)).small == ()


def test_every_method_rehearses_in_every_round_with_other_random_numbers() -> None:
    names = ("olets", "ybcriber:maps=true")
    state = load(LANES, levels=[ROAD]).start(level=0, seed=1)
    rehearsers = Rehearsers(names, 7, Budget(calls=5000), 0)
    rehearsers.get_ready(state, Timer(float("inf")))
    assert rehearsers.many
    seen = []
    for held in range(8):
        rehearsers.held = held
        rehearsal = rehearsers.begin(state, lambda one: one.key(), lambda method, start: method.reset(start))
        seen.append((type(rehearsal.method).__name__, rehearsal.method.seed, rehearsal.method.most_calls))
    assert seen == [
        (name, 7 + k, calls) for k, calls in enumerate((200, 800, 200, 200)) for name in ("OLETS", "YBCriber")
    ]


def test_a_timed_decision_ends_with_the_calls_it_may_make() -> None:
    state = load(LANES, levels=[ROAD]).start(level=0, seed=1)
    for name in ("olets", "mcts", "ybcriber:maps=true"):
        agent = make_agent(name, seed=1, budget="200ms")
        agent.reset(state)
        agent.most_calls = 150
        agent.act(state)
        assert 0 < agent.calls < 300


@pytest.mark.parametrize("name", ["pcg", "hyper"])
def test_portfolios_cross_a_road_by_rehearsals_that_go_back(name: str) -> None:
    game = load(LANES, levels=[ROAD])
    plays = [play(game, make_agent(name, seed=1, budget=4000), seed=1, max_ticks=200) for _ in range(2)]
    assert plays[0].winner == Outcome.PLAYER_WINS
    assert plays[0].actions == plays[1].actions
