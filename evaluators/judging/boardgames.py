"""Judgement of board games for two players: what people would expect of a game that they only read about.

The value is the predicted fun, from 0 to 1. Its parts are the measures that the prediction is made of, each turned so
that more is better, with the weight that it has among them (0 where the fit goes against what the part says). Any game
of two players with the forward-model protocol can be judged: rule sheets in GDL, discs that drop, pieces in a row.
Where lines win (`MnkGame`) the plays are those of novices who know lines, else of novices who know the rules alone;
`board_people` tells what the prediction was fitted to.
"""

from __future__ import annotations

from typing import Any

from pcg.evaluators.judging.board_measures import BoardMeasures, measure_board_game
from pcg.evaluators.judging.board_people import BoardPeople, stored_people
from pcg.evaluators.judging.judgement import Judgement, Part

FUN = 100.0
"""The most fun that people could answer."""
STUDY = "Collins et al. 2026"
"""Source of the measures that the study of people's judgements speaks of."""
MUCH_DANGER = 0.1
"""Share of moves that lose at once which is as much danger as counts."""
CLEAR = 0.02
"""Payoffs nearer to 0 than this favour nobody."""


def judge_board_game(game: Any, seed: int = 0, budget: int | None = None) -> Judgement:
    """Judge a game of two players by how it plays.

    Args:
        game: an `MnkGame`, a `ConnectX`, a `GdlGame`, or another with `start()` and a forward model.
        seed: of all draws; the same seed gives the same judgement.
        budget: plays in all; by default what `board_measures.BUDGETS` says.

    Example:
        >>> from pcg.engine.boards import MnkGame
        >>> good = judge_board_game(MnkGame(10, 10, 5), seed=1, budget=600)
        >>> dull = judge_board_game(MnkGame(5, 5, 2), seed=1, budget=600)
        >>> good.value > 0.5 > 0.2 > dull.value
        True
        >>> dull.parts[1].sentence
        'It is over after 3.0 moves, which anybody sees through.'
    """
    players = int(game.start().model.players)
    if players != 2:
        return Judgement(False, 0.0, (), f"It is a game of {players} player(s); only games of two can be judged so.")
    measures = measure_board_game(game, seed, budget)
    problem = constraint(measures)
    people = stored_people(measures.players)
    value = 0.0 if problem else people.predict_one("fun", measures) / FUN
    return Judgement(not problem, value, parts_of(measures, people), problem)


def constraint(measures: BoardMeasures) -> str:
    """Return the first constraint that a game does not meet, as a sentence; "" where it meets all."""
    if measures.plies < 1 or measures.choices < 2:
        return "The first player has nothing to choose."
    if measures.all_alike is not None:
        if measures.all_alike < 0:
            return f"Nobody won any of {measures.plays} plays, not even careful players against random ones."
        who = ("first", "second")[measures.all_alike]
        return f"The {who} player won all of {measures.plays} plays, whoever played."
    if measures.challenge <= 0:
        return "Playing well does not pay: stronger players win no more often than weaker ones."
    return ""


def parts_of(measures: BoardMeasures, people: BoardPeople) -> tuple[Part, ...]:
    """Return the parts of a judgement: aspects of fun with their weights, then what people expect, without weight."""
    shares = people.shares()
    expected = people.predict(measures)
    payoff, draw = expected["payoff"], expected["draw"]
    m = measures
    through = "which anybody sees through" if m.triviality > 0.5 else "enough to be unsure of the end"
    ahead = "neither player" if abs(m.payoff) < CLEAR else "the first player" if m.payoff > 0 else "the second player"
    danger = f"{m.danger:.1%} of the moves lose at once" if m.danger > 0 else "No move loses at once"
    favours = "nobody" if abs(payoff) < CLEAR else "the first player" if payoff > 0 else "the second player"
    return (
        Part(
            "challenge",
            _unit(m.challenge),
            f"Of two players the stronger wins {100 * m.challenge:.0f} more of 100 plays than it loses.",
            max(0.0, shares["challenge"]),
            f"{STUDY}; depth as in Lantz et al. 2017",
        ),
        Part(
            "substance",
            1 - m.triviality,
            f"It is over after {m.plies:.1f} moves, {through}.",
            max(0.0, -shares["triviality"]),
        ),
        Part(
            "decisiveness",
            1 - m.draw,
            f"{m.draw:.0%} of the plays are drawn.",
            max(0.0, -shares["draw"]),
            "Browne 2008",
        ),
        Part(
            "balance",
            1 - abs(m.payoff),
            f"Of 100 plays {ahead} wins {100 * abs(m.payoff):.0f} more than it loses.",
            max(0.0, -shares["imbalance"]),
            STUDY,
        ),
        _swings(m.drama, shares["drama"]),
        Part("danger", min(1.0, m.danger / MUCH_DANGER), f"{danger}.", max(0.0, shares["danger"])),
        Part(
            "freedom",
            1 - m.threats,
            f"In {m.threats:.0%} of the turns the other threatens to win at once.",
            max(0.0, -shares["threats"]),
        ),
        Part(
            "expected payoff",
            1 - abs(payoff),
            f"People would expect the game to favour {favours} (payoff of the first {payoff:+.2f}).",
            0.0,
            STUDY,
        ),
        Part("expected draws", 1 - draw, f"People would expect {draw:.0%} of the plays to be drawn.", 0.0, STUDY),
    )


def _swings(drama: float, share: float) -> Part:
    """The part about winners who were behind, which people may like as drama or dislike as luck, as the fit has it."""
    sentence = f"Who wins was behind in {drama:.0%} of the turns"
    if share > 0:
        return Part("drama", min(1.0, 2 * drama), f"{sentence}.", share, "Browne 2008")
    return Part("steadiness", 1 - drama, f"{sentence}: more of it is more like luck.", -share, "drama: Browne 2008")


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
