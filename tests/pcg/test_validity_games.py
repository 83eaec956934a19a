"""The benchmark of the judge of games: variants by seed, negatives without their sprites, the numbers it reports; and
the command `judge`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.validation import games as validity
from benchmarks.validation.game_variants import VARIANTS, variant
from pcg.cli import app
from pcg.engine.game import load
from pcg.generators.rules.genes import RuleSet


@pytest.mark.parametrize("kind", VARIANTS)
def test_variants_touch_three_in_ten_rules_and_come_out_the_same_again(kind: str) -> None:
    source = load("dungeon").definition.source
    whole, broken = RuleSet.of(source), RuleSet.of(variant(source, kind, 1))
    assert variant(source, kind, 1) == variant(source, kind, 1) != variant(source, kind, 2)
    assert broken.terminations == whole.terminations
    touched = round(0.3 * len(whole.rules))
    kept = [rule for rule in whole.rules if rule in broken.rules]
    assert len(whole.rules) - touched <= len(kept) < len(whole.rules)
    assert len(broken.rules) == len(whole.rules) - touched * (kind == "thinned")


def test_an_unknown_kind_of_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="no variant `mild`"):
        variant(load("dungeon").definition.source, "mild")


def test_negatives_hold_rules_and_terminations_alone() -> None:
    frozen = validity.read_negatives(validity.NEGATIVES)
    assert len(frozen) >= 20
    text = json.dumps(frozen)
    assert "SpriteSet" not in text and "LevelMapping" not in text and "img=" not in text
    for kinds in frozen.values():
        assert set(kinds) == set(validity.FROZEN)
        assert all(RuleSet.from_json(genes).terminations for listed in kinds.values() for genes in listed)


def test_rule_sets_are_frozen_without_their_sprites(tmp_path: Path) -> None:
    source = load("dungeon").definition.source
    (tmp_path / "one.json").write_text(json.dumps({"game": "dungeon", "random": [source]}))
    assert validity.freeze(tmp_path, tmp_path / "rules.xz") == 0
    found = validity.read_negatives(tmp_path / "rules.xz")
    assert RuleSet.from_json(found["dungeon"]["random"][0]) == RuleSet.of(source)


def rows(better: float) -> list[validity.Row]:
    """Judgements of ten games in which every original is better by so much in all parts."""
    names = validity.part_names()
    return [
        {"game": f"game{k}", "kind": kind, "number": 0, "feasible": k != 9, "seconds": 1.0, "problem": "",
         "parts": dict.fromkeys(names, 0.4 + (better if kind == validity.ORIGINAL else 0.0) + 0.01 * k)}
        for k in range(10) for kind in (validity.ORIGINAL, "thinned")
    ]  # fmt: skip


@pytest.mark.parametrize(("better", "share"), [(0.2, 0.95), (0.0, 0.5), (-0.2, 0.05)])
def test_the_share_of_games_judged_better_counts_ties_and_infeasible_games_half(better: float, share: float) -> None:
    values = validity.revalue(rows(better), dict.fromkeys(validity.part_names(), 1.0))
    own = validity.within(values, "thinned")
    mean, low, high = validity.interval(list(own.values()))
    assert mean == pytest.approx(share) and low <= mean <= high
    assert own["game9"] == 0.5


def test_weights_are_fitted_on_what_tells_games_apart() -> None:
    listed = rows(0.0)
    for row in listed:
        row["parts"]["purpose"] = 0.9 if row["kind"] == validity.ORIGINAL else 0.3
        row["parts"]["drama"] = 0.3 if row["kind"] == validity.ORIGINAL else 0.9
    weights = validity.fit(listed)
    assert sum(weights.values()) == pytest.approx(1.0, abs=0.01) and min(weights.values()) >= 0.0
    assert weights["purpose"] > 3 * weights["drama"]


def test_a_benchmark_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two games of our own stand in for the reference's."""
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("boxes", "dungeon"):
        game = load(name)
        (folder / f"{name}.txt").write_text(game.definition.source)
        (folder / f"{name}_lvl0.txt").write_text(game.levels[0])
    (tmp_path / "PEER_SPEED.tsv").write_text("# speeds\ngame\tcols\nboxes\t9\ndungeon\t9\n")
    parser = argparse.ArgumentParser()
    validity.add_arguments(parser)
    log = tmp_path / "log.jsonl"
    arguments = ["--corpus", str(tmp_path), "--log", str(log), "--effort", "0.05", "--kinds", "thinned"]
    assert validity.run(parser.parse_args([*arguments, "--games", "1"])) == 0
    first = log.read_text()
    assert len(first.splitlines()) == 2
    assert validity.run(parser.parse_args([*arguments, "--json", str(tmp_path / "out.json")])) == 0
    assert log.read_text().startswith(first) and len(log.read_text().splitlines()) == 4
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["auc"]["thinned"]["n"] == 2 and "feasible" in capsys.readouterr().out


def test_a_game_is_judged_part_by_part() -> None:
    result = CliRunner().invoke(app, ["judge", "dungeon", "--effort", "0.05", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert found["feasible"] and 0.0 < found["value"] <= 1.0 and found["problem"] == ""
    assert list(found["parts"]) == validity.part_names()
    assert all({"value", "weight", "sentence"} == set(part) for part in found["parts"].values())


def test_a_judgement_can_be_read() -> None:
    result = CliRunner().invoke(app, ["judge", "boxes", "--effort", "0.05"])
    assert result.exit_code == 0, result.output
    assert "feasible, value" in result.output and "what was found" in result.output


def test_rule_sheets_are_judged_as_board_games() -> None:
    result = CliRunner().invoke(app, ["judge", "tic-tac-toe-large", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert found["feasible"] in (True, False) and found["parts"] and found["game"] == "tic-tac-toe-large"
