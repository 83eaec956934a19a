"""The benchmark of judgements of board games: every game of a table is predicted, whichever of them were judged."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
import pytest

from benchmarks.validation import boardgames
from pcg.engine.boards import MnkGame

HEADER = (
    "id cols rows row_first row_second row_loses first_lines second_lines first_opens_with second_opens_with kind rules"
)
ALL, STRAIGHT = "orthogonal+diagonal", "orthogonal"
GAMES = [
    (3, 3, 3, 3, 0, ALL, ALL, 1, 1),
    (4, 3, 3, 3, 0, ALL, ALL, 1, 1),
    (3, 4, 3, 2, 0, ALL, ALL, 1, 1),
    (4, 4, 3, 3, 1, ALL, ALL, 1, 1),
    (4, 4, 3, 3, 0, STRAIGHT, ALL, 1, 1),
    (3, 3, 3, 3, 0, ALL, ALL, 2, 1),
    (5, 4, 4, 4, 0, ALL, ALL, 1, 1),
    (5, 1, 2, 2, 0, ALL, ALL, 1, 1),
    (4, 4, 3, 3, 0, ALL, ALL, 1, 2),
    (5, 5, 4, 4, 0, ALL, ALL, 1, 1),
    ("inf", "inf", 3, 3, 0, ALL, ALL, 1, 1),
    (3, 3, 2, 2, 0, ALL, ALL, 1, 1),
]


def write_folder(folder: Path, judged: dict[str, tuple[str, ...]]) -> None:
    """Write a table of games, and judgements of some questions about some of them."""
    lines = ["\t".join(HEADER.split())]
    for k, game in enumerate(GAMES):
        lines.append("\t".join([f"t{k:02}", *map(str, game), "odd" if k % 2 else "even", "Make a row."]))
    (folder / "boardgames.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    draw = random.Random(1)
    answers = ["id\tquestion\tjudgements"]
    for name, questions in judged.items():
        for question in questions:
            low, high = boardgames.QUESTIONS[question]
            numbers = " ".join(f"{draw.uniform(low, high):.3f}" for _ in range(5))
            answers.append(f"{name}\t{question}\t{numbers}")
    (folder / "boardgames_judgements.tsv").write_text("\n".join(answers) + "\n", encoding="utf-8")


def run(folder: Path, **more: object) -> dict[str, dict[str, float]]:
    """Run the benchmark with a small budget; returns the predictions."""
    parser = argparse.ArgumentParser()
    boardgames.add_arguments(parser)
    out = folder / "out.json"
    args = parser.parse_args([str(folder), "--json", str(out), "--workers", "1", "--budget", "100"])
    vars(args).update(more)
    assert boardgames.run(args) == 0
    found: dict[str, dict[str, float]] = json.loads(out.read_text(encoding="utf-8"))
    return found


def test_every_game_is_predicted_from_the_judgements_of_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = {f"t{k:02}": ("fun", "payoff", "draw") for k in range(10)}
    del judged["t03"]
    write_folder(tmp_path, judged)
    found = run(tmp_path, report=tmp_path / "report.json", cache=tmp_path / "cache.json")
    assert list(found) == [f"t{k:02}" for k in range(len(GAMES))]
    for prediction in found.values():
        assert set(prediction) == {"payoff", "draw", "fun"}
        for question, value in prediction.items():
            low, high = boardgames.QUESTIONS[question]
            assert low <= value <= high
    printed = capsys.readouterr().out
    assert "12 games, 9 judged" in printed
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    low, high = report["fun"]["leave one out"]["interval"]
    assert low <= report["fun"]["leave one out"]["r2"] <= high
    assert report["payoff"]["the mean"]["r2"] < 0 < report["payoff"]["reliability"] + 1
    assert run(tmp_path, cache=tmp_path / "cache.json") == found  # nothing is played again, nothing changes


def test_few_judgements_leave_the_model_that_comes_with_the_toolkit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(tmp_path, {"t00": ("fun",), "t01": ("draw", "payoff")})
    found = run(tmp_path)
    assert len(found) == len(GAMES)
    assert found["t11"]["payoff"] > 0.8  # two in a row on a board of nine
    assert found["t11"]["fun"] < found["t09"]["fun"]
    assert "judgements of 1 games: too few to cross-validate" in capsys.readouterr().out


def test_rows_of_the_table_become_games() -> None:
    names = HEADER.split()
    row = dict(zip(names, ["x", "5", "4", "3", "2", "1", STRAIGHT, ALL, "1", "2", "k", "r"], strict=True))
    game = boardgames.game_of(row)
    assert repr(game) == repr(
        MnkGame(4, 5, (3, 2), misere=True, lines=("orthogonal", "orthogonal+diagonal"), opening=(1, 2))
    )
    for change in ({"cols": "inf", "rows": "inf"}, {"cols": "12", "rows": "12", "kind": "infinity"}):
        assert (boardgames.game_of(row | change).rows, boardgames.game_of(row | change).columns) == (15, 15)


def test_cross_validation_never_fits_on_what_it_predicts() -> None:
    answers = np.arange(20.0)

    def predict(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 20
        return answers[test] + 0.0

    assert len(boardgames.cross_validate(predict, 20, 20)) == 1
    runs = boardgames.cross_validate(predict, 20, 10)
    assert len(runs) == boardgames.REPEATS
    groups = boardgames.leave_groups_out(predict, ["a", "b"] * 10)
    for found in [*runs, *groups]:
        assert boardgames.r_squared(found, answers) == 1.0
    assert boardgames.r_squared(np.full(20, 9.5), answers) == 0.0
    low, high = boardgames.interval(answers + 1, answers)
    assert low < 0.97 < high + 0.01


def test_halves_of_people_who_agree_are_reliable() -> None:
    rng = np.random.default_rng(1)
    truth = np.linspace(0, 1, 30)
    alike = [value + rng.normal(0, 0.05, 20) for value in truth]
    noise = [rng.normal(0, 1, 20) for _ in truth]
    assert boardgames.reliability(alike) > 0.98
    assert boardgames.reliability(noise) < 0.6
