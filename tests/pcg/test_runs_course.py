"""Runs that make a course of levels: the files, the report, and the command line."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from pcg.cli import app
from pcg.describe import describe
from pcg.engine.game import load
from pcg.evaluators.courses import EVALUATION, Introductions
from pcg.evaluators.ladder import Difficulty
from pcg.generators.levels import LevelContext
from pcg.generators.levels.curriculum import Curriculum
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.report import write_report
from pcg.runs import LevelRun, run_levels
from pcg.runs.experiments import course
from pcg.runs.experiments.course import (
    LONGER,
    POOL,
    CourseCandidates,
    errors,
    level_elements,
    level_steps,
    sentence_about,
    supposed_difficulty,
    told_apart,
)
from pcg.runs.experiments.levels import LevelSearch

CHEAP = {"nodes": 3000, "budget": 40, "planner_budget": 60, "max_length": 60, "weak_plays": 1}
QUICK = {"drafts": 0.2, "polish": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("course") / "run"
    config = LevelRun(
        "dungeon", count=4, evaluations=36, seed=3, progression=True, generator_parameters=QUICK,
        evaluation_parameters=CHEAP,
    )  # fmt: skip
    result = run_levels(config, path, workers=1)
    assert len(result.course) == len(result.levels)
    return path


def entries(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "levels" / "index.json").read_text())["levels"]
    return found


def test_levels_stand_in_the_order_of_the_course(folder: Path) -> None:
    courses = [entry["course"] for entry in entries(folder)]
    assert len(courses) >= 3
    assert [c["place"] for c in courses] == list(range(len(courses)))  # type: ignore[index]
    difficulties = [c["difficulty"] for c in courses]  # type: ignore[index]
    assert difficulties == sorted(difficulties) and len(set(difficulties)) == len(difficulties)
    new = [name for c in courses for name in c["introduces"]]  # type: ignore[index]
    assert len(set(new)) == len(new)


def test_each_level_says_what_it_teaches(folder: Path) -> None:
    sentences = [str(entry["course"]["teaches"]) for entry in entries(folder)]  # type: ignore[index]
    assert sentences[0].startswith("The aim: you win when no door is left.")
    assert all(sentence.endswith(".") or sentence.endswith(").") for sentence in sentences)
    curriculum = Curriculum(LevelContext.of(load("dungeon")))
    for entry in entries(folder):
        level = (folder / "levels" / str(entry["file"])).read_text()
        assert set(entry["course"]["introduces"]) <= level_elements(curriculum, level)  # type: ignore[index]


def test_the_report_shows_the_course_as_a_strip_with_its_curve(folder: Path) -> None:
    page = write_report(folder).read_text(encoding="utf-8")
    assert page.count('alt="Level ') >= 2 * len(entries(folder))
    assert "The course</h2>" in page and "Difficulty of the levels of the course" in page
    assert "The aim: you win when no door is left." in page


@pytest.mark.full
def test_the_same_course_comes_out_whatever_the_workers(folder: Path, tmp_path: Path) -> None:
    config = LevelRun.read(folder / "config.toml")
    run_levels(config, tmp_path / "run", workers=2, executor="threads")
    for name in ("levels/index.json", "events.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize(
    ("game", "element", "sentence"),
    [
        ("hunt", "hen", "The fox destroys a hen (+3 points)."),  # and no longer that birds stop at hedges
        ("lode_runner", "guard", "A slam or a monster kills the miner (−1 point)."),  # by families of both
        ("survival", "fire", "Fire and a ghost destroy each other (+2 points)."),  # it also stops the hero
        ("survival", "grave", "Grave: Makes a ghost with a chance of 50 % every 16 ticks, 8 in all, then disappears."),
        ("siege", "woodTower", "A shell ball destroys a wood tower (+2 points)."),
        ("portals", "blueArrival", "Blue gate: An entrance that leads to a blue arrival."),
        ("lode_runner", "ladder", "You can pass ladders."),  # and no longer what happens to unseen helpers there
        ("orchard", "campfire", "When a campfire meets a splash, the campfire loses 1 health point and dies at 0 "
         "or less (+5 points) (+1 point while it lives)."),
    ],
)  # fmt: skip
def test_sentences_say_what_is_most_about_a_thing(game: str, element: str, sentence: str) -> None:
    known = load(game)
    assert sentence_about(known.definition, describe(known), element) == sentence


@pytest.mark.parametrize(
    ("game", "kinds", "there"),
    [
        ("survival", {"ghost"}, "There are ghosts from the start."),
        ("survival", {"fire"}, "There is fire from the start."),
        ("survival", {"fire", "grave"}, "There are fire and graves from the start."),
        ("alchemy", {"lead", "copper", "candle"}, "There are candles, copper and lead from the start."),
    ],
)
def test_sentences_speak_of_kinds_in_the_plural(game: str, kinds: set[str], there: str) -> None:
    known, (one,) = load(game), measured(0.5)
    new = frozenset(kinds)
    first = course._sentence(known.definition, describe(known), frozenset(), new, new, one, None)
    assert there in first
    later = course._sentence(known.definition, describe(known), frozenset(), new, frozenset(), one, one)
    practises = "Practises" if len(kinds) == 1 else "Combines"
    assert later.startswith(f"{practises} {there.removeprefix('There are ').removeprefix('There is ')[:-16]}.")


def test_doors_and_their_keys_are_one_step() -> None:
    curriculum = Curriculum(LevelContext.of(load("dungeon")))
    level = "wwwwww\nwA.k.w\nw..b.w\nwwdwww"
    assert level_elements(curriculum, level) == {"door", "key", "bat"}
    assert level_steps(curriculum, level) == {"door key", "bat"}


def chosen_for_course(events: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    candidates = CourseCandidates()
    for event in events:
        candidates.add(event, frozenset(event["level"]))
    return [events[number] for number in candidates.choose(count)]


def test_few_are_measured_and_all_kinds_of_things_and_difficulties_are_among_them() -> None:
    events = [
        {"id": k, "level": "abc"[k % 3], "fitness": 0.5, "metrics": {"difficulty": k / 90}} for k in range(90)
    ]  # fmt: skip
    chosen = chosen_for_course(events, 6)
    assert len(chosen) == 6 * POOL
    # of many sets of kinds an easy and a hard level each
    texts = ["".join(sorted({"abcdefghij"[k % 10], "abcdefghij"[k // 10 % 10]})) for k in range(300)]
    many = [
        {"id": k, "level": text, "fitness": 0.5, "metrics": {"difficulty": k / 300}} for k, text in enumerate(texts)
    ]  # fmt: skip
    several = chosen_for_course(many, 40)
    assert len({event["level"] for event in several}) == len(set(texts)) == 55
    for text in set(texts):
        ids = [int(event["id"]) for event in several if event["level"] == text]
        middle = np.median([k for k, other in enumerate(texts) if other == text])
        assert min(ids) < middle < max(ids)
    for kind in "abc":
        of_kind = [int(e["id"]) for e in chosen if e["level"] == kind]
        assert len(of_kind) >= POOL and min(of_kind) < 30 and max(of_kind) >= 60


def measured(*values: float) -> list[Difficulty]:
    return [Difficulty(value, (), 0.0, 10, None) for value in values]


def test_more_measurements_tell_levels_apart() -> None:
    few = [measured(k / 10, k / 10 + 0.1) for k in range(5)]
    many = [known * 9 for known in few]
    assert errors(few)[0] > 3 * errors(many)[0] > 0.0
    assert not told_apart(few, 5) and told_apart(many, 5)
    assert errors([]) == [] and errors([measured(0.5)]) == [0.0]


def test_a_course_whose_levels_bring_things_together_is_searched_for_longer(tmp_path: Path) -> None:
    config = LevelRun(
        "dungeon", count=1, evaluations=4, seed=1, progression=True, generator_parameters=QUICK,
        evaluation_parameters=CHEAP,
    )  # fmt: skip
    result = run_levels(config, tmp_path / "run", workers=1)
    lines = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    curriculum = Curriculum(LevelContext.of(load("dungeon")))
    won = [
        (supposed_difficulty(event), level_steps(curriculum, event["level"]))
        for event in map(json.loads, lines) if event["feasible"]
    ]  # fmt: skip
    assert 4 < result.evaluations == len(won) < LONGER * 4
    assert Introductions(won[:-1]).missing() and not Introductions(won).missing()  # the last one is what was waited for
    run_levels(config, tmp_path / "two", workers=2, executor="threads")
    for name in ("levels/index.json", "events.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("play", ["", "RRD"])
def test_levels_that_nobody_was_seen_to_win_introduce_nothing(play: str) -> None:
    plays = {"...": "R", "b.s": "R", "b..": play}  # a door with its key, two monsters at once, one of them alone
    levels = [(f"wwwwww\nwA.k.w\nw{row}.w\nwwdwww", won) for row, won in plays.items()]
    events = [{"level": level, "feasible": True, "play": won, "metrics": {}} for level, won in levels]
    run = SimpleNamespace(
        told=3, evaluations=3, log=SimpleNamespace(read=events.__getitem__), _looked_at=0,
        _introducing=Introductions(),
        _curriculum=Curriculum(LevelContext.of(load("dungeon"))),
    )  # fmt: skip
    assert LevelSearch._introduces_at_once(run) == (not play)  # type: ignore[arg-type]


def test_a_course_with_too_few_levels_is_searched_for_longer(folder: Path, tmp_path: Path) -> None:
    config = LevelRun(
        "dungeon", count=6, evaluations=4, seed=3, progression=True, generator_parameters=QUICK,
        evaluation_parameters=CHEAP,
    )  # fmt: skip
    result = run_levels(config, tmp_path / "run", workers=1)
    assert result.stopped == "evaluations" and 4 < result.evaluations <= LONGER * 4
    run_levels(config, tmp_path / "two", workers=2, executor="threads")
    for name in ("levels/index.json", "events.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    plain = run_levels(replace(config, progression=False), tmp_path / "plain", workers=1)
    assert plain.evaluations == 4
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["evaluations"] == 36  # enough of them


@pytest.mark.full
def test_the_command_prints_what_the_levels_teach(tmp_path: Path) -> None:
    words = ["levels", "dungeon", "-n", "3", "--evaluations", "16", "--progression", "--workers", "1"]
    settings = [f"generator.{k}={v}" for k, v in QUICK.items()] + [f"evaluation.{k}={v}" for k, v in CHEAP.items()]
    result = CliRunner().invoke(
        app, [*words, *(w for s in settings for w in ("--set", s)), "--out", str(tmp_path / "run")]
    )
    assert result.exit_code == 0, result.output
    assert "1. difficulty" in result.output and "The aim:" in result.output


def test_drafts_are_tried_out_as_they_are_evaluated(tmp_path: Path) -> None:
    config = LevelRun("survival", progression=True, evaluations=1, evaluation_parameters={"min_length": 12})
    generator = LevelSearch.new(config, tmp_path).generator
    assert isinstance(generator, PortfolioGenerator)
    assert dict(generator.tryouts.settings) == {**EVALUATION, "min_length": 12}


@pytest.mark.parametrize(("seconds", "least", "measured"), [(3.0, 0, 4), (3.0, 5, 6), (0.0, 0, 10)])
def test_a_run_with_a_time_limit_measures_no_longer_than_it_searched(
    seconds: float, least: int, measured: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def result(ticket: None) -> Difficulty:
        now[0] += 1.0
        return Difficulty(0.5, (), 0.0, 10, None)

    monkeypatch.setattr("pcg.runs.experiments.levels.time.perf_counter", lambda: now[0])
    run = SimpleNamespace(
        seconds=seconds, _conclude_by=seconds or math.inf, _measured=0, show_progress=lambda: None, game=None,
        parameters=(), config=SimpleNamespace(seed=1),
        workers=SimpleNamespace(count=2, submit=lambda *_: None, result=result),
    )  # fmt: skip
    difficulties: list[list[Difficulty]] = [[] for _ in range(10)]
    events = [{"id": k, "level": ""} for k in range(10)]
    all_of_them = LevelSearch._measure_again(run, events, difficulties, range(10), least)  # type: ignore[arg-type]
    assert sum(map(len, difficulties)) == run._measured == measured
    assert all_of_them == (measured == 10)
