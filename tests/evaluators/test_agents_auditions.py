"""Auditions: methods play whole games in imagination, and the one that wins them plays."""

from __future__ import annotations

import pytest

from pcg.engine.game import Game, load
from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.state import Outcome
from pcg.evaluators.agents import compiled, make_agent, play
from pcg.evaluators.agents.auditions import CALLS, Auditions
from pcg.evaluators.agents.base import Budget
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.portfolio import AUDITIONED, METHODS
from pcg.evaluators.agents.resumable_search import BudgetMeter

SIT_STILL = """
BasicGame
    SpriteSet
        mat > Immovable
        pit > Immovable
        gnat > RandomNPC
        wall > Immovable
        avatar > MovingAvatar
    LevelMapping
        A > avatar mat
        p > pit
        g > gnat
        w > wall
    InteractionSet
        avatar wall > stepBack
        gnat wall pit mat > stepBack
        gnat EOS > stepBack
        avatar pit > killSprite
    TerminationSet
        SpriteCounter stype=avatar limit=0 win=False
        Timeout limit=60 win=True
"""
PITS = "wwwwwww\nwpppppw\nwppAppw\nwpppppw\nwgwwwww\nwwwwwww"


@pytest.fixture(scope="module")
def sitting() -> Game:
    return load(SIT_STILL, levels=[PITS])


def _held(auditions: Auditions, game: Game, calls: int = 40_000) -> Auditions:
    auditions.begin(game.start(0, seed=1), BudgetMeter(Budget(calls=calls)))
    return auditions


def test_doing_nothing_is_chosen_where_it_wins_and_the_others_lose(sitting: Game) -> None:
    auditions = _held(Auditions(("random",), seed=1), sitting)
    assert auditions.best == 1
    assert 30_000 < auditions.calls <= 40_000 + CALLS


def test_a_method_that_wins_is_preferred_to_doing_nothing_while_it_does_no_worse(sitting: Game) -> None:
    assert _held(Auditions(("nothing",), seed=1), sitting).best == 0


def test_the_method_that_wins_is_chosen_whatever_the_order() -> None:
    hunt = load("hunt")
    for names, winner in ((("random", "olets"), 1), (("olets", "random"), 0)):
        assert _held(Auditions(names, seed=1), hunt, 200_000).best == winner


def test_nobody_is_chosen_where_nobody_wins() -> None:
    hopeless = load(SIT_STILL.replace("win=True", "win=False"), levels=[PITS])
    auditions = _held(Auditions(("random", "onestep"), seed=1), hopeless)
    assert auditions.best is None
    assert not auditions.given_up


def _known(records: list[tuple[int, int]], best: int | None, idle: tuple[int, int] = (0, 8)) -> Auditions:
    """Auditions of which so many were won and held, method by method, at the moment before one more is lost."""
    auditions = Auditions(("random", "olets", "onestep"), seed=1)
    auditions._wins = [float(won) for won, _ in (*records, idle)]
    auditions._plays = [float(held) for _, held in (*records, idle)]
    auditions.best = best
    auditions._method = len(records)
    auditions._note(False)
    return auditions


@pytest.mark.parametrize(
    ("records", "best", "then"),
    [
        ([(5, 8), (0, 1), (1, 1)], 0, 0),  # a single audition won is no reason to change
        ([(0, 8), (0, 1), (1, 1)], 0, 2),  # unless the present one loses nearly all
        ([(5, 8), (0, 1), (3, 3)], 0, 2),
        ([(0, 8), (0, 8), (1, 20)], None, None),  # few of many are no sign where none plays yet
        ([(1, 1), (0, 8), (0, 8)], None, 0),
        ([(0, 2), (5, 6), (2, 8)], 2, 1),  # what fades gives the turn back
        ([(0, 2), (0, 2), (0, 2)], 2, None),
    ],
)
def test_another_method_takes_over_when_it_wins_more_than_the_present_one_can_yet_turn_out_to(
    records: list[tuple[int, int]], best: int | None, then: int | None
) -> None:
    assert _known(records, best).best == then


def test_sitting_still_gives_way_to_a_method_that_does_as_well() -> None:
    assert _known([(0, 8), (0, 8), (0, 8)], 0, idle=(8, 8)).best == 3
    assert _known([(0, 8), (6, 6), (0, 8)], 3, idle=(8, 8)).best == 1


@pytest.mark.parametrize(("records", "proven"), [([(9, 9)], True), ([(9, 13)], False), ([(2, 2)], False)])
def test_a_method_is_taken_at_its_auditions_where_it_wins_nearly_all_of_many(
    records: list[tuple[int, int]], proven: bool
) -> None:
    auditions = _known([*records, (0, 1), (0, 1)], 0)
    assert auditions.winning == (Budget(calls=CALLS) if proven else None)
    auditions.best = None
    assert auditions.winning is None


def test_they_are_the_same_every_time_and_nothing_is_left_of_the_play_before(sitting: Game) -> None:
    auditions = _held(Auditions(("random",), seed=1), sitting)
    first = auditions.calls, auditions._plays, auditions._wins
    _held(auditions, load("hunt"))
    assert (auditions.calls, auditions._plays, auditions._wins) != first
    _held(auditions, sitting)
    assert (auditions.calls, auditions._plays, auditions._wins) == first
    auditions.forget()
    assert auditions.best is None
    assert auditions.given_up


def test_slow_levels_get_fewer_calls_and_then_no_auditions_but_one_slow_decision_says_nothing(sitting: Game) -> None:
    auditions = _held(Auditions(("random",), seed=1), sitting)
    auditions._keep_pace(500.0)
    assert auditions._budget.calls == CALLS
    calls = set()
    for _ in range(100):
        auditions._keep_pace(5.0)
        calls.add(auditions._budget.calls)
    assert calls == {200, 100, 50, 25}
    assert auditions.given_up
    before = auditions.calls
    auditions.go_on(sitting.start(0, seed=1), BudgetMeter(Budget(calls=1000)), 1.0)
    assert auditions.calls == before


# --- in the portfolio -------------------------------------------------------------------------------------------------


def test_the_portfolio_sits_still_where_that_wins(sitting: Game) -> None:
    agent = make_agent("pcg", seed=1, budget=4000)
    playout = play(sitting, agent, seed=3)
    assert playout.winner == Outcome.PLAYER_WINS
    assert agent._auditions.best in (0, len(AUDITIONED))


def test_the_method_that_wins_auditions_has_the_turn_and_none_does_where_none_wins(sitting: Game) -> None:
    agent = make_agent("pcg", seed=1, budget=4000)
    state = sitting.start(0, seed=1)
    agent.reset(state)
    for best, turn in ((None, 0), (2, METHODS.index(AUDITIONED[2])), (None, METHODS.index(AUDITIONED[2]))):
        agent._auditions.go_on = lambda *_: None
        agent._auditions.best = best
        agent.act(state)
        assert agent._turns.turn == turn


def test_a_method_that_was_chosen_has_every_turn_also_without_progress(sitting: Game) -> None:
    agent = make_agent("pcg", seed=1, budget=4000, turn=2)
    state = sitting.start(0, seed=1)
    agent.reset(state)
    for _ in range(8):
        agent._turns.act_within(state, Budget(calls=50), 2)
        assert agent._turns.turn == 2


def test_a_chosen_method_without_progress_takes_turns_with_itself_as_it_was_auditioned(
    sitting: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make_agent("pcg", seed=1, budget=4000, turn=2)
    state = sitting.start(0, seed=1)
    agent.reset(state)
    whole, sparing = Budget(calls=50), Budget(calls=25)
    given = []
    monkeypatch.setattr(agent._turns.agents[2], "act_within", lambda _, budget: given.append(budget) or "NIL")
    for _ in range(9):
        agent._turns.act_within(state, whole, 2, sparing)
    assert given == [whole] * 3 + [sparing] * 3 + [whole] * 3
    given.clear()
    for _ in range(9):
        agent._turns.act_within(state, whole, 2)
    assert given == [whole] * 9


def test_a_method_that_has_to_get_memory_has_the_time_of_auditions_for_it(sitting: Game) -> None:
    agent = make_agent("pcg", seed=1, budget=4000)
    state = sitting.start(0, seed=1)
    agent.reset(state)
    agent._auditions.best = 2
    agent.act(state)
    before = agent._auditions.calls
    agent._turns.agents[agent._turns.turn].outgrown = True
    agent.act(state)
    assert agent._auditions.calls == before


def test_a_decision_has_one_budget_for_auditions_and_the_method(sitting: Game) -> None:
    agent = make_agent("pcg", seed=1, budget=4000)
    state = sitting.start(0, seed=1)
    agent.reset(state)
    for _ in range(5):
        before = agent.calls
        state.advance(agent.act(state))
        assert agent.calls - before <= 4000 + CALLS


@pytest.mark.parametrize(("budget", "held"), [(1000, False), (3000, False), (4000, True)])
def test_auditions_are_held_where_a_decision_pays_for_some_ticks(budget: int, held: bool) -> None:
    agent = make_agent("pcg", seed=1, budget=budget)
    assert (agent._auditions is not None) == held
    state = load("hunt").start(level=0, seed=1)
    agent.reset(state)
    assert (agent.calls > 0) == held
    assert make_agent("pcg", seed=1, budget=budget, audition=0.0)._auditions is None


def test_without_chance_and_for_several_players_there_are_none() -> None:
    agent = make_agent("pcg", seed=1, budget=4000)
    for name, held in (("hunt", True), ("boxes", False), ("tag", False), ("hunt", True)):
        state = load(name).start(level=0, seed=1)
        assert (state.model.players == 2) == (name == "tag")
        agent.reset(state)
        assert agent._auditions.given_up == (not held)


def test_plays_with_auditions_are_repeated() -> None:
    plays = [play(load("hunt"), make_agent("pcg", seed=2, budget=4000), seed=5, max_ticks=40) for _ in range(2)]
    assert plays[0].actions == plays[1].actions


def test_who_serves_a_decision_in_time_gets_no_memory_anew_when_states_grow() -> None:
    state = load("hunt").start(level=0, seed=1)
    for hasty in (False, True):
        method = make_agent("ybcriber:maps=true", seed=1, budget=CALLS)
        method.hasty = hasty
        method.reset(state)
        method.act(state)
        memory = method._memory.states.memory
        state.model.grow()
        method.enlarge()
        assert (method._memory.states.memory is memory) == hasty
        assert method.act(state) in (*state.actions, "NIL")


def test_memory_for_auditions_is_there_before_a_decision_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    touched = []
    monkeypatch.setattr(Record, "touch", lambda record: touched.append(record))
    auditions = Auditions(("random", "olets"), seed=1)
    state = load("hunt").start(level=0, seed=1)
    auditions.begin(state, BudgetMeter(Budget(calls=1000)))
    assert not touched
    hurried = Auditions(("random", "olets"), seed=1)
    hurried.begin(state, BudgetMeter(Budget(milliseconds=500.0)))
    assert len(touched) == 3


def test_a_search_in_time_that_outgrows_its_memory_answers_first_and_gets_memory_in_the_next_decision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = load("hunt").start(level=0, seed=1)
    agent = make_agent("mcts", seed=1, budget="20ms")
    agent.reset(state)
    enlarged = []
    monkeypatch.setattr(agent, "enlarge", lambda: enlarged.append(agent.calls) or setattr(agent, "outgrown", False))
    slices = [OK, GROW]
    right = state.model.action_names.index("RIGHT")

    def decide(_entry: int, _decision: int, _state: int) -> int:
        status = slices.pop(0)
        agent._record["chosen"] = right if status == OK else 0
        agent._record["calls"] = agent._record["budget"] if slices else 1  # fewer than allowed: all is searched
        return status

    monkeypatch.setattr(compiled, "invoke2", decide)
    assert agent.act(state) == "RIGHT"
    assert agent.outgrown
    assert not enlarged
    slices += [GROW, OK]  # without an answer there is nothing to wait for
    assert agent.act(state) == "RIGHT"
    assert not agent.outgrown
    assert len(enlarged) == 2
