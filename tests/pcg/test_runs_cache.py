"""Memory of runs: equal levels are evaluated once, on disk across runs, and nothing else changes."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_folders import files
from tiers import first_fast

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.level_constraints import fitness_with_targets
from pcg.evaluators.metrics.likeness import level_distance
from pcg.runs import LevelRun, resume, run_levels
from pcg.runs.archive import CHOICE, MOST_CHOICE, SPARE, Archive, Entry, Variety
from pcg.runs.cache import EvaluationCache, settings_key
from pcg.runs.store import RunLog

CHEAP = {"nodes": 300, "budget": 20, "planner_budget": 20, "max_length": 40, "weak_plays": 1, "min_length": 2}
GAME = """
BasicGame
    SpriteSet
        goal > Immovable
        avatar > MovingAvatar
    InteractionSet
        goal avatar > killSprite
        avatar EOS > stepBack
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
    LevelMapping
        g > goal
        A > avatar
"""
"""So little to place that of 100 small levels some come twice."""
TRIES = 100
SIZES = {"min_width": 4, "max_width": 4, "min_height": 4, "max_height": 4}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LevelRun:
    path = tmp_path_factory.mktemp("game") / "game.vgdl"
    path.write_text(GAME)
    return LevelRun(
        str(path), generator="random", count=TRIES, seed=3, evaluations=TRIES,
        evaluation_parameters=CHEAP, generator_parameters=SIZES,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, tiny: LevelRun) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    run_levels(tiny, folder, workers=1)
    return folder


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that are evaluated from here on."""
    asked: list[str] = []
    evaluate = LevelEvaluator.evaluate

    def note(self: LevelEvaluator, level: str, seed: int = 0) -> Evaluation:
        asked.append(level)
        return evaluate(self, level, seed)

    monkeypatch.setattr(LevelEvaluator, "evaluate", note)
    return asked


@pytest.mark.full
def test_equal_levels_of_a_run_are_evaluated_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: LevelRun
) -> None:
    asked = counted(monkeypatch)
    result = run_levels(tiny, tmp_path / "run", workers=2)
    events = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    levels = [event["level"] for event in events]
    assert len(asked) == len(set(asked)) == len(set(levels))
    assert result.repeated == len(levels) - len(set(levels)) > 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["repeated"] == result.repeated
    judge = LevelEvaluator(pcg.load(tiny.game), **CHEAP)
    for event in events:
        assert Evaluation.from_json(event) == judge.evaluate(event["level"], seed=tiny.seed)


@pytest.mark.full
def test_repeats_are_counted_alike_when_a_run_is_resumed(tmp_path: Path, whole: Path, tiny: LevelRun) -> None:
    run_levels(tiny.with_budget(evaluations=31), tmp_path / "run", workers=1)
    resume(tmp_path / "run", evaluations=TRIES, workers=2)
    assert files(tmp_path / "run") == files(whole)
    (tmp_path / "run" / "checkpoint.json").unlink()
    resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(whole)


def test_a_cache_on_disk_spares_other_runs_the_work_and_changes_nothing(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, tiny: LevelRun
) -> None:
    first = run_levels(tiny, tmp_path / "first", workers=2, cache=tmp_path / "cache")
    assert first.cached == 0
    asked = counted(monkeypatch)
    second = run_levels(tiny, tmp_path / "second", workers=2, cache=tmp_path / "cache")
    assert asked == []
    assert second.cached == TRIES - second.repeated
    assert files(tmp_path / "first") == files(tmp_path / "second") == files(whole)


@pytest.mark.full
@pytest.mark.parametrize(
    "change",
    first_fast(
        [
            {"seed": 4},
            {"evaluation_parameters": {**CHEAP, "budget": 21}},
            {"want": "solution_length>=3"},
            {"game": "crossing"},
        ]
    ),
)
def test_other_settings_find_nothing_in_the_cache(tmp_path: Path, change: dict[str, Any], tiny: LevelRun) -> None:
    run_levels(tiny, tmp_path / "first", workers=2, cache=tmp_path / "cache")
    other = dataclasses.replace(tiny, evaluations=10, **change)
    assert run_levels(other, tmp_path / "second", workers=2, cache=tmp_path / "cache").cached == 0


def test_a_cache_keeps_every_digit_of_an_evaluation(tmp_path: Path) -> None:
    game = pcg.load("boxes")
    evaluation = LevelEvaluator(game, **CHEAP).evaluate(game.levels[0], seed=1)
    cache = EvaluationCache(tmp_path, settings_key(["a"]))
    cache.store(game.levels[0], evaluation)
    assert cache.find(game.levels[0]) == evaluation
    assert cache.find(game.levels[0] + " ") is None
    assert EvaluationCache(tmp_path, settings_key(["b"])).find(game.levels[0]) is None
    assert len(cache) == 1
    cache.close()


@pytest.mark.full
def test_a_damaged_entry_is_evaluated_again_and_a_damaged_file_is_named(
    tmp_path: Path, whole: Path, tiny: LevelRun
) -> None:
    run_levels(tiny, tmp_path / "first", workers=2, cache=tmp_path)
    with sqlite3.connect(tmp_path / "evaluations.sqlite") as database:
        database.execute("UPDATE evaluations SET evaluation = '{'")
    database.close()
    again = run_levels(tiny, tmp_path / "second", workers=2, cache=tmp_path)
    assert again.cached == 0
    assert files(tmp_path / "second") == files(whole)
    for path in tmp_path.glob("evaluations.sqlite*"):
        path.write_bytes(b"not a database, " * 100)
    with pytest.raises(PcgError, match=r"cannot use .*evaluations\.sqlite"):
        run_levels(tiny, tmp_path / "third", cache=tmp_path)
    assert not (tmp_path / "third").exists()
    (tmp_path / "file").touch()
    with pytest.raises(PcgError, match="cannot use"):
        run_levels(tiny, tmp_path / "third", cache=tmp_path / "file")


def greedy(
    events: list[dict[str, Any]], size: int, distance: float, variety: Variety | None
) -> tuple[list[int], list[int]]:
    """Work out the expected content of an archive from everything at once."""

    def choose(ranked: list[dict[str, Any]], number: int, besides: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for event in ranked:
            if len(kept) == number:
                break
            if all(level_distance(event["level"], o["level"]) >= distance for o in (*besides, *kept)):
                kept.append(event)
        return kept

    ranked = sorted((e for e in events if e["feasible"]), key=lambda e: (-e["fitness"], e["id"]))
    if variety is None:
        best = choose(ranked, size, [])
    else:
        pool = choose(ranked, size + min(CHOICE * size, MOST_CHOICE), [])
        least = pool[min(size, len(pool)) - 1]["fitness"] - variety.slack if pool else 0.0
        pool = pool[:1] + [e for e in pool[1:] if e["fitness"] >= least]
        best = pool[:1]
        while len(best) < min(size, len(pool)):
            rest = [e for e in pool if e not in best]
            best.append(max(rest, key=lambda e: (round(worth(e, best, variety), 9), -pool.index(e))))
        best.sort(key=pool.index)
    others = sorted((e for e in events if not e["feasible"]), key=lambda e: (-e["constraint"], e["id"]))
    spare = choose(others[: SPARE * size], size - len(best), best)
    return [e["id"] for e in best], [e["id"] for e in spare]


def worth(event: dict[str, Any], chosen: list[dict[str, Any]], variety: Variety) -> float:
    """Fitness of a level, with what its distance from those chosen before adds."""
    apart = [min(variety.usual, level_distance(event["level"], one["level"])) for one in chosen]
    return float(event["fitness"] + variety.weight * np.mean(apart))


def test_variants_are_the_best_of_what_stands_back_and_not_the_same_again() -> None:
    fitness = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.6, 4: 0.95, 50: 0.5, 51: 0.4}  # numbers are places on a line
    archive: Archive[int] = Archive(
        9, 10, lambda k: {"id": k}, lambda event: event["id"], lambda event: event["id"], lambda a, b: abs(a - b)
    )
    for number, value in fitness.items():
        archive.add(number, True, value, 1.0)
    assert archive.best() == [4, 50]
    assert archive.variants(9, 2) == [0, 2] and archive.variants(1, 2) == [0]
    assert archive.variants(9, 0.5) == [0, 1, 2, 3, 51] and archive.variants(0, 0.5) == []


@pytest.mark.parametrize("variety", [None, Variety(0.6, 1.0), Variety(0.5, 0.2), Variety(0.6, 1.0, 0.5)])
@pytest.mark.parametrize("seed", range(6))
def test_an_archive_holds_what_a_greedy_choice_from_everything_would(seed: int, variety: Variety | None) -> None:
    rng = np.random.default_rng(seed)
    size, distance = int(rng.integers(1, 8)), float(rng.choice([0.3, 0.5, 0.8]))
    events: list[dict[str, Any]] = []
    archive = Archive(size, distance, lambda k: events[k], Entry.of, variety=variety)
    for k in range(250):
        level = "\n".join("".join(row) for row in rng.choice(list("wA..."), (3, 4)).tolist())
        feasible = bool(rng.random() < 0.6)
        value = float(rng.integers(0, 40)) / 40
        events.append(
            {"id": k, "origin": "x", "generation": 0, "level": level, "feasible": feasible, "fitness": value * feasible,
             "constraint": 1.0 if feasible else value, "constraints": {}, "metrics": {}, "stage": "static",
             "winner": "", "seed": 0, "play": ""}
        )  # fmt: skip
        archive.add(k, feasible, events[k]["fitness"], events[k]["constraint"])
        if k % 25 == 0:
            best, spare = greedy(events, size, distance, variety)
            assert [e.candidate.id for e in archive.best()] == best
            assert [e.candidate.id for e in archive.spare()] == spare
            assert archive.distinct == len(best)


def test_a_log_is_read_event_by_event_and_its_torn_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"id": 0, "a": 1}\n{"id": 1, "a": 2}\n{"id": 2, "a"')
    met: list[int] = []
    log = RunLog(path, lambda event: met.append(event["id"]))
    assert met == [0, 1]
    log.append({"id": 2, "a": "ä"})
    log.append({"id": 3, "a": 4})
    assert len(log) == 4
    assert [log.read(k)["a"] for k in (3, 0, 2)] == [4, 1, "ä"]
    log.close()
    assert len(path.read_bytes().splitlines()) == 4


def test_a_log_that_lacks_what_it_should_have_is_an_error(whole: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    (folder / "events.jsonl").write_text('{"id": 0}\n')
    with pytest.raises(PcgError, match=r"events\.jsonl is damaged: event 0"):
        resume(folder)


def test_a_checkpoint_that_another_version_wrote_is_an_error(whole: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    path = folder / "checkpoint.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | {"generator": {"told": 3}}))
    with pytest.raises(PcgError, match=r"checkpoint\.json is damaged, or another version wrote it \(KeyError"):
        resume(folder)
    path.unlink()
    assert resume(folder).evaluations == state["events"]  # as it says, the log alone will do


def test_a_varied_set_gives_up_little_fitness_for_levels_that_are_unlike() -> None:
    """Ten good levels of one kind and two a little worse of another: a set of four has some of both."""
    wall, open_field = "wwwwww\nw....w\nwA.b.w\nwwwwww", "......\n..b...\n.A....\n......"
    events = [
        {"id": k, "origin": "x", "generation": 0, "level": text[:-6] + tail, "feasible": True, "fitness": fitness,
         "constraint": 1.0, "constraints": {}, "metrics": {}, "stage": "static", "winner": "", "seed": 0, "play": ""}
        for k, (text, tail, fitness) in enumerate(
            [(wall, "".join("wb"[k >> bit & 1] for bit in range(6)), 0.9 - 0.001 * k) for k in range(10)]
            + [(open_field, "b.....", 0.87), (open_field, "bb.b..", 0.86)]
        )
    ]  # fmt: skip
    kept = {}
    for name, variety in (("best", None), ("varied", Variety(0.4, 1.0))):
        archive = Archive(4, 0.01, lambda k: events[k], Entry.of, variety=variety)
        for event in events:
            archive.add(event["id"], True, event["fitness"], 1.0)
        kept[name] = [entry.candidate.id for entry in archive.best()]
    assert max(kept["best"]) < 10  # all of one kind
    assert kept["varied"][0] == 0 and set(kept["varied"]) & {10, 11}
    assert kept["varied"] == sorted(kept["varied"])  # best first


def test_no_level_that_misses_what_was_wanted_is_kept_for_being_unlike_those_that_achieve_it() -> None:
    rows = [f"{'w' * 12}\nw..........w\nwA{'.' * k}b{'.' * (8 - k)}w\n{'w' * 12}" for k in range(5)]
    events = [
        {"id": k, "origin": "x", "generation": 0, "level": text, "feasible": True, "fitness": fitness,
         "constraint": 1.0, "constraints": {}, "metrics": {}, "stage": "static", "winner": "", "seed": 0, "play": ""}
        for k, (text, fitness) in enumerate(
            [*((text, fitness_with_targets(0.3, {"enemies": 1.0})) for text in rows),
             ("b.b.b.b\n.b.b.b.\nb.bAb.b\n.b.b.b.", fitness_with_targets(0.9, {"enemies": 0.98}))]
        )
    ]  # fmt: skip
    archive = Archive(4, 0.001, lambda k: events[k], Entry.of, variety=Variety(0.5, 1.0))
    for event in events:
        archive.add(event["id"], True, event["fitness"], 1.0)
    assert len(archive.best()) == 4 and all(entry.candidate.id < len(rows) for entry in archive.best())
