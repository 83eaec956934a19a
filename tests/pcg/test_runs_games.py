"""Runs that make whole games: files, workers, resuming, the command line and the report."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from kill_resume import kill_and_resume
from markupsafe import escape
from run_folders import files
from tiers import first_fast
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl import PcgError, check_game
from pcg.evaluators.evaluation import decode_play
from pcg.generators.games import GameGenotype, game_edits
from pcg.report import write_report
from pcg.runs import GamesRun, resume, run_games
from pcg.runs.experiments.games import Work, evaluate_game

CHEAP = {"ladder": "nothing random onestep", "plays": 2, "max_plays": 2, "max_ticks": 60, "explorations": 2,
         "min_rules": 0.3, "min_ticks": 10, "patience": 2, "random_ticks": 30}  # fmt: skip


def config(**changes: object) -> GamesRun:
    given = {
        "levels": "0", "seed": 7, "evaluations": 40, "checkpoint": 7, "confirm": 2, "finalists": 3, "count": 3,
        "window": 6, "judge": 0,
        "generator_parameters": {"population": 10, "offspring": 10}, "evaluation_parameters": CHEAP,
    }  # fmt: skip
    return GamesRun("hunt invaders", **{**given, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with its report."""
    where = tmp_path_factory.mktemp("games") / "run"
    run_games(config(), where, workers=1)
    write_report(where)
    return where


@pytest.mark.full
def test_a_run_leaves_games_with_levels_an_index_and_a_page(folder: Path) -> None:
    index = json.loads((folder / "games" / "index.json").read_text())["games"]
    summary = json.loads((folder / "summary.json").read_text())
    assert 1 <= len(index) == summary["distinct"] <= 3 and summary["evaluations"] == 40
    starts = [GameGenotype.of(pcg.load(name), pcg.load(name).levels[:1]) for name in ("hunt", "invaders")]
    for entry in index:
        file = folder / "games" / entry["file"]
        assert check_game(file) == []
        game = pcg.load(file)
        genotype = GameGenotype.from_json(entry["genotype"])
        assert GameGenotype.of(game) == genotype and len(game.levels) == 1
        assert entry["edits"] == min(game_edits(start, genotype) for start in starts)
        assert entry["nearest"] == ("hunt", "invaders")[entry["start"]]
        for play in (entry["best"], entry["weak"]):
            state = game.start(play["level"], play["seed"])
            for action in decode_play(play["play"]):
                state.advance(action)
            assert (state.winner == 1, state.score) == (play["won"], play["score"])
    page = (folder / "report.html").read_text()
    for text in ("Games from hunt, invaders", "pcg games evolve hunt invaders", "level 0", "Types", "<svg"):
        assert text in page
    for entry in index:
        for said in (entry["title"], entry["pitch"], entry["how_to_play"]):
            assert escape(said) in page


@pytest.mark.full
def test_two_workers_make_what_one_makes(folder: Path, tmp_path: Path) -> None:
    run_games(config(), tmp_path / "run", workers=2, executor="threads")
    write_report(tmp_path / "run")
    assert files(tmp_path / "run") == files(folder)


@pytest.mark.full
@pytest.mark.parametrize("generator", first_fast(["gp", "evolve", "variation"]))
def test_a_larger_budget_is_as_if_it_had_been_given_at_once(tmp_path: Path, generator: str) -> None:
    breeds = generator != "variation"
    parameters = {"population": 10, "offspring": 10} if breeds else {}
    given = config(generator=generator, generator_parameters=parameters, confirm=0, count=30)
    run_games(given, tmp_path / "whole", workers=2)
    run_games(config(generator=generator, generator_parameters=parameters, confirm=0, count=30, evaluations=17),
              tmp_path / "parts", workers=2)  # fmt: skip
    resume(tmp_path / "parts", evaluations=40, workers=1)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")


@pytest.mark.fuzz
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_again_and_again_ends_with_the_same_files(tmp_path: Path) -> None:
    given = config(evaluations=80)
    run_games(given, tmp_path / "whole", workers=1)
    logged = kill_and_resume(given, tmp_path / "run", tmp_path / "whole", kills=8)
    assert len(logged) == 8
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_a_run_with_a_bound_keeps_it(tmp_path: Path) -> None:
    given = config(generator="variation", generator_parameters={}, max_edits=3, evaluations=30)
    run_games(given, tmp_path / "run")
    assert GamesRun.read(tmp_path / "run" / "config.toml") == given
    starts = [GameGenotype.of(pcg.load(name), pcg.load(name).levels[:1]) for name in ("hunt", "invaders")]
    events = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    made = [GameGenotype.from_json(event["genotype"]) for event in events]
    assert made and all(min(game_edits(start, game) for start in starts) <= 3 for game in made)


@pytest.mark.full
def test_games_can_be_judged_on_levels_that_are_made_for_them(tmp_path: Path) -> None:
    given = config(make_levels=2, evaluations=6, confirm=0, finish=0)
    run_games(given, tmp_path / "run", workers=1)
    lines = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    made = [event for event in map(json.loads, lines) if event.get("levels")]
    assert made and all(len(event["levels"]) <= 2 for event in made)
    for event in made:
        genotype = GameGenotype.from_json(event["genotype"])
        assert not set(event["levels"]) & set(genotype.levels)
        found, _ = evaluate_game(Work((), 7, 2), genotype, levels=event["levels"])
        assert list(found.levels) == event["levels"], "levels that were made before are played again"
    run_games(given, tmp_path / "again", workers=2)
    assert (tmp_path / "again" / "events.jsonl").read_text().splitlines() == lines


def test_the_configuration_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(config().to_toml())
    assert GamesRun.read(tmp_path / "config.toml") == config()
    assert GamesRun("'my game.txt' hunt", evaluations=1).sources == ("my game.txt", "hunt")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": ""}, "no game to begin with"),
        ({"games": "hunt 'x"}, "No closing quotation"),
        ({"evaluations": 0}, "no budget"),
        ({"max_edits": -1}, "max_edits"),
        ({"max_edits": 3, "make_levels": 2}, "counts rows of levels, but make_levels is 2"),
        ({"count": 0}, "count"),
    ],
)
def test_bad_configurations_are_named(changes: dict[str, object], message: str) -> None:
    games = str(changes.pop("games", "hunt"))
    with pytest.raises(PcgError, match=message):
        GamesRun(games, **{"evaluations": 5, **changes})  # type: ignore[arg-type]


# -- the command line --------------------------------------------------------------------------------------------------


def test_the_command_makes_games_and_resume_and_report_go_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = [
        "games",
        "evolve",
        "hunt",
        "--levels",
        "0",
        "--evaluations",
        "8",
        "-n",
        "1",
        "--out",
        str(out),
        "--workers",
        "1",
    ]
    words += [part for k, v in CHEAP.items() for part in ("--set", f"evaluation.{k}={v}")]
    result = CliRunner().invoke(app, [*words, "--set", "run.confirm=0"])
    assert result.exit_code in (0, 1), result.output
    assert (out / "report.html").is_file() and "of 8 games feasible" in result.output
    result = CliRunner().invoke(app, ["resume", str(out), "--evaluations", "10", "--workers", "1"])
    assert result.exit_code in (0, 1) and "of 10 games feasible" in result.output
    assert CliRunner().invoke(app, ["report", str(out)]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch"], "nosuch"),
        (["hunt", "--generator", "evolv"], "did you mean `evolve`"),
        (["hunt", "--generator", "crossover"], "expected at least 2 games"),
        (["hunt", "--generator", "gp", "--max-edits", "4"], "cannot keep to max_edits"),
        (["duel"], "one player"),
        (["hunt", "--levels", "9"], "none of the levels 9"),
        (["hunt", "--budget", "soon"], "expected a time"),
        (["hunt", "--set", "generator.populaton=3"], "did you mean `population`"),
        (["hunt", "--set", "evaluation.plays=0"], "plays"),
        (["hunt", "--set", "run.windw=1"], "did you mean `window`"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(words: list[str], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["games", "evolve", *words, "--out", str(tmp_path / "run")])
    assert result.exit_code == 2 and message in result.output and "Traceback" not in result.output
    assert not (tmp_path / "run").exists()


def test_the_lists_name_games_and_generators() -> None:
    from pcg.generators.games import GAME_GENERATORS

    listed = CliRunner().invoke(app, ["games"]).output
    assert "dungeon" in listed and "lode_runner" in listed
    told = CliRunner().invoke(app, ["games", "generators"]).output
    assert all(name in told for name in GAME_GENERATORS) and "max_ticks" in told
