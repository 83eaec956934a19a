"""Concepts of games, as told from rules and levels."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.concepts import DANGERS, GOALS, Concept, concept_of


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("boxes", "push places walk turns certain"),
        ("hunt", "hunt chasers walk action chance"),
        ("survival", "survive chasers walk action chance"),
        ("ridge", "reach wanderers jump action certain"),
        ("invaders", "destroy missiles line action chance"),
        ("lode_runner", "collect chasers shoot action certain"),
    ],
)
def test_our_games_are_what_they_are(name: str, text: str) -> None:
    game = load(name)
    found = concept_of(game, [game.read_level(k) for k in range(len(game.levels))])
    assert found.text == text and found.goal in GOALS and found.danger in DANGERS


def test_games_with_another_goal_are_further_apart_than_games_with_another_tempo() -> None:
    one = Concept("reach", "none", "walk", "turns", "certain", ("door",))
    assert one.distance(Concept("reach", "none", "walk", "action", "certain")) < one.distance(
        Concept("collect", "none", "walk", "turns", "certain")
    )
    assert one.distance(Concept("hunt", "time", "line", "action", "chance")) == 1.0
    assert one.title() == "The Way to the Door"
