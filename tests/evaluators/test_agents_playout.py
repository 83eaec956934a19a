"""Whole plays: the compiled way and the way through Python are one; threads, growth and chance change nothing."""

from __future__ import annotations

import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tiny_engine import TinyGame, sliding, walk

from pcg.engine.game import load
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.state import Outcome
from pcg.evaluators.agents import AGENTS, Agent, AgentError, Playout, begin, make_agent, play, playout, replay
from pcg.evaluators.analysis import analyse
from pcg.evaluators.solvability import SolvabilityPlays

pytestmark = pytest.mark.kernel

GAMES: dict[str, TinyGame] = {
    "corridor": walk("A..c..G\n..x...."),
    "wind": walk("A.c.\n.c.G\nc.x.", wind=200),
    "crumbs": walk("A.c.\n.c.G\nc.x.", wind=100, crumbs=True, room=1),
    "limit": walk("c.A.c", limit=6),
    "sliding": sliding("123406758"),
}


class Wrapped(Agent):
    """A compiled agent in Python's clothes: it is asked tick by tick."""

    def __init__(self, name: str, **about: Any) -> None:
        self.inside = make_agent(name, **about)
        self.seed = self.inside.seed
        self.player = self.inside.player

    def reset(self, state: Any) -> None:
        self.inside.reset(state)

    def act(self, state: Any) -> str | None:
        return self.inside.act(state)

    @property
    def calls(self) -> int:
        return self.inside.calls  # type: ignore[attr-defined,no-any-return]


# --- two ways, one result ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_compiled_plays_equal_plays_through_python(game: TinyGame, name: str) -> None:
    about: dict[str, Any] = {"seed": 5, "budget": 60}
    fast = play(game, make_agent(name, **about), seed=3, max_ticks=25)
    slow = play(game, Wrapped(name, **about), seed=3, max_ticks=25)
    assert fast == slow
    assert fast.ticks == len(fast.actions) > 0


def test_both_ways_are_one_for_two_players() -> None:
    game = walk("A.c.\n..G.\n.c.B", wind=100, crumbs=True, room=1)
    for names in (("mcts", "random"), ("onestep", "mcts"), ("random", "nothing")):
        fast = play(game, [make_agent(n, seed=k, budget=80, player=k) for k, n in enumerate(names)], max_ticks=20)
        slow = play(game, [Wrapped(n, seed=k, budget=80, player=k) for k, n in enumerate(names)], max_ticks=20)
        assert fast == slow
        assert all(len(joint) == 2 for joint in fast.actions)


def test_the_room_of_states_does_not_change_a_play() -> None:
    def played(room: int, name: str) -> Playout:
        game = walk("A.c.\n.c.G\nc.x.", wind=100, crumbs=True, room=room)
        return play(game, make_agent(name, seed=1, budget=50), seed=2, max_ticks=40)

    for name in AGENTS:
        assert played(1, name) == played(64, name)


@pytest.mark.parametrize("wrap", [make_agent, Wrapped])
def test_a_full_log_of_events_loses_none(wrap: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = walk("A.c.B\nc.c.c\n.ccc.", wind=300)
    agents = [wrap("random", seed=k, player=k) for k in range(2)]
    roomy = play(game, agents, max_ticks=60)
    monkeypatch.setattr(playout, "_LOG_ROOM", 1)
    assert play(game, agents, max_ticks=60) == roomy
    assert roomy.events == {(0, 3): 7}


# --- what a playout says ----------------------------------------------------------------------------------------------


def test_a_playout_says_what_happened() -> None:
    found = play(walk("A.c.G"), make_agent("solver", seed=1))
    assert found.actions == ("RIGHT",) * 4
    assert (found.score, found.winner, found.ticks, found.over) == (1.0, Outcome.PLAYER_WINS, 4, True)
    assert found.events == Counter({(0, 3): 1})
    assert found.calls > 0
    assert repr(found) == "<playout of 4 ticks, score 1.0, PLAYER_WINS>"


def test_a_play_stops_after_max_ticks() -> None:
    for agent in (make_agent("nothing"), Wrapped("nothing")):
        found = play(walk("A.G"), agent, max_ticks=100)
        assert (found.ticks, found.over, found.winner) == (100, False, Outcome.NO_WINNER)
        assert play(walk("A.G"), agent, max_ticks=0).actions == ()


def test_a_play_goes_on_from_a_state_and_leaves_it_alone() -> None:
    state = walk("A.c.G").start()
    state.advance("RIGHT")
    before = state.words()
    for agent in (make_agent("solver"), Wrapped("solver")):
        assert play(state, agent).actions == ("RIGHT",) * 3
        assert state.words() == before


def test_a_finished_state_is_not_played_on() -> None:
    state = walk("AG").start()
    state.advance("RIGHT")
    for agent in (make_agent("random"), Wrapped("random")):
        found = play(state, agent)
        assert (found.ticks, found.winner, found.over) == (0, Outcome.PLAYER_WINS, True)


def test_states_on_the_way_are_kept_when_asked_for() -> None:
    game = walk("A.c.G")
    found = play(game, make_agent("solver", seed=1), keep_states=True)
    places = [s.place for s in found.states]
    assert places == [places[0] + k for k in range(5)]
    assert [s.words() for s in replay(game.start(seed=0), found.actions)] == [s.words() for s in found.states]


def test_a_name_makes_an_agent_with_the_seed_of_the_play() -> None:
    game = GAMES["wind"]
    assert play(game, "random", seed=4) == play(game, make_agent("random", seed=4), seed=4)


# --- chance -----------------------------------------------------------------------------------------------------------


def test_an_agent_cannot_foresee_chance() -> None:
    class Prophet(Agent):
        """Does nothing, and writes down where it expects to be blown."""

        def __init__(self) -> None:
            self.expected: list[int] = []
            self.found: list[int] = []

        def act(self, state: Any) -> str:
            self.found.append(state.place)
            future = state.copy()
            future.advance("NIL")
            self.expected.append(future.place)
            return "NIL"

    prophet = Prophet()
    play(walk("......\n..A...\n......", wind=500), prophet, max_ticks=200)
    hits = sum(e == f for e, f in zip(prophet.expected, prophet.found[1:], strict=False))
    assert hits < 150  # staying is likely, being blown the same way is luck


def test_an_agent_that_advances_what_it_sees_does_no_harm() -> None:
    class Clumsy(Agent):
        def act(self, state: Any) -> str:
            state.advance("LEFT")
            return "RIGHT"

    assert play(walk("xA..G"), Clumsy()).actions == ("RIGHT",) * 3


def test_the_seed_of_the_game_and_that_of_the_agent_are_two() -> None:
    game = walk("....\n.A..\n....", wind=300)

    def final(seed: int, agent_seed: int) -> int:
        return (
            play(game, make_agent("random", seed=agent_seed), seed=seed, max_ticks=9, keep_states=True).states[-1].place
        )

    assert len({final(s, 1) for s in range(12)}) > 1
    assert len({final(1, s) for s in range(12)}) > 1


# --- threads and errors -----------------------------------------------------------------------------------------------


def test_threads_play_what_one_thread_plays() -> None:
    game = walk("A.c.\n.c.G\nc.x.", wind=100, crumbs=True, room=1)
    jobs = [(name, seed) for name in AGENTS for seed in range(6 if COMPILED else 2)]

    def job(about: tuple[str, int]) -> Playout:
        name, seed = about
        return play(game, make_agent(name, seed=seed, budget=80), seed=seed, max_ticks=30)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(job, jobs)) == [job(j) for j in jobs]


def test_the_number_of_agents_is_the_number_of_players() -> None:
    with pytest.raises(AgentError, match="1 agents for a game of 2"):
        play(walk("A.G.B"), "nothing")
    with pytest.raises(AgentError, match="2 agents for a game of 1"):
        play(walk("A.G"), ["nothing", "nothing"])


def test_an_agent_stands_at_the_place_of_its_player() -> None:
    with pytest.raises(AgentError, match=r"player 0.*place 1"):
        play(walk("A.G.B"), [make_agent("nothing"), make_agent("nothing")])
    with pytest.raises(AgentError, match="max_ticks"):
        play(walk("A.G"), "nothing", max_ticks=-1)


@pytest.mark.parametrize("agent", ["mcts", "solver:checks=1", "guided", "random"])
def test_a_play_in_bits_is_the_play_in_one_go(agent: str) -> None:
    start = load("dungeon").start(0, seed=4)
    whole = play(start, make_agent(agent, seed=2, budget=80), max_ticks=40)
    begun = begin(start, make_agent(agent, seed=2, budget=80), max_ticks=40)
    first = begun.go_on(ticks=7)
    assert first.ticks == 7 and first.actions == whole.actions[:7] and not first.over
    begun.go_on(ticks=3)  # not back
    assert begun.ticks == 7
    assert begun.go_on() == whole
    assert begun.ended


@pytest.mark.parametrize("agent", ["mcts", "guided"])
def test_a_play_pauses_once_its_calls_are_spent(agent: str) -> None:
    start = load("dungeon").start(0, seed=4)
    begun = begin(start, make_agent(agent, seed=2, budget=100), max_ticks=40)
    paused = begun.go_on(calls=450)
    assert 450 <= paused.calls == begun.calls < 700 and paused.ticks < 7
    assert begun.go_on(calls=450) == paused
    assert begun.go_on(ticks=paused.ticks + 1).ticks == paused.ticks + 1


NESTS = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        egg > Missile orientation=DOWN speed=0
        nest > SpawnPoint stype=egg prob=1 cooldown=1
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
    LevelMapping
        . > floor
        w > wall
        n > floor nest
        A > floor hero
    TerminationSet
        Timeout limit=600 win=True
"""


def test_a_play_spends_the_calls_it_may_however_much_states_grow() -> None:
    """Whoever lets a play go on for so many calls, and again until they are spent, would wait for ever otherwise."""
    start = load(NESTS, levels=["wwwwwww\nwA.n.nw\nw.n.nnw\nwwwwwww"]).start(0, seed=1)
    begun = begin(start, "onestep", max_ticks=300)
    room = begun.model.room
    begun.go_on(calls=500)
    assert begun.model.room >= 4 * room
    assert not begun.ended and begun.calls >= 500


def test_counts_at_the_end_leave_out_what_is_gone() -> None:
    game = load("dungeon", levels=["wwwww\nwAkdw\nwwwww"])
    start = game.start(0, seed=1)
    ids = game.definition.type_index
    for actions, keys, doors in (("", 1, 1), ("R", 0, 1), ("RR", 0, 0)):
        done = play(start, make_agent("replay", actions=actions), max_ticks=len(actions))
        assert (done.counts[ids["key"]], done.counts[ids["door"]]) == (keys, doors)
        assert done.counts[ids["hero"]] == 1


# --- the clock, and word of the result --------------------------------------------------------------------------------


class Witness(Agent):
    """Does nothing, and writes down what its clock shows and how plays end."""

    def __init__(self, **common: Any) -> None:
        super().__init__(**common)
        self.budgets: list[float] = []
        self.ends: list[tuple[int, bool]] = []

    def reset(self, state: Any) -> None:
        self.budgets.append(self.timer.budget)

    def act(self, state: Any) -> str:
        left = self.timer.left
        assert self.timer.left < left or left == math.inf
        assert 0 <= self.timer.elapsed < 1000
        self.budgets.append(self.timer.budget)
        return "NIL"

    def result(self, state: Any) -> None:
        self.ends.append((state.tick, state.is_over))


def test_the_clock_shows_a_second_before_a_play_and_the_budget_at_every_decision() -> None:
    timed = Witness(budget="40ms")
    play(GAMES["limit"], timed, max_ticks=3)
    assert timed.budgets == [1000.0, 40.0, 40.0, 40.0]
    counted = Witness(budget=10)
    play(GAMES["limit"], counted, max_ticks=2)
    assert counted.budgets == [math.inf] * 3


def test_the_result_is_told_once_at_the_end_or_when_the_time_is_up() -> None:
    witness = Witness()
    whole = play(GAMES["limit"], witness)
    assert len(witness.ends) == 1 and witness.ends[0][1] and whole.over
    begun = begin(GAMES["limit"], witness, max_ticks=2)
    begun.go_on(ticks=1)
    assert len(witness.ends) == 1
    begun.go_on()
    begun.go_on()
    assert [over for _, over in witness.ends] == [True, False]


def test_a_compiled_agent_that_wants_results_is_told_and_plays_the_same() -> None:
    ends: list[Any] = []

    class Told(type(make_agent("random"))):  # type: ignore[misc]
        def result(self, state: Any) -> None:
            ends.append(state.is_over)

    fast = play(GAMES["limit"], make_agent("random", seed=4))
    assert play(GAMES["limit"], Told(seed=4)) == fast
    assert ends == [True]


GERMS = """BasicGame
    SpriteSet
        hero > MovingAvatar
        goal > Immovable
        germ > SpawnPoint stype=germ cooldown=6
        wall > Immovable
    InteractionSet
        hero wall > stepBack
        goal hero > killSprite
    LevelMapping
        A > hero
        g > goal
        x > germ
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
"""
DISH = "wwwwwww\nwA.w.gw\nw.xw..w\nwwwwwww"


@pytest.mark.parametrize("agent", ["mcts", "guided", "nothing"])
def test_a_play_pauses_once_sprites_have_multiplied(agent: str, tmp_path: Path) -> None:
    (tmp_path / "germs.vgdl").write_text(GERMS, encoding="utf-8")
    start = load(tmp_path / "germs.vgdl").start(DISH, seed=1)
    begun = begin(start, make_agent(agent, seed=2, budget=40), max_ticks=100)
    paused = begun.go_on(room=500)
    assert 10 < paused.ticks < 60 and not begun.ended and 500 < begun.room <= 2048
    assert begun.go_on(room=500).ticks == paused.ticks
    assert begun.go_on(ticks=paused.ticks + 2).ticks == paused.ticks + 2
    whole = play(start, make_agent(agent, seed=2, budget=40), max_ticks=paused.ticks)
    assert whole.actions == paused.actions


def test_a_level_whose_sprites_multiply_is_judged_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "germs.vgdl").write_text(GERMS, encoding="utf-8")
    game = load(tmp_path / "germs.vgdl")
    plays = SolvabilityPlays(analyse(game.definition), lambda k: k)
    for agent in ("mcts", "guided"):
        playout = plays.play(game.start(DISH, seed=1), agent, 0, 2000, budget=40)
        assert playout.ticks < 100 and playout.winner == Outcome.NO_WINNER
    assert plays.play(game.start(DISH.replace("x", "."), seed=1), "mcts", 0, 200, budget=40).ticks == 200
