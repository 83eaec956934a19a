"""The statistics and the records of benchmarks/kbfastevo.py: the halves of fast evolutionary MCTS."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from benchmarks.kbfastevo import (
    COSTS,
    GAMES,
    LEVELS,
    Play,
    bootstrap,
    contrasts,
    read_plays,
    read_records,
    report,
    schedule,
    sign_flips,
    variants,
    write_records,
)
from pcg.evaluators.agents import make_agent


def plays(knowledge_wins: bool = True) -> list[Play]:
    """Two games of which knowledge wins one and nothing the other; the last round is not complete."""
    found = [
        Play(variant, game, level, 1, int(knowledge_wins and game == "aliens" and "evo" not in variant and
             "vanilla" not in variant), 1.5 * level, 10, 0.1)
        for game, level, variant in itertools.product(("aliens", "zelda"), range(3), variants())
    ]  # fmt: skip
    return found[:-1]


def test_the_eight_variants_differ_and_can_be_made() -> None:
    made = {name: make_agent(text) for name, text in variants().items()}
    told = {(a.evolve, a.knowledge, a.ends) for a in made.values()}  # type: ignore[attr-defined]
    assert len(made) == len(told) == 8
    assert {(a.kinds, a.softmax) for a in made.values()} == {("interactive", "minus")}  # type: ignore[attr-defined]


def test_every_round_is_played_by_all_variants_and_all_games_come_to_all_rounds() -> None:
    order = list(schedule(repeats=2))
    assert len(set(order)) == len(order) == len(GAMES) * LEVELS * 2 * len(variants())
    for k in range(0, len(order), len(variants())):
        together = order[k : k + len(variants())]
        assert len({one[:3] for one in together}) == 1 and [one[3] for one in together] == list(variants())
    first = [one[2] for one in order[: len(order) // 3]]
    assert min(GAMES, key=first.count) == max(COSTS, key=lambda game: COSTS[game])


def test_records_keep_the_rounds_that_all_have_played(tmp_path: Path) -> None:
    write_records(plays(), tmp_path / "a.csv")
    found = read_records(tmp_path / "a.csv")
    assert set(found) == set(variants())
    keys = {(g, lv, 1) for g in ("aliens", "zelda") for lv in range(3)} - {("zelda", 2, 1)}
    assert all(set(values) == keys for values in found.values())
    assert found["both apart"]["aliens", 2, 1] == (1, 3.0) and found["vanilla apart"]["aliens", 2, 1] == (0, 3.0)
    text = report(tmp_path / "a.csv")
    assert "| knowledge bonus | 3 of 5 |" in text and "| vanilla bonus | 0 of 5 |" in text


def test_the_effect_of_knowledge_is_the_difference_of_the_four_with_it_and_without(tmp_path: Path) -> None:
    write_records(plays(), tmp_path / "a.csv")
    effects = contrasts(read_records(tmp_path / "a.csv"))
    knowledge, evolution, apart, *_ = effects.values()
    assert set(knowledge.values()) == {0.0, 1.0} and sum(knowledge.values()) == 3
    assert set(evolution.values()) == set(apart.values()) == {0.0}


def test_signs_of_games_and_bootstrap() -> None:
    assert sign_flips([0.5, 0.25, 1.0]) == pytest.approx(2 / 8)
    assert sign_flips([0.5, -0.5, 0.0]) == 1
    mean, low, high = bootstrap({"a": [1.0] * 9, "b": [0.0]})
    assert mean == 0.5 and (low, high) == (0, 1)  # games weigh alike, however often they were played
    assert bootstrap({"a": [2.0, 2.0], "b": [2.0]}) == (2, 2, 2)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "plays-0-of-1.jsonl").write_text(
        '["both apart", "zelda", 1, 2, 1, 3.0, 40, 0.2]\n["both apart", "zelda", 2', encoding="utf-8"
    )
    assert read_plays(tmp_path) == [Play("both apart", "zelda", 1, 2, 1, 3.0, 40, 0.2)]
