"""The report of votes, and the commands about preferences."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiers import first_fast
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Vote, make_design, write_votes
from pcg.evaluators.preferences.model import PreferenceModel
from pcg.evaluators.preferences.simulation import Population, hidden_utilities, item_names, simulate_study
from pcg.report.preferences import analyse_votes, figures, preference_report, render_preferences, tables

ITEMS = item_names(6)
GROUPS = {item: ("good", "<b>bad</b> $x$")[k % 2] for k, item in enumerate(ITEMS)}


def _votes(participants: int = 25) -> list[Vote]:
    utilities = hidden_utilities(6, 0.5, 2) + np.array([1.0, -1.0] * 3)
    people = Population(ITEMS, utilities, {"tie": -0.7})
    votes = simulate_study(people, make_design("balanced", ITEMS, 1), participants, 8, 1)
    rng = np.random.default_rng(3)
    return [replace(v, first_outcome=str(a), second_outcome=str(b)) for v in votes for a, b in [rng.choice(["win", "loss"], 2)]]  # fmt: skip  # noqa: E501


def _run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_report_has_every_table_and_figure_and_nothing_else_is_needed(tmp_path: Path) -> None:
    page = preference_report(_votes(), GROUPS, tmp_path / "r", samples=200)
    text = page.read_text(encoding="utf-8")
    names = {p.name for p in page.parent.iterdir()}
    assert {f"{n}.csv" for n in ("items", "groups", "group-pairs", "neighbours", "outcomes", "participants", "power")} <= names  # fmt: skip  # noqa: E501
    assert {f"{n}.svg" for n in ("utilities", "wins", "groups", "position", "circles", "methods", "power")} <= names
    assert text.count("<svg") == 7
    assert not re.search(r'(?:src|href)="(?!#)', text)
    assert "<b>bad" not in text and "&lt;b&gt;bad" in text
    assert "NaN" not in text and ">nan" not in text


def test_a_report_says_which_group_is_preferred(tmp_path: Path) -> None:
    found = analyse_votes(_votes(), GROUPS, samples=100, power=False)
    assert found.shares is not None and found.shares.groups[0].group == "good"
    made = tables(found)
    assert [row[0].text for row in made["groups"].rows] == ["good", "<b>bad</b> $x$"]
    assert made["items"].csv().count("\n") == 7 and made["items"].rows[0][1].text in ("item1", "item01", "item03", "item05")  # fmt: skip  # noqa: E501
    assert "power" not in figures(found)


def test_a_report_says_what_its_intervals_are_not_of(tmp_path: Path) -> None:
    found = analyse_votes(_votes(), GROUPS, samples=20, power=False)
    for name in ("items", "sets"):
        note = tables(found)[name].note
        assert "what participants choose together" in note and "no 95 % intervals for it" in note


def test_the_page_shows_intervals_that_hold_under_adaptive_pairing_and_compares_devices() -> None:
    votes = _votes()
    people = sorted({vote.participant for vote in votes})
    kinds = {"device": {person: ("phone", "computer")[k % 2] for k, person in enumerate(people)}}
    found = analyse_votes(votes, GROUPS, samples=100, power=False, kinds=kinds)
    made = tables(found)
    k = found.fit.counts.index[found.ranking[0]]
    low, high = found.after.intervals()[k]
    best = [cell.text for cell in made["items"].rows[0]]
    assert f"{low:+.2f} to {high:+.2f}".replace("-", "−") in best and best[1] == found.ranking[0]
    assert 0.5 < found.after.above(k, found.fit.counts.index[found.ranking[1]]) < 1
    assert [row[1].text for row in made["sets"].rows] == ["good", "<b>bad</b> $x$"]
    assert made["sets"].rows[0][5].number is not None and made["sets"].rows[0][5].number > 0.9
    assert [row[0].text for row in made["by-device"].rows] == ["computer", "phone"]
    assert "permutation test" in made["by-device"].note
    assert "By device" in render_preferences(found, "devices")


@pytest.mark.full
def test_equal_votes_give_equal_reports(tmp_path: Path) -> None:
    pages = [preference_report(_votes(8), GROUPS, tmp_path / name, samples=100) for name in "ab"]
    for path in pages[0].parent.iterdir():
        assert path.read_bytes() == (pages[1].parent / path.name).read_bytes()


@pytest.mark.parametrize("count", first_fast([1, 2, 5]))
def test_very_few_votes_have_a_report_too(tmp_path: Path, count: int) -> None:
    votes = [Vote(f"p{k}", *(("a", "b") if k % 2 else ("b", "c")), "neither") for k in range(count)]
    assert preference_report(votes, None, tmp_path / "r", samples=100).is_file()


def test_a_report_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="no votes"):
        preference_report([Vote("p", "a", "a", "both", check="same")], None, tmp_path / "r")


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_votes(_votes(), tmp_path / "votes.csv")
    (tmp_path / "groups.json").write_text(json.dumps(GROUPS))
    rows = [f"{item},{0.4 + 0.1 * (k % 2 == 0) + 0.001 * k},{k % 3}" for k, item in enumerate(ITEMS)]
    (tmp_path / "features.csv").write_text("\n".join(["item,gap,enemies", *rows]) + "\n")
    return tmp_path


def test_a_model_is_fitted_shown_and_makes_levels(files: Path) -> None:
    said = _run("prefer", "fit", files / "votes.csv", "--features", files / "features.csv", "-o", files / "m.json")
    assert "votes on other items predicted" in said and "gap" in said
    model = PreferenceModel.load(files / "m.json")
    assert model.features == ("gap", "enemies") and model.weights[0] > 0.3
    shown = json.loads(_run("prefer", "show", files / "m.json", "--features", files / "features.csv", "--json"))
    assert shown["judged"]["item01"]["score"] > 0 > shown["judged"]["item02"]["score"]
    assert "item02" in _run("prefer", "show", files / "m.json", "--features", files / "features.csv")
    run = files / "run"
    limits = ("--evaluations", "6", "--workers", "1")
    _run(
        "levels", "boxes", "--generator", "constructive", "-n", "2", "--prefer", files / "m.json", *limits, "--out", run
    )
    entries = json.loads((run / "levels" / "index.json").read_text(encoding="utf-8"))
    levels = entries["levels"] if isinstance(entries, dict) else entries
    assert levels
    for entry in levels:
        assert entry["fitness"] == pytest.approx(model.fitness(entry["metrics"], strict=False))
    (files / "m.json").unlink()
    _run("resume", run, "--evaluations", "8", "--workers", "1")


def test_a_process_is_fitted_shown_and_makes_levels(files: Path) -> None:
    out, features = files / "m.json", files / "features.csv"
    said = _run("prefer", "fit", files / "votes.csv", "--features", features, "--model", "gaussian-process", "-o", out)
    assert "votes on other items predicted" in said and "length" in said
    shown = json.loads(_run("prefer", "show", out, "--features", features, "--json"))
    assert shown["judged"]["item01"]["score"] > 0 > shown["judged"]["item02"]["score"]
    assert all(0 < row["error"] < 3 for row in shown["judged"].values())
    assert "±" in _run("prefer", "show", out, "--features", features)
    run = files / "run"
    _run(
        "levels", "boxes", "--generator", "constructive", "-n", "2", "--prefer", out,
        "--evaluations", "6", "--workers", "1", "--out", run,
    )  # fmt: skip
    entries = json.loads((run / "levels" / "index.json").read_text(encoding="utf-8"))
    model = PreferenceModel.load(out)
    for entry in entries["levels"] if isinstance(entries, dict) else entries:
        assert entry["fitness"] == pytest.approx(model.fitness(entry["metrics"], strict=False))


@pytest.mark.full
def test_a_report_is_written_by_a_command(files: Path) -> None:
    out = files / "report"
    _run("prefer", "report", files / "votes.csv", "--groups", files / "groups.json", "--out", out, "--samples", "100")
    assert (out / "report.html").is_file()


def test_power_is_printed_and_as_json() -> None:
    options = ("prefer", "power", "--items", "5", "--participants", "4,16", "--studies", "3")
    assert "a mean tau of 0.9 takes" in _run(*options)
    data = json.loads(_run(*options, "--json"))
    assert [p["participants"] for p in data["points"]] == [4, 16]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("prefer", "fit", "no.csv", "--features", "f.csv", "-o", "m.json"), "cannot use `no.csv`"),
        (("prefer", "show", "no.json"), "cannot use `no.json`"),
        (("prefer", "power", "--participants", "ten"), "--participants ten: expected whole numbers"),
        (("prefer", "power", "--design", "adaptiv"), "did you mean `adaptive`"),
        (("levels", "boxes", "--prefer", "no.json", "--out", "r"), "cannot use `no.json`"),
    ],
)
def test_mistakes_on_the_command_line_are_one_message(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2 and message in result.output
    assert not list(tmp_path.iterdir())


def test_a_report_says_which_items_no_vote_connects(tmp_path: Path) -> None:
    votes = [Vote(f"p{k}", *pair, "first") for k in range(4) for pair in (("a", "b"), ("c", "d"))]
    text = preference_report(votes, None, tmp_path / "r", samples=50).read_text(encoding="utf-8")
    assert "No vote connects these 2 parts of the items: a, b; c, d." in text and "No vote connects the two." in text


def test_a_report_does_not_speak_of_groups_that_never_met(tmp_path: Path) -> None:
    votes = [Vote(f"p{k}", *pair, "first") for k in range(4) for pair in (("a", "b"), ("c", "d"))]
    apart = {"a": "one", "b": "one", "c": "other", "d": "other"}
    text = preference_report(votes, apart, tmp_path / "r", samples=20).read_text(encoding="utf-8")
    assert "against another group" not in text and 'id="groups"' not in text
    assert not (tmp_path / "r" / "groups.svg").exists() and "best-liked item is" in text
    met = preference_report(votes, dict(zip("abcd", ("one", "other") * 2, strict=True)), tmp_path / "m", samples=20)
    assert "one was preferred in 100% of the votes in which it stood against another group. The best" in met.read_text(
        encoding="utf-8"
    )
