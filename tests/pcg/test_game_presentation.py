"""Games of a run as people get to see them: chosen over kinds, without what changes nothing, with a comment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pcg.cli.console import print_time
from pcg.engine.game import load
from pcg.engine.vgdl import check_game
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.evaluators.games.evaluation import AgentPerformance
from pcg.evaluators.judging.games import judge_game
from pcg.generators.rules import RuleCandidate, RuleSet
from pcg.runs.experiments.kept_games import KeptGame, choose_diverse
from pcg.runs.experiments.presentation import commented, shown_game
from tests.support.fetch import FETCH, LEVEL

IDLE = FETCH.replace("    LevelMapping", "        coin coin > killSprite\n    LevelMapping").lstrip()
"""The game with a rule that never does anything."""


def kept(number: int, value: float, goal: int, danger: int = 0) -> KeptGame:
    verdict = GameEvaluation(True, 0.5, 1.0, {}, "", "complete", (), {"goal": goal, "danger": danger})
    candidate = RuleCandidate(number, RuleSet((), ()), "random")
    return KeptGame(candidate, verdict, None, {"value": value, "parts": {}})


def test_what_is_kept_is_of_many_kinds_and_best_first() -> None:
    games = [kept(0, 0.9, 1), kept(1, 0.89, 1), kept(2, 0.88, 1), kept(3, 0.87, 2), kept(4, 0.5, 3)]
    chosen = choose_diverse(games, 3)
    assert [game.candidate.id for game in chosen] == [0, 1, 3], "not a bad game for its kind alone"
    assert [game.value for game in chosen] == sorted((game.value for game in chosen), reverse=True)
    assert choose_diverse(games, 9) == games
    other_danger = [replace(g, evaluation=replace(g.evaluation, metrics={"goal": 1, "danger": k}))
                    for k, g in enumerate(games[:3])]  # fmt: skip
    assert len({g.evaluation.metrics["danger"] for g in choose_diverse(other_danger, 2)}) == 2


def test_another_goal_is_no_reason_for_a_game_in_which_nothing_is_in_the_way() -> None:
    walk = kept(3, 0.72, 2)
    free = replace(walk, judgement={"value": 0.72, "parts": {"resistance": {"value": 0.0}}})
    others = [kept(0, 0.9, 1), kept(1, 0.89, 1), kept(2, 0.85, 1)]
    assert [game.candidate.id for game in choose_diverse([*others, walk], 3)] == [0, 1, 3]
    assert [game.candidate.id for game in choose_diverse([*others, free], 3)] == [0, 1, 2]


def test_few_plays_do_not_tell_what_some_of_more_plays_would_show() -> None:
    """One random play is short, where the longest of three has to last; but chance wins however few are played."""
    game = replace(kept(0, 0.9, 1), judgement=None)

    def played(plays: int, constraint: str) -> KeptGame:
        agents = [
            AgentPerformance(name, plays, 0, 0, 0.5, 0.4, 0.6, 0.0, 9.0) for name in ("nothing", "random", "mcts")
        ]
        constraints = {"playable": 1.0, "idle": 1.0, constraint: 0.2}
        return replace(
            game,
            evaluation=replace(game.evaluation, profile=tuple(replace(agent, plays=3) for agent in agents)),
            confirmed=replace(game.evaluation, feasible=False, constraints=constraints, profile=tuple(agents)),
        )

    assert played(1, "playable").stood and played(1, "resistance").stood
    assert not played(3, "playable").stood and not played(4, "resistance").stood
    assert not played(1, "idle").stood


def test_games_are_ranked_by_the_value_that_is_printed() -> None:
    games = [kept(0, 0.4, 0), kept(1, 0.8, 0), kept(2, 0.6, 0)]
    assert [game.value for game in sorted(games, key=lambda game: game.rank, reverse=True)] == [0.8, 0.6, 0.4]


def test_what_changes_nothing_is_taken_out_before_a_game_is_shown() -> None:
    game = load(IDLE, levels=[LEVEL])
    verdict = GameEvaluator([LEVEL], ladder="nothing random onestep mcts:budget=20", plays=1, max_plays=1).evaluate(
        game, 1
    )
    assert verdict.best is not None
    value = judge_game(game, seed=1, effort=0.2).value
    shown = shown_game(IDLE, [LEVEL], verdict, value, 1, 0.2)
    assert "coin coin" not in shown.text and "hero ghost" in shown.text and check_game(shown.text) == []
    assert any("coin coin" in line for line in shown.removed)
    assert shown.judgement is not None and shown.judgement["feasible"]
    assert shown_game(IDLE, [LEVEL], verdict, 2.0, 1, 0.2).text == IDLE, "not where the judge thinks less of it"


def test_the_comment_is_written_from_the_rules() -> None:
    text, told = commented(IDLE, [LEVEL])
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert told["title"] == "Gathering Coins"
    assert head[0].startswith("# Gathering Coins: Gather every coin while ghosts wander about.")
    assert told["goal"] == "collect" and "rrow keys" in told["how_to_play"] and check_game(text) == []
    other, _ = commented(IDLE.replace("stype=coin limit=0 win", "stype=ghost limit=0 win"), [LEVEL])
    assert "coin" not in other.splitlines()[0].lower()


def test_where_the_time_went_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"type": "stopped", "per_minute": 120.0, "spent": {"olets: nobody wins": 3.0, "complete: feasible": 1.0}}
    (tmp_path / "timing.jsonl").write_text(json.dumps({"type": "session"}) + "\n" + json.dumps(line) + "\n")
    print_time(tmp_path)
    said = capsys.readouterr().out
    assert "120 candidates a minute" in said and "olets: nobody wins 75%, complete: feasible 25%" in said
