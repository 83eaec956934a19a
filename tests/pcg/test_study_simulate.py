"""Simulated participants: they take part through the real interface, like what they are said to like, and are told
apart from people.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import studies
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.preferences import count_votes, fit
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.players import BUDGET, check_player
from pcg.study.replaying import Replayer
from pcg.study.reporting import votes_of
from pcg.study.rows import StudyItem
from pcg.study.server_process import hosted
from pcg.study.simulating import ATTENTIVE, CARELESS, LEFT, Truth, read_truth, simulate

ITEMS = [StudyItem(name, "g", "boxes", "", "", "", features={"length": float(k), "odd": float(k % 2)})
         for k, name in enumerate("abcdef")]  # fmt: skip


def test_utilities_are_drawn_by_the_seed_or_follow_measures() -> None:
    truth = Truth.draw(ITEMS, 1, {"spread": 2.0})
    assert truth == Truth.draw(ITEMS, 1, {"spread": 2.0})
    assert truth != Truth.draw(ITEMS, 2, {"spread": 2.0})
    assert abs(sum(truth.utilities.values())) < 1e-9
    liked = Truth.draw(ITEMS, 1, {"likes": "length=1, odd=-0.1"}).utilities
    assert sorted(liked, key=lambda name: liked[name]) == list("abcdef")
    for settings, message in (
        ({"likes": "lenght=1"}, "did you mean `length`"),
        ({"likes": "length=much"}, "expected a measure and a number"),
        ({"carless": 0.1}, "did you mean `careless`"),
        ({"careless": 0.7, "left": 0.7}, "sum to more than 1"),
        ({"tie": "often"}, "expected a number"),
    ):
        with pytest.raises(PcgError, match=message):
            Truth.draw(ITEMS, 1, settings)


def test_answers_follow_the_model() -> None:
    truth = Truth.draw(ITEMS, 3, {"tie": 0.0, "position": 0.5, "appeal": 1.0})
    rng = np.random.default_rng(1)
    four, two = ("first", "second", "both", "neither"), ("first", "second")
    counted = Counter(truth.answer(ATTENTIVE, four, ["a", "b"], rng) for _ in range(4000))
    for answer, probability in truth.probabilities(["a", "b"], [False, False]).items():
        if answer != "tie":
            assert abs(counted[answer] / 4000 - probability) < 0.03
    assert {truth.answer(ATTENTIVE, two, ["a", "b"], rng) for _ in range(50)} == set(two)
    assert {truth.answer(LEFT, four, ["a", "b"], rng) for _ in range(20)} == {"first"}
    assert len({truth.answer(CARELESS, four, ["a", "b"], rng) for _ in range(100)}) == 4
    kinds = Counter(Truth.draw(ITEMS, 1, {"careless": 0.2, "left": 0.1}).kind(n) for n in range(2000))
    assert abs(kinds[CARELESS] / 2000 - 0.2) < 0.03
    assert abs(kinds[LEFT] / 2000 - 0.1) < 0.03


def test_people_are_no_players() -> None:
    for name in ("random", "idle", "mcts:depth=5"):
        check_player(name)
    for name, message in (("human", "needs a person"), ("mctss", "did you mean `mcts`")):
        with pytest.raises(PcgError, match=message):
            check_player(name)


@pytest.mark.full
def test_they_take_part_by_the_command_and_what_they_like_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"design": {"pairs": 3, "checks": 1}, "play": {"minimum": 0.1}}
    studies.make(tmp_path / "s", Source("boxes", levels="0-2"), settings=settings)
    people = ["--participants", "8", "--seed", "4", "--set", "spread=12", "--set", "tie=-3"]
    arguments = ["study", "simulate", "s", *people]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "8 took part, 8 to the end: 32 votes" in done.output
    truth = read_truth(tmp_path / "s" / "truth-4.json")
    store = open_study(tmp_path / "s")
    assert all(p.simulated and p.finished for p in store.participants())
    told = json.loads((tmp_path / "s" / "truth-4.json").read_text())["participants"]
    assert {one["participant"] for one in told} == {p.id for p in store.participants()}
    data = study_data(store)
    assert data.people == "simulated"
    votes, passed = votes_of(data)
    assert len(votes) == 32
    assert all(passed[v.check] == v.answer for v in votes if v.check)
    fitted = fit(count_votes(votes))
    liked = [truth.utilities[name] for name in fitted.items]
    # Who is shown what depends on who comes first, so the fit differs from run to run: of 3,000 such sets of votes none
    # correlated less than 0.86.
    assert np.argmax(fitted.utilities) == np.argmax(liked)
    assert np.corrcoef(fitted.utilities, liked)[0, 1] > 0.8
    replayer = Replayer(store)
    assert {problem for _, problem in replayer.verify(replayer.plays())} == {""}


@pytest.mark.full
def test_an_agent_plays_what_it_decides(tmp_path: Path) -> None:
    """The stored play of a game by turns is the one that the agent plays alone."""
    settings = {"design": {"pairs": 1, "checks": 0}, "play": {"minimum": 2.5}}
    made = studies.make(tmp_path / "s", Source("boxes", levels="0-1"), settings=settings)
    store = open_study(tmp_path / "s")
    truth = Truth.draw(store.items, 9, {})
    with hosted(tmp_path / "s", limited=True) as server:
        outcome = asyncio.run(
            simulate(store, server.url, made.token, truth, participants=2, players=("mcts:depth=6", "onestep"))
        )
        assert outcome.finished == 2
    plays = {(p.pair, p.side): p for p in store.plays()}
    players = {one.participant: one for one in outcome.people}
    for pair in store.pairs():
        for side in (0, 1):
            one, play = players[pair.participant], plays[pair.id, side]
            rng = np.random.default_rng([truth.seed, 4, one.number, 1, side])
            agent = make_agent(one.player, seed=int(rng.integers(2**31)), budget=BUDGET)
            state = pcg.load("boxes").start(store.item[pair.item(side)].level, seed=play.seed)
            agent.reset(state)
            alone = []
            while len(alone) < play.ticks and not state.is_over:
                action = agent.act(state) or "NIL"
                if action == "NIL":
                    break  # in a game by turns the page then waits for good
                alone.append(action)
                state.advance(action)
            assert decode_play(play.actions) == alone
            assert play.ticks > 0


@pytest.mark.full
def test_an_agent_keeps_up_with_a_game_that_runs_on(tmp_path: Path) -> None:
    settings = {"design": {"pairs": 1, "checks": 0}, "play": {"minimum": 4.0}}
    made = studies.make(tmp_path / "s", Source("invaders", levels="0-1"), settings=settings)
    store = open_study(tmp_path / "s")
    with hosted(tmp_path / "s") as server:
        truth = Truth.draw(store.items, 2, {})
        asyncio.run(simulate(store, server.url, made.token, truth, participants=1, players=("onestep",)))
    plays = store.plays()
    assert len(plays) == 2
    # Scores are made: an agent that lost track would press at random.
    assert sum(set(p.actions) - {"."} != set() for p in plays) == 2
    assert all(p.ticks >= 20 or p.over for p in plays)
