"""The measure of the distance's agreement with people: its matrix, its shares, and that it runs without choices."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pcg
from benchmarks.validation import similarity, tile_patterns
from pcg.evaluators.metrics.likeness import LevelShape, level_distance

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def rooms(tmp_path: Path) -> tuple[Path, list[str]]:
    levels = [level for name in ("dungeon", "boxes") for level in pcg.load(name).levels[:3]]
    for k, level in enumerate(levels):
        (tmp_path / f"{k:02}.txt").write_text(level)
    return tmp_path, levels


def program(*args: str) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / "validity.py"), "similarity", *args]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


@pytest.mark.full
def test_the_program_writes_the_square_matrix(rooms: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, levels = rooms
    out = tmp_path / "out.json"
    assert "share predicted" not in program(str(folder), "--json", str(out))
    assert json.loads(out.read_text()) == [[level_distance(a, b) for b in levels] for a in levels]


def test_choices_of_the_nearer_level_are_predicted(rooms: tuple[Path, list[str]], capsys) -> None:  # type: ignore[no-untyped-def]
    folder, levels = rooms
    shapes = [LevelShape(level) for level in levels]
    matrix = similarity.square(shapes, LevelShape.distance)
    rows = ["shown_as\tprompt\ta\tb\tchose_a\tchose_b"]
    for prompt in range(6):
        for a in range(6):
            for b in range(a):
                if prompt not in (a, b):
                    nearer = matrix[prompt, a] < matrix[prompt, b]
                    rows.append(f"pictures\t{prompt}\t{a}\t{b}\t{3 if nearer else 1}\t{1 if nearer else 3}")
    (folder / "triplets.tsv").write_text("\n".join(rows) + "\n")
    choices = similarity.read_choices(folder / "triplets.tsv", 6)
    assert choices.predicted(matrix) == choices.majority() == 0.75
    assert choices.predicted(-matrix) == 0.25 and choices.predicted(np.zeros((6, 6))) == 0.5
    assert choices.where(choices.prompt == 0).predicted(matrix) == 0.75
    parts = similarity.part_matrices(shapes)
    assert np.tensordot(similarity.WEIGHTS, parts, 1) == pytest.approx(matrix, abs=1e-9)
    similarity.report(levels, shapes, matrix, choices, seed=1)
    told = capsys.readouterr().out
    assert "240 choices in 60 triplets; the majority of each triplet: 0.750" in told and "| pcg | 0.750 |" in told


def test_baselines_are_those_of_the_literature() -> None:
    one, other = similarity.codes("aab\naab"), similarity.codes("aab\nbab")
    assert tile_patterns.hamming(one, other) == pytest.approx(1 / 6)
    assert tile_patterns.hamming(one, similarity.codes("aa\naa\naa")) == pytest.approx(1 - 4 / 8)
    apart = tile_patterns.jensen_shannon(tile_patterns.patterns(one, 1), tile_patterns.patterns(other, 1))
    p, q = np.array([4, 2]) / 6, np.array([3, 3]) / 6
    m = (p + q) / 2
    assert apart == pytest.approx(float(((p * np.log2(p / m)).sum() + (q * np.log2(q / m)).sum()) / 2))
    assert (
        tile_patterns.jensen_shannon(
            tile_patterns.patterns(one, 2), tile_patterns.patterns(similarity.codes("xxx\nxxx"), 2)
        )
        == 1
    )


def test_a_table_that_names_a_level_which_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "triplets.tsv").write_text("shown_as\tprompt\ta\tb\tchose_a\tchose_b\npictures\t0\t1\t2\t1\t1\n")
    with pytest.raises(ValueError, match="names level 2, but there are 2"):
        similarity.read_choices(tmp_path / "triplets.tsv", 2)
