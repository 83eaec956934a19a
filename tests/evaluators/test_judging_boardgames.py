"""Judging board games: novices who play by the rules, measures that mean what they say, a fit that finds its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine import gdl
from pcg.engine.boards import ConnectX, MnkGame, rule_sheet
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging import judge_board_game
from pcg.evaluators.judging.board_measures import LINES, RULES, BoardMeasures, measure_board_game
from pcg.evaluators.judging.board_people import FEWEST, QUESTIONS, SIGNS, TERMS, fit_people, stored_people, terms
from pcg.evaluators.judging.board_play import LADDER as SAMPLERS
from pcg.evaluators.judging.board_play import SamplingPlayers
from pcg.evaluators.judging.kernel.line_player import BEHIND, DANGER, FIELDS, PLIES, THREATS, WINNER
from pcg.evaluators.judging.line_play import CAREFUL, CARELESS, CROWD, LADDER, RANDOM, TYPICAL, LinePlayers

VARIANTS = [
    MnkGame(3, 3, 3),
    MnkGame(4, 4, 3, misere=True),
    MnkGame(4, 5, (3, 2), lines=("diagonal", "orthogonal+diagonal")),
    MnkGame(5, 2, 2, lines="diagonal", opening=(1, 2)),
    MnkGame(3, 3, 3, opening=(2, 1)),
    MnkGame(2, 3, (1, 2), opening=(1, 3)),
    MnkGame(6, 6, 4, lines=("orthogonal", "diagonal")),
]


def shares(winners: Any) -> Any:
    """Shares of plays that the first player won, the second won, and nobody won."""
    return np.array([(winners == who).mean() for who in (0, 1, -1)])


# --- plays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", VARIANTS, ids=repr)
def test_random_novices_win_as_often_as_random_games_on_the_bit_boards(game: MnkGame) -> None:
    count = 3000
    plays = LinePlayers(game).play(RANDOM, RANDOM, count, seed=1)
    expected = np.array(game.random_games(count, seed=2)) / count
    assert shares(plays[:, WINNER]) == pytest.approx(expected, abs=0.055)  # four standard errors and more
    assert plays[:, PLIES].max() <= game.rows * game.columns


@pytest.mark.parametrize("game", VARIANTS[:5], ids=repr)
def test_random_samplers_win_as_often_as_random_games(game: MnkGame) -> None:
    plays = SamplingPlayers(game).play(SAMPLERS[0], SAMPLERS[0], 1500, seed=1)
    expected = np.array(game.random_games(3000, seed=2)) / 3000
    assert shares(plays[:, WINNER]) == pytest.approx(expected, abs=0.07)


def test_plays_are_the_same_for_the_same_seed() -> None:
    game = MnkGame(5, 5, 4)
    players, samplers = LinePlayers(game), SamplingPlayers(game)
    assert np.array_equal(players.play(TYPICAL, CARELESS, 20, 3), LinePlayers(game).play(TYPICAL, CARELESS, 20, 3))
    assert not np.array_equal(players.play(TYPICAL, CARELESS, 20, 3), players.play(TYPICAL, CARELESS, 20, 4))
    again = SamplingPlayers(game).play(SAMPLERS[2], SAMPLERS[1], 4, 3)
    assert np.array_equal(samplers.play(SAMPLERS[2], SAMPLERS[1], 4, 3), again)


def test_a_win_at_hand_is_taken() -> None:
    plays = LinePlayers(MnkGame(5, 5, 2)).play(CAREFUL, CAREFUL, 100, seed=1)
    assert (plays[:, WINNER] == 0).all()
    assert (plays[:, PLIES] == 3).all()
    sampled = SamplingPlayers(MnkGame(4, 4, 2)).play(SAMPLERS[3], SAMPLERS[3], 20, seed=1)
    assert (sampled[:, WINNER] == 0).all()
    assert (sampled[:, PLIES] == 3).all()


def test_lines_that_lose_are_avoided() -> None:
    """Careful players of misere Tic-Tac-Toe fill more of the board than random ones before somebody has to lose."""
    players = LinePlayers(MnkGame(4, 4, 3, misere=True))
    careful, careless = players.play(CAREFUL, CAREFUL, 200, 1), players.play(RANDOM, RANDOM, 200, 1)
    assert careful[:, PLIES].mean() > careless[:, PLIES].mean() + 1
    assert careful[:, DANGER].mean() > 0
    samplers = SamplingPlayers(MnkGame(3, 3, 3, misere=True))
    assert samplers.play(SAMPLERS[2], SAMPLERS[2], 60, 1)[:, DANGER].mean() > 0.02
    assert samplers.play(SAMPLERS[2], SAMPLERS[2], 60, 1)[:, PLIES].mean() > 6


@pytest.mark.parametrize("play", [(LinePlayers, LADDER), (SamplingPlayers, SAMPLERS)], ids=["lines", "rules"])
def test_each_strength_beats_the_one_below(play: Any) -> None:
    make, ladder = play
    game, count = MnkGame(6, 6, 4), 60
    players = make(game)
    for strong, weak in zip(ladder[1:], ladder, strict=False):
        first = shares(players.play(strong, weak, count, 1)[:, WINNER])
        second = shares(players.play(weak, strong, count, 2)[:, WINNER])
        assert first[0] + second[1] > first[1] + second[0]


def test_the_crowd_differs_within_its_ranges() -> None:
    assert len(set(CROWD)) == len(CROWD) == 24
    for habit, low, high in (("fade", 0.02, 0.15), ("blocking", 0.4, 1.6), ("lapse", 0.0, 0.25), ("slant", 0.4, 0.9)):
        values = np.array([getattr(player, habit) for player in CROWD])
        assert low <= values.min() < low + 0.2 * (high - low)
        assert high - 0.35 * (high - low) < values.max() <= high
    habits = np.array([[p.fade, p.sharpness, p.blocking, p.lapse, p.slant] for p in CROWD])
    assert np.abs(np.corrcoef(habits.T) - np.eye(5)).max() < 0.5  # no two habits go together


def test_results_are_shares_of_what_happened() -> None:
    plays = LinePlayers(MnkGame(7, 7, 4)).play(TYPICAL, TYPICAL, 50, seed=1)
    assert plays.shape == (50, FIELDS)
    for field in (THREATS, DANGER, BEHIND):
        assert ((plays[:, field] >= 0) & (plays[:, field] <= 1)).all()
    assert plays[:, THREATS].mean() > 0.1
    assert (plays[plays[:, WINNER] < 0, BEHIND] == 0).all()


def test_a_rule_sheet_is_played_like_the_bit_board_that_it_was_written_from() -> None:
    game = MnkGame(3, 3, 3, opening=(1, 2))
    sheet = gdl.load(rule_sheet(game))
    on_bits = SamplingPlayers(game).play(SAMPLERS[2], SAMPLERS[2], 300, seed=1)
    on_sheet = SamplingPlayers(sheet).play(SAMPLERS[2], SAMPLERS[2], 300, seed=1)
    assert shares(on_bits[:, WINNER]) == pytest.approx(shares(on_sheet[:, WINNER]), abs=0.12)
    assert on_bits[:, PLIES].mean() == pytest.approx(on_sheet[:, PLIES].mean(), abs=0.6)


def test_only_games_of_two_are_played() -> None:
    with pytest.raises(PcgError, match="a game of 3 players, expected one of two"):
        SamplingPlayers(pcg.load("babel"))


# --- people -----------------------------------------------------------------------------------------------------------


def made_up(count: int) -> list[BoardMeasures]:
    """Measures of games that nobody made."""
    rng = np.random.default_rng(1)
    return [
        BoardMeasures(
            payoff=rng.uniform(-1, 1),
            draw=rng.uniform(0, 1),
            plies=rng.uniform(3, 40),
            choices=int(rng.integers(2, 100)),
            challenge=rng.uniform(0, 1),
            drama=rng.uniform(0, 0.5),
            danger=rng.uniform(0, 0.1),
            threats=rng.uniform(0, 0.5),
            changes=2.0,
            all_alike=None,
            plays=100,
            players=LINES,
        )
        for _ in range(count)
    ]


def test_a_fit_finds_the_numbers_that_judgements_were_made_from() -> None:
    measures, people = made_up(80), stored_people(LINES)
    raw = {
        "payoff": [m.triviality * m.payoff + 0.6 * terms("payoff", m)[0] for m in measures],
        "draw": [m.triviality * m.draw + np.dot(terms("draw", m), people.coefficients["draw"]) for m in measures],
        "fun": [float(np.dot([1, *terms("fun", m)], people.coefficients["fun"])) for m in measures],
    }
    fitted = fit_people(measures, raw)
    assert fitted.coefficients["payoff"] == pytest.approx((0.6,), abs=0.01)
    for question in QUESTIONS:
        answers = np.array([fitted.predict_one(question, m) for m in measures])
        low, high = QUESTIONS[question]
        assert np.corrcoef(answers, np.clip(raw[question], low, high))[0, 1] > 0.995


def test_questions_with_few_answers_fall_back() -> None:
    measures = made_up(20)
    answers: dict[str, Sequence[float]] = {
        question: [0.1 * k if k < FEWEST - 1 else np.nan for k in range(20)] for question in QUESTIONS
    }
    answers["fun"] = [50.0 + k for k in range(20)]
    with pytest.raises(PcgError, match="7 games have judgements of payoff, expected at least 8"):
        fit_people(measures, answers)
    fitted = fit_people(measures, answers, fallback=stored_people(LINES))
    assert fitted.coefficients["payoff"] == stored_people(LINES).coefficients["payoff"]
    assert fitted.coefficients["fun"] != stored_people(LINES).coefficients["fun"]


def test_predictions_stay_in_range_and_trivial_games_are_seen_through() -> None:
    people = stored_people(LINES)
    for measures in made_up(50):
        for question, value in people.predict(measures).items():
            low, high = QUESTIONS[question]
            assert low <= value <= high
    trivial = replace(made_up(1)[0], plies=3.0, payoff=1.0, draw=0.0)
    assert people.predict(trivial)["payoff"] == 1.0
    assert people.predict(trivial)["draw"] == 0.0


@pytest.mark.parametrize("players", [LINES, RULES])
def test_stored_numbers_say_where_they_are_from(players: str) -> None:
    provenance = stored_people(players).provenance
    assert provenance["games"] == 63
    assert "MIT" in provenance["licence"]
    assert "Collins" in provenance["data"]
    assert provenance["command"].startswith("python benchmarks/validity.py boardgames")


# --- judgements -------------------------------------------------------------------------------------------------------


def test_gomoku_is_judged_better_than_games_that_are_won_at_once() -> None:
    good = judge_board_game(MnkGame(10, 10, 5), seed=1, budget=400)
    dull = judge_board_game(MnkGame(5, 5, 2), seed=1, budget=400)
    assert good.feasible
    assert dull.feasible
    assert good.value > dull.value + 0.3
    parts = {part.name: part for part in good.parts}
    assert sum(part.weight for part in good.parts) == pytest.approx(1.0)  # all signs of the fit are the parts' own
    assert all(0 <= part.value <= 1 for part in good.parts + dull.parts)
    assert parts["danger"].sentence == "No move loses at once."
    assert "the stronger wins" in parts["challenge"].sentence


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        (MnkGame(2, 2, 3), "Nobody won any of 396 plays, not even careful players against random ones."),
        (MnkGame(2, 2, 1), "The first player won all of 396 plays, whoever played."),
        (MnkGame(2, 2, 2), "The first player won all of 396 plays, whoever played."),
        (MnkGame(1, 1, 1), "The first player has nothing to choose."),
    ],
    ids=repr,
)
def test_games_without_a_contest_are_not_feasible(game: MnkGame, problem: str) -> None:
    judgement = judge_board_game(game, seed=1, budget=400)
    assert (judgement.feasible, judgement.value, judgement.problem) == (False, 0.0, problem)


def test_coefficients_have_the_signs_that_make_sense() -> None:
    """However the answers lie, nobody likes a game for being unfair, and a term that cannot help is left out."""
    measures = made_up(60)
    liked = {question: [50.0 + 40 * abs(m.payoff) + 30 * m.challenge for m in measures] for question in QUESTIONS}
    fitted = fit_people(measures, liked)
    found = dict(zip(TERMS["fun"], fitted.coefficients["fun"][1:], strict=True))
    assert found["imbalance"] == 0.0
    assert found["challenge"] > 15
    for players in (LINES, RULES):
        for sign, number in zip(SIGNS["fun"], stored_people(players).coefficients["fun"][1:], strict=True):
            assert sign * number >= 0


def test_games_of_more_players_are_refused_in_a_sentence() -> None:
    judgement = judge_board_game(pcg.load("babel"))
    assert not judgement.feasible
    assert judgement.problem.startswith("It is a game of 3 player(s)")


def test_rule_sheets_and_dropped_discs_are_judged() -> None:
    judgement = judge_board_game(pcg.load("nim"), seed=1, budget=96)
    assert judgement.as_dict() == judge_board_game(pcg.load("nim"), seed=1, budget=96).as_dict()
    assert judgement.feasible
    four = judge_board_game(ConnectX(), seed=1, budget=96)
    assert four.feasible
    assert four.value > judge_board_game(ConnectX(4, 4, 2), seed=1, budget=96).value


def test_measures_of_a_game_of_chance_free_strength() -> None:
    measures = measure_board_game(MnkGame(6, 6, 4), seed=1, budget=800)
    assert measures.players == LINES
    assert measures.choices == 36
    assert 0 < measures.challenge < 1
    assert measures.payoff > 0
    assert measures.all_alike is None
    assert measure_board_game(MnkGame(3, 3, 3), seed=1, budget=48, players=RULES).players == RULES
