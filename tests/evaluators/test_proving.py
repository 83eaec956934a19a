"""The prover: wins that replay, budgets that hold, answers that do not depend on anything but the arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pcg
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS, AgentError, make_agent, play, replay
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.proving import Cells, Experience, Exploration, GameMethods, Proof, prove, shortening
from pcg.evaluators.proving.level_wins import QUICK, Found, LevelWins, wins_of
from pcg.evaluators.proving.methods import SLICE, GraphSearching
from pcg.evaluators.proving.shortening import _ticks_to_win, shorten
from pcg.evaluators.proving.way import Way
from pcg.evaluators.solvability import SolvabilityPlays
from tests.support.archer import ARCHER, FIELD

pytestmark = pytest.mark.kernel

RUN = """\
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        hero > MovingAvatar color=BLUE
        coin > Resource color=GOLD limit=9
        gate > Immovable color=BROWN
        crate > Passive color=ORANGE
        hole > Immovable color=BLACK
        dog > RandomNPC color=RED
    InteractionSet
        hero wall > stepBack
        crate wall > undoAll
        dog wall > stepBack
        crate hero > bounceForward
        crate crate > undoAll
        crate hole > killSprite
        coin hero > collectResource scoreChange=1
        gate hero > killIfOtherHasMore resource=coin limit=2
        hero dog > killSprite
    LevelMapping
        . > floor
        A > floor hero
        c > floor coin
        g > floor gate
        o > floor crate
        h > floor hole
        d > floor dog
    TerminationSet
        SpriteCounter stype=gate limit=0 win=True
        SpriteCounter stype=hero limit=0 win=False
"""
"""A gate that opens for who holds two coins; crates to push, a dog that runs about."""
KEYS = "wwwwwwwww\nwA..c...w\nw.......w\nw...c..gw\nwwwwwwwww"
SEALED = "wwwwwwwww\nwA..w.c.w\nw...w...w\nwc..w..gw\nwwwwwwwww"
GUARDED = "wwwwwwwww\nwA..c.d.w\nw...d...w\nw...c..gw\nwwwwwwwww"
SMALL_GUARDED = "wwwwwww\nwA.c.dw\nw.c..gw\nwwwwwww"
SMALL_SEALED = "wwwwwww\nwA.w..w\nw.cw.gw\nwwwwwww"
"""Small enough that searches end in a second without the compiler."""

SURVIVE = """\
BasicGame
    SpriteSet
        hero > MovingAvatar color=BLUE
        dog > Chaser color=RED stype=hero cooldown=2
    InteractionSet
        hero wall > stepBack
        dog wall > stepBack
        hero dog > killSprite
    LevelMapping
        A > hero
        d > dog
    TerminationSet
        Timeout limit=120 win=True
        SpriteCounter stype=hero limit=0 win=False
"""
YARD = "wwwwwwwwww\nwA.......w\nw.ww.ww..w\nw.ww.ww..w\nw.......dw\nwwwwwwwwww"


def game(*levels: str, rules: str = RUN) -> pcg.Game:
    return pcg.load(rules, levels=list(levels))


# --- proofs -----------------------------------------------------------------------------------------------------------


def test_with_short_first_turns_a_small_budget_is_enough_for_several_methods() -> None:
    archer = game(FIELD, rules=ARCHER)
    assert prove(archer, 0, budget=10_000) is None
    proof = prove(archer, 0, budget=10_000, tidy=0, first_turn=1500)
    assert proof is not None and proof.holds(archer)


@pytest.mark.parametrize("level", [KEYS, GUARDED])
def test_a_proof_wins_when_it_is_replayed_by_the_agent_that_replays(level: str) -> None:
    rules = game(level)
    proof = prove(rules, 0, budget=400_000)
    assert proof is not None and proof.holds(rules)
    player = make_agent(f"replay:actions={proof.play}", seed=0)
    playout = play(rules.start(level, seed=proof.seed), player, max_ticks=MAX_TICKS)
    assert playout.winner == 1 and playout.ticks == proof.ticks
    assert proof.foresight == (level == GUARDED)


def test_a_proof_that_was_tampered_with_does_not_hold() -> None:
    rules = game(KEYS)
    proof = prove(rules, 0, budget=400_000)
    assert proof is not None
    assert not replace(proof, play=proof.play[:-1]).holds(rules)


def test_a_proof_survives_json() -> None:
    proof = prove(game(KEYS), 0, budget=400_000)
    assert proof is not None and Proof.from_dict(proof.as_dict()) == proof


def test_equal_arguments_give_equal_proofs() -> None:
    first, second = (prove(game(GUARDED), 0, seed=3, budget=400_000) for _ in range(2))
    assert first is not None and first == second


def test_a_survivor_is_found_where_time_wins() -> None:
    rules = game(YARD, rules=SURVIVE)
    proof = prove(rules, 0, budget=2_000_000)
    assert proof is not None and proof.holds(rules) and proof.ticks >= 120


# --- what cannot be won -----------------------------------------------------------------------------------------------


def test_a_level_that_cannot_be_won_has_no_proof_and_is_decided_within_few_calls() -> None:
    spent = []
    assert prove(game(SEALED), 0, budget=10**9, progress=lambda _, calls: spent.append(calls)) is None
    assert max(spent) < 200_000


def test_a_budget_is_kept_to_within_a_slice() -> None:
    blocked = GUARDED.replace("c", ".", 1)  # one coin is not enough, and the dogs make it a level of chance
    spent: list[int] = []
    assert prove(game(blocked), 0, budget=30_000, progress=lambda _, calls: spent.append(calls)) is None
    assert 30_000 <= max(spent) <= 30_000 + SLICE
    assert spent == sorted(spent)


def test_an_interrupt_ends_a_search_at_once() -> None:
    def interrupt(method: str, calls: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(game(GUARDED.replace("c", ".", 1)), 0, budget=10**12, progress=interrupt)


def test_games_of_several_players_are_refused() -> None:
    two = pcg.load("connect-four")
    with pytest.raises((PcgError, AttributeError)):
        prove(two, 0)  # type: ignore[arg-type]


# --- experience -------------------------------------------------------------------------------------------------------


def test_what_won_one_level_has_the_first_turn_in_the_next() -> None:
    experience = Experience()
    rules = game(GUARDED, GUARDED.replace("A.", ".A"))
    first = prove(rules, 0, budget=400_000, experience=experience)
    assert first is not None and experience.favourites()[0][0] == first.method
    methods: list[str] = []
    experience.wins = {"explore-whole": [300_000]}
    second = prove(rules, 1, budget=400_000, experience=experience, progress=lambda name, _: methods.append(name))
    assert second is not None and (methods[:1] or [second.method]) == ["explore-whole"]


# --- explorations -----------------------------------------------------------------------------------------------------


def test_cells_that_tell_more_apart_are_more() -> None:
    state = game(KEYS).start(0, seed=1)
    coarse, rich = (Exploration(state, cells) for cells in (Cells(holdings=False), Cells("whole")))
    for one in (coarse, rich):
        one.go_on(3_000)
    assert coarse.cells <= 7 * 3 < rich.cells


def test_a_crate_in_another_place_is_another_cell_where_places_count() -> None:
    rules = game("wwwwww\nwA...w\nw.o..w\nw...gw\nwwwwww")
    state = rules.start(0, seed=1)
    crate = rules.definition.type_index["crate"]
    plain, placed = (Exploration(state, cells) for cells in (Cells(), Cells(placed=(crate,))))
    for one in (plain, placed):
        one.go_on(20_000)
    assert plain.cells <= 12 < placed.cells


def test_what_the_avatar_holds_tells_cells_apart() -> None:
    state = game(SEALED).start(0, seed=1)
    without, with_holdings = (Exploration(state, Cells(holdings=h)) for h in (False, True))
    for one in (without, with_holdings):
        one.go_on(20_000)
    assert with_holdings.cells > without.cells


def test_an_exploration_in_bits_is_the_exploration_in_one_go() -> None:
    state = game(GUARDED.replace("c", ".", 1)).start(0, seed=1)
    whole, bits = (Exploration(state, Cells(), seed=5) for _ in range(2))
    whole.go_on(9_000)
    for calls in (1_000, 4_000, 9_000):
        bits.go_on(calls)
    assert bits.actions() == whole.actions() and bits.cells == whole.cells and bits.calls == whole.calls


def test_little_memory_forgets_states_but_goes_on() -> None:
    state = game(GUARDED.replace("c", ".", 1)).start(0, seed=1)
    small = Exploration(state, Cells("whole"), memory=1)
    small.go_on(60_000)
    assert small.cells > small.record["blocks"] and not small.ended


def test_the_way_to_the_most_promising_cell_leads_there() -> None:
    rules = game(SEALED)
    state = rules.start(0, seed=1)
    one = Exploration(state, Cells(), weights=None)
    one.go_on(5_000)
    end = state.copy()
    for action in one.actions():
        end.advance(action)
    assert end.score == 1  # the one coin that can be reached


def test_methods_for_levels_without_chance_are_not_asked_where_there_is_chance() -> None:
    methods = GameMethods(game(KEYS).definition)
    assert methods.suits("astar", game(KEYS).start(0)) and not methods.suits("astar", game(GUARDED).start(0))


def test_exploration_needs_cells() -> None:
    with pytest.raises(AgentError):
        Exploration(pcg.load("connect-four").start(), Cells())


@pytest.mark.full
def test_the_kernel_gives_the_same_proof_with_the_compiler_off(tmp_path: Path) -> None:
    program = (
        "import sys, pcg\nfrom pcg.evaluators.proving import Cells, Exploration\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom test_proving import KEYS, game\n"
        "one = Exploration(game(KEYS).start(0, seed=1), Cells(), seed=2)\none.go_on(400)\n"
        "print(one.solved, one.calls, one.cells, '.'.join(one.actions()))\n"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PCG_KERNELS": mode},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for mode in ("aot", "python")
    ]
    assert answers[0] == answers[1] and answers[0]


# --- the way, and shorter wins ----------------------------------------------------------------------------------------

MAZE = "wwwwwwwww\nwA.w...gw\nw..w.w..w\nw..o.w..w\nwc...w.cw\nwwwwwwwww"


def estimate_at(rules: pcg.Game, level: str, target: str, weight: float = 1.0) -> float:
    state = rules.start(level, seed=1)
    index = rules.definition.type_index
    weights = [0.0] * (2 * len(rules.definition.types))
    weights[2 * index[target] + 1] = weight
    analysis = GameMethods(rules.definition).analysis
    way = Way.of(analysis, weights)
    assert way is not None
    return Exploration(state, Cells(), weights=weights, way=way).least_estimate


def test_the_way_leads_around_walls() -> None:
    rules = game(MAZE)
    straight = estimate_at(
        rules, MAZE.replace("w..w.w..w\nw..o.w..w", "w.......w\nw.......w").replace("A.w", "A.."), "gate"
    )
    assert straight == 6.0
    assert estimate_at(rules, MAZE.replace("w..o.w", "w....w"), "gate") == 10.0


def test_what_is_in_the_way_costs_more_and_a_wall_most() -> None:
    rules = game(MAZE)
    free = estimate_at(rules, MAZE.replace("w..o.w", "w....w").replace("wc...", "wc.w."), "gate")
    crate = estimate_at(rules, MAZE.replace("wc...", "wc.w."), "gate")
    wall = estimate_at(rules, MAZE.replace("w..o.w", "w..w.w").replace("wc...", "wc.w."), "gate")
    assert free < crate < wall


def test_weights_that_are_given_stay_as_they_are() -> None:
    rules = game(MAZE)
    weights = np.zeros(2 * len(rules.definition.types))
    weights[2 * rules.definition.type_index["gate"] + 1] = 1.0
    way = Way.of(GameMethods(rules.definition).analysis, weights.tolist())
    Exploration(rules.start(0, seed=1), Cells(), weights=weights, way=way)
    assert weights.sum() == 1.0


def test_no_cell_is_entered_twice_however_many_there_are() -> None:
    """The table of cells grows with them, from 4,096 entries on."""
    rules = game("wwwwwwwwwwwww\nwA...c....wgw\nw.o..o..o.www\nw....c....www\nw.........www\nwwwwwwwwwwwww")
    archive = Exploration(rules.start(0, seed=1), Cells("whole"))
    archive.go_on(30_000 if COMPILED else 3_000)
    keys = archive._array("key")[: archive.cells]
    assert len(keys) > (2_500 if COMPILED else 300) and len(set(keys.tolist())) == len(keys)


def test_a_win_loses_what_it_does_not_need() -> None:
    rules = game("wwwwwww\nwA....w\nwc.c.gw\nwwwwwww")
    start = rules.start(0, seed=1)
    needed = ["DOWN", "RIGHT", "RIGHT", "RIGHT", "RIGHT"]
    detour = ["RIGHT", "LEFT", "NIL", *needed[:2], "UP", "DOWN", "NIL", *needed[2:]]
    kept, spent = shorten(start, detour, 10_000)
    assert list(kept) == needed and 0 < spent <= 10_000
    assert shorten(start, detour, 0) == (tuple(detour), 0)


def test_ticks_to_a_win_are_those_of_a_play_tick_by_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where dogs come forth until a state needs more room, and then tick by tick."""
    nest = RUN.replace("dog > RandomNPC color=RED", "dog > RandomNPC color=RED\n        nest > SpawnPoint stype=dog")
    nest = nest.replace("d > floor dog", "d > floor dog\n        n > floor nest")
    rules = pcg.load(nest, ["wwwwwwwww\nwA..c...w\nw.wwwwwww\nwcgw....w\nwwww.n..w\nwwwwwwwww"])
    answers: list[int] = []
    call = shortening.invoke4
    monkeypatch.setattr(shortening, "invoke4", lambda *given: answers.append(call(*given)) or answers[-1])
    start = rules.start(0, seed=1)
    wins = ["RIGHT"] * 3 + ["LEFT"] * 3 + ["DOWN"] * 2 + ["RIGHT"]
    for actions in (wins, wins[:-1], ["NIL"] * 40 + wins, ["NIL"] * 120, ["NIL"] * 120 + wins, []):
        state, ticks = start.copy(), 0
        for action in actions:
            if state.is_over:
                break
            state.advance(action)
            ticks += 1
        assert _ticks_to_win(start, actions) == (ticks if state.winner == 1 else -ticks)
    assert _ticks_to_win(start, [f"ACTION_{action}" for action in wins]) == len(wins)
    assert 0 in answers[:-1] and max(answers) > 0 > min(answers)


# --- evaluations ------------------------------------------------------------------------------------------------------


def test_an_evaluation_asks_for_a_win_in_every_future_and_learns_from_the_games_own_levels_alone() -> None:
    rules = game(SMALL_GUARDED)
    wins = LevelWins(rules, rules.levels, 60_000, 200, 3)
    other = SMALL_GUARDED.replace("A.", ".A")
    asked = wins.find(other, [4, 5], 200, [0])
    found = asked.actions
    assert found is not None and asked.calls > wins.find(other, [4], 200, [0]).calls > 0
    assert LevelWins(rules, rules.levels, 60_000, 200, 3).find(other, [4, 5], 200, [0]) == asked
    end = replay(rules.start(other, seed=4), found)[-1]
    assert end.winner == 1
    known = wins.experience([0])  # and a level looked at has not taught anything
    assert sum(map(len, known.wins.values())) == 1 and not wins.experience([]).wins


def test_where_own_levels_are_won_cheaply_a_search_is_given_up_soon() -> None:
    rules = game(SMALL_GUARDED)
    wins = LevelWins(rules, rules.levels, 10_000_000, 200, 3)
    assert wins.budget([]) == wins.budget([], typical=True) == wins.budget([0]) == 1_000_000
    assert wins.budget([0], typical=True) == 4_000_000
    hard = LevelWins(rules, [SMALL_SEALED], 10_000_000, 200, 3)
    assert hard.budget([0]) == 1_000_000 and hard.budget([0], typical=True) == 4_000_000
    dear = LevelWins(rules, rules.levels, 2_000, 200, 3)
    assert 200 < dear.budget([0]) <= 800 < dear.budget([0], typical=True) <= 2_000


@pytest.mark.full  # a minute and a half with the compiler off
def test_what_wins_own_levels_is_tried_where_they_take_more_than_a_quick_search() -> None:
    relay = pcg.load("relay")
    wins = LevelWins(relay, relay.levels[:3], 1_200_000, 400, 3)
    other = relay.levels[4]
    assert wins.quick(other, 4) is None
    found = wins.practised(other, 4, 100_000, [0, 1, 2])
    assert found.actions is not None and 0 < found.calls <= 100_000
    assert replay(relay.start(other, seed=4), found.actions)[-1].winner == 1
    assert wins.practised(other, 4, 0, [0, 1, 2]) == wins.practised(other, 4, 100_000, []) == Found(None, 0)
    easy = game(SMALL_GUARDED)
    known = LevelWins(easy, easy.levels, 60_000, 200, 3)
    assert known.practised(SMALL_GUARDED, 4, 100_000, [0]) == Found(None, 0)  # a quick search does as well


def test_all_who_ask_alike_share_what_is_known_of_a_games_own_levels() -> None:
    one, same = (wins_of(pcg.load("boxes"), ("wAw",), 100, 200, 3) for _ in range(2))
    assert one is same
    for others in ((pcg.load("boxes"), ("wA.w",), 100, 200, 3), (pcg.load("boxes"), ("wAw",), 101, 200, 3)):
        assert wins_of(*others) is not one
    assert wins_of(pcg.load("dungeon"), ("wAw",), 100, 200, 3) is not one
    guarded = game(SMALL_GUARDED)
    ended = wins_of(guarded, (SMALL_GUARDED + "\n",), 60_000, 200, 3)
    assert wins_of(guarded, (SMALL_GUARDED,), 60_000, 200, 3) is ended  # a line's end makes no other level
    assert ended.wins_own(SMALL_GUARDED) == ended.wins_own(SMALL_GUARDED + "\n")
    assert ended.own_share(60_000) == 1.0 and ended.own_share(0) == 0.0


def test_a_search_goes_on_for_long_after_a_quick_one_only_where_that_is_worth_it() -> None:
    rules = game(GUARDED)
    wins = LevelWins(rules, (), 1_200_000, 200, 3)
    asked: list[bool] = []

    def worth(answer: bool) -> bool:
        asked.append(answer)
        return answer

    level = GUARDED.replace("c", ".", 1)  # one coin is not enough
    short = wins.find(level, [4, 5], 200, worth=lambda: worth(False))
    assert short.actions is None and QUICK < short.calls <= QUICK + 62_000 and asked == [False]
    long = wins.find(level, [4, 5], 200, worth=lambda: worth(True))
    assert long.calls > short.calls + 50_000 and asked == [False, True]


def test_what_cannot_be_won_is_known_to_be_impossible_where_nothing_is_left_to_chance() -> None:
    found = LevelWins(game(KEYS), (), 60_000, 200, 3).find(SEALED, [1], 200)
    assert found.actions is None and found.impossible


def test_an_evaluation_that_may_not_search_finds_nothing() -> None:
    assert LevelWins(game(KEYS), (), 0, 200, 3).find(KEYS, [1], 200) == Found(None, 0)


def test_a_level_that_no_player_wins_is_feasible_when_the_prover_wins_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = game(SMALL_GUARDED)
    monkeypatch.setattr(SolvabilityPlays, "in_turns", lambda *_: iter(()))
    settings = {
        "min_cover": 0.0, "max_cover": 1.0, "min_kinds": 0.0, "min_length": 1, "max_length": 60, "start": 0,
        "survival": 0, "weak_plays": 1,
    }  # fmt: skip
    without = LevelEvaluator(rules, search=0, **settings).evaluate(SMALL_GUARDED, seed=1)
    proved = LevelEvaluator(rules, search=20_000, **settings).evaluate(SMALL_GUARDED, seed=1)
    assert without.constraints["win"] < 1 == proved.constraints["win"]
    start = rules.start(SMALL_GUARDED, seed=proved.seed)
    assert proved.winner == "prover" and replay(start, proved.actions)[-1].winner == 1


MULTIPLYING = """\
BasicGame square_size=10
    SpriteSet
        hero > MovingAvatar
        rabbit > Missile orientation=UP speed=0.3
    LevelMapping
        A > hero
        r > rabbit
        d > rabbit rabbit
    InteractionSet
        rabbit rabbit > spawnLeft stype=rabbit
        rabbit rabbit > spawnRight stype=rabbit
        rabbit rabbit > spawnAbove stype=rabbit
        hero EOS > stepBack
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
"""


def test_a_search_keeps_the_room_that_it_has_got(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins anew each time that a state outgrows it, with twice the room: a few times, and not at every call."""
    state = pcg.load(MULTIPLYING, levels=["d....r\n..A...\nr....d"]).start(0, seed=1)
    begun: list[int] = []
    begin = GraphSearching._begin
    monkeypatch.setattr(GraphSearching, "_begin", lambda self, nodes: begun.append(nodes) or begin(self, nodes))
    method = GraphSearching(state, None, (), 1, 200)
    assert method.go_on(300) is None
    assert 2 <= len(begun) <= 10 and (method.calls >= 300 or method.ended)
