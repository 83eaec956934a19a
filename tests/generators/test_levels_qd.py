"""Quality-diversity: what stands in which cell, what becomes of it, and that a run of it survives being killed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from kill_resume import kill_and_resume
from run_folders import files

from pcg.engine.game import load
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.mechanics import mechanics
from pcg.generators.levels import Candidate, LevelContext, make_generator
from pcg.generators.levels.qd.archive import Elite, LevelArchive, spread
from pcg.generators.levels.qd.emitters import SELECTIONS, Breeding, ParentStatistics, select
from pcg.generators.levels.qd.generator import MapElitesGenerator
from pcg.generators.levels.qd.measures import Measure, Measuring, parse_measures
from pcg.report.figures.levels import archive_map
from pcg.runs import LevelRun, resume, run_levels

NAMES = ["map-elites", "cvt-map-elites", "constrained-map-elites"]
MEASURES = "density:0..0.5:5, solution_length:20..80:4"
FAST = {"measures": MEASURES, "initial": 15, "delay": 8, "tries": 1}
CHEAP = {"nodes": 3000, "budget": 40, "planner_budget": 60, "max_length": 60, "weak_plays": 1, "min_length": 5}


@pytest.fixture(scope="module")
def dungeon() -> LevelContext:
    return LevelContext.of(load("dungeon"))


def made(context: LevelContext, name: str = "map-elites", **params: object) -> MapElitesGenerator:
    cells = {"cells": 20} if name == "cvt-map-elites" else {}
    generator = make_generator(name, context, seed=1, **{**FAST, **cells, **params})
    assert isinstance(generator, MapElitesGenerator)
    return generator


def judged(candidate: Candidate) -> Evaluation:
    """A verdict from the text alone: feasible three times in four, a length and a fitness that vary."""
    value = sum((i + 1) * ord(c) for i, c in enumerate(candidate.level))
    feasible = value % 4 != 0
    quality = value % 97 / 97
    length = {"solution_length": float(value % 90)} if feasible else {}
    return Evaluation(feasible, quality if feasible else 0.0, 1.0 if feasible else quality, {}, length, "complete",
                      "solver" if feasible else "")  # fmt: skip


def run(generator: MapElitesGenerator, count: int) -> list[Candidate]:
    found: list[Candidate] = []
    while len(found) < count:
        candidates = generator.ask(min(5, count - len(found)))
        generator.tell(candidates, [judged(c) for c in candidates])
        found += candidates
    return found


# -- the archive -------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_every_cell_holds_the_best_feasible_level_it_was_shown(dungeon: LevelContext, name: str) -> None:
    generator = made(dungeon, name)
    shown = run(generator, 70)
    data = generator.archive()
    best: dict[int, tuple[float, int]] = {}
    for candidate in shown:
        evaluation = judged(candidate)
        if evaluation.feasible:
            grid = dungeon.palette.parse(candidate.level)
            cell = generator.cells.cell_of(generator.measuring.of(grid, evaluation))
            best[cell] = max(best.get(cell, (-1.0, 0)), (evaluation.fitness, -candidate.id))
    kept = [c for c in data["cells"] if c["feasible"]]
    assert len(kept) > 6
    assert {c["candidate"]: c["fitness"] for c in kept} == {-minus: fitness for fitness, minus in best.values()}
    places = [c["cell"] for c in data["cells"]]
    assert len(set(places)) == len(places)
    told = data["statistics"]
    assert told["elites"] == len(kept)
    assert told["coverage"] == pytest.approx(len(kept) / told["cells"])
    assert told["qd_score"] == pytest.approx(sum(c["fitness"] for c in kept))
    assert told["best"] == max(c["fitness"] for c in kept)


def test_a_cell_covers_its_part_of_the_ranges_and_the_outermost_all_beyond(dungeon: LevelContext) -> None:
    generator = made(dungeon)
    run(generator, 60)
    beyond = 0
    for cell in generator.archive()["cells"]:
        for place, value, axis in zip(cell["index"], cell["values"], generator.measuring.measures, strict=True):
            width = (axis.high - axis.low) / axis.cells
            assert value >= axis.low + place * width - 1e-6 or place == 0
            assert value <= axis.low + (place + 1) * width + 1e-6 or place == axis.cells - 1
            beyond += value > axis.high or value < axis.low
    assert beyond > 0


def test_cells_of_a_tessellation_lie_around_their_centres_and_are_alike_in_size() -> None:
    centres = spread((False, False), 50, 3)
    assert centres.shape == (50, 2)
    assert np.array_equal(centres, spread.__wrapped__((False, False), 50, 3)), "the same every time"
    points = np.random.default_rng(0).random((20_000, 2))
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    counts = np.bincount(nearest, minlength=50)
    assert counts.min() > 150 and counts.max() < 900
    archive = LevelArchive((Measure("cover", 0, 2, 1), Measure("score", -10, 10, 1)), "cvt", 50, 0, 3)
    for point in points[:50]:
        scaled = (2 * point[0], 20 * point[1] - 10)
        distance = ((archive.centroids - point) ** 2).sum(axis=1)
        assert archive.cell_of(scaled) == int(distance.argmin()), "whatever the scale of a measure"


def test_a_grid_s_neighbours_are_one_step_away() -> None:
    archive = LevelArchive((Measure("cover", 0, 1, 3), Measure("score", 0, 1, 4)), "grid", 0, 0, 1)
    assert archive.neighbours(0) == [4, 1]
    assert sorted(archive.neighbours(5)) == [1, 4, 6, 9]


@pytest.mark.parametrize(("name", "kept"), [("constrained-map-elites", True), ("map-elites", False)])
def test_only_constrained_archives_keep_and_breed_infeasible_levels(
    dungeon: LevelContext, name: str, kept: bool
) -> None:
    measures = "density:0..0.5:20, solution_length:20..80:4"
    generator = made(dungeon, name, measures=measures, **({"crowd": 2} if kept else {}))
    run(generator, 60)
    crowds = generator.cells.crowds
    assert bool(crowds) is kept
    for crowd in crowds.values():
        assert len(crowd) <= 2
        assert not any(e.evaluation.feasible for e in crowd)
        ranks = [e.evaluation.constraint for e in crowd]
        assert ranks == sorted(ranks, reverse=True)
    infeasible = [c for c in generator.archive()["cells"] if not c["feasible"]]
    assert bool(infeasible) is kept
    assert not any(c["cell"] in generator.cells.elites for c in infeasible)


def test_an_archive_without_a_feasible_level_is_bred_from_infeasible_ones(dungeon: LevelContext) -> None:
    generator = made(dungeon, "constrained-map-elites", fresh=0.0)
    origins = []
    for _ in range(40):
        candidates = generator.ask(1)
        verdict = judged(candidates[0])
        failed = Evaluation(False, 0.0, verdict.fitness, {}, {}, "static")
        generator.tell(candidates, [failed])
        origins.append(candidates[0].origin)
    assert set(origins[:15]) <= {"constructive", "ca"}
    assert set(origins[15 + 8 :]) <= {"mutation", "crossover", "resize"}
    assert generator.archive()["statistics"]["qd_score"] == 0


# -- measures ----------------------------------------------------------------------------------------------------------


def test_measures_are_metrics_sprites_and_mechanics(dungeon: LevelContext) -> None:
    text = "symmetry, key:0..4:5, solution_length, mechanic.key.*"
    found = [str(m) for m in parse_measures(text, dungeon.analysis, 7)]
    assert found == [
        "symmetry:0..1:7", "key:0..4:5", "solution_length:20..80:7", "mechanic.key.hero.collectResource:0..1:2",
    ]  # fmt: skip
    every = parse_measures("mechanic.*", dungeon.analysis, 7)
    assert [m.name for m in every] == [m.name for m in mechanics(dungeon.definition)]


def test_values_come_from_the_text_from_the_play_and_from_the_rules_that_take_effect(dungeon: LevelContext) -> None:
    game = load("dungeon")
    names = "density, key:0..4:5, solution_length, mechanic.key.hero.collectResource, mechanic.hero.monster.killSprite"
    measuring = Measuring(dungeon, parse_measures(names, dungeon.analysis, 10))
    text = "wwwwwww\nwA..k.w\nw.ww..w\nwk....d\nwwwwwdw"
    grid = dungeon.palette.parse(text)
    assert measuring.of_text(grid) == [pytest.approx(2 / 15), 2.0, None, None, None]
    evaluation = LevelEvaluator(game, min_length=1, min_kinds=0.1).evaluate(text, seed=1)
    assert evaluation.winner
    length = evaluation.metrics["solution_length"]
    assert measuring.of(grid, evaluation) == (pytest.approx(2 / 15), 2.0, length, 1.0, 0.0)
    unwon = Evaluation(False, 0.0, 0.3, {}, {}, "static")
    assert measuring.of(grid, unwon) == (pytest.approx(2 / 15), 2.0, 20.0, 0.0, 0.0), "not known counts as the lowest"


def test_archives_over_mechanics_have_two_cells_for_each(dungeon: LevelContext) -> None:
    generator = made(dungeon, measures="mechanic.*.hero.*, mechanic.hero.*")
    evaluator = LevelEvaluator(load("dungeon"), **CHEAP)
    candidates = generator.ask(8)
    generator.tell(candidates, [evaluator.evaluate(c.level, seed=1) for c in candidates])
    data = generator.archive()
    names = [m["name"] for m in data["measures"]]
    assert data["statistics"]["cells"] == 2 ** len(names) and len(names) > 3
    assert data["statistics"]["elites"] > 1
    for cell in data["cells"]:
        assert cell["index"] == [int(name in cell["mechanics"]) for name in names]


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("map-elites", {"measures": "densty"}, "did you mean `density`"),
        ("map-elites", {"measures": ""}, "expected as in density"),
        ("map-elites", {"measures": "density:0.5..0.5"}, "is empty"),
        ("map-elites", {"measures": "density:a..b"}, "cannot read the range"),
        ("map-elites", {"measures": "density:0..1:zero"}, "no number of cells"),
        ("map-elites", {"measures": "density,density"}, "twice"),
        ("map-elites", {"measures": "walls"}, "walls:0..20"),
        ("map-elites", {"measures": "mechanic.hero.wal.stepBack"}, "did you mean"),
        ("map-elites", {"measures": "mechanic.cat.*"}, "no mechanic"),
        ("map-elites", {"measures": "mechanic.*:3"}, "yes or no"),
        ("map-elites", {"measures": "mechanic.*, density, symmetry"}, "use cvt-map-elites"),
        ("cvt-map-elites", {"measures": "mechanic.key.*", "cells": 5}, "2 combinations"),
        ("map-elites", {"seeding": "evolve"}, "`evolve` learns from evaluations"),
        ("map-elites", {"seeding": "constructiv"}, "did you mean `constructive`"),
        ("map-elites", {"selection": "curious"}, "did you mean `curiosity`"),
        ("map-elites", {"min_width": 9, "max_width": 8}, "min_width"),
    ],
)
def test_mistakes_are_refused(dungeon: LevelContext, name: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(PcgError, match=message) as caught:
        make_generator(name, dungeon, seed=1, **params)
    assert str(caught.value).startswith("generator") or "unknown" in str(caught.value)


def test_without_pyribs_the_error_says_what_to_install(dungeon: LevelContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ribs.archives", None)
    with pytest.raises(PcgError, match=r"pip install 'pcg-toolkit\[qd\]'"):
        make_generator("map-elites", dungeon, seed=1)


# -- emitters ----------------------------------------------------------------------------------------------------------


def test_a_level_waits_for_the_verdict_on_the_one_delay_before_it(dungeon: LevelContext) -> None:
    generator = made(dungeon)
    first = generator.ask(100)
    assert len(first) == 8, "level 8 is bred with level 0 known"
    assert generator.ask(1) == []
    generator.tell(first[:3], [judged(c) for c in first[:3]])
    assert [c.id for c in generator.ask(100)] == [8, 9, 10]


def test_seeds_come_from_the_generators_named(dungeon: LevelContext) -> None:
    candidates = run(made(dungeon, seeding="random, ca", fresh=0.0), 30)
    assert {c.origin for c in candidates[:15]} == {"random", "ca"}
    assert {c.origin for c in candidates[15:]} <= {"mutation", "crossover"}


@pytest.fixture(scope="module")
def filled(dungeon: LevelContext) -> MapElitesGenerator:
    generator = made(dungeon)
    run(generator, 60)
    return generator


@pytest.mark.parametrize("how", [*SELECTIONS, "mixed"])
def test_parents_are_elites_and_favoured_as_the_selection_says(filled: MapElitesGenerator, how: str) -> None:
    archive, parent_statistics = filled.cells, ParentStatistics()
    cells = sorted(archive.elites)
    favoured = next(c for c in cells[3:] if any(n not in archive.elites for n in archive.neighbours(c)))
    for cell in cells:
        for _ in range(200 if cell != favoured else 0):
            parent_statistics.choose(cell)
            parent_statistics.reward(cell, False)
        parent_statistics.reward(favoured, True)
    rng = np.random.default_rng(1)
    drawn = [select(archive, parent_statistics, how, rng)[0] for _ in range(300)]
    assert set(drawn) <= set(cells)
    share = drawn.count(favoured) / len(drawn)
    assert share < 1.5 / len(cells) if how == "uniform" else share > 1.5 / len(cells)
    if how == "frontier":
        edge = [c for c in cells if any(n not in archive.elites for n in archive.neighbours(c))]
        assert set(drawn) <= set(edge)


def test_of_several_children_one_near_empty_cells_is_taken(dungeon: LevelContext) -> None:
    measures = parse_measures("density:0..0.5:20, solution_length:20..80:1", dungeon.analysis, 1)
    measuring = Measuring(dungeon, measures)
    archive = LevelArchive(measures, "grid", 0, 0, 1)
    level = make_generator("constructive", dungeon, seed=2).ask(1)[0].level
    verdict = Evaluation(True, 0.5, 1.0, {}, {"solution_length": 30.0}, "complete", "solver")
    grid = dungeon.palette.parse(level)
    parent = Elite(Candidate(0, level, "test"), verdict, measuring.of(grid, verdict))
    for cell in range(archive.cell_of(parent.values) + 1):
        archive.add(Elite(Candidate(1 + cell, level, "test"), verdict, (0.025 * cell + 0.01, 30.0)))
    denser = {}
    for tries in (1, 8):
        breeding = Breeding(made(dungeon, crossover=0.0, edits=4, resize=0.0, tries=tries), measuring)
        children = [breeding.child(parent, parent, archive, np.random.default_rng(k))[0] for k in range(25)]
        values = [measuring.of_text(dungeon.palette.parse(c)) for c in children]
        cells = [archive.cell_of((v[0] or 0.0, 30.0)) for v in values]
        denser[tries] = sum(c not in archive.elites for c in cells)
    assert denser[8] > denser[1] + 3


@pytest.mark.parametrize("game", ["boxes", "crossing", "digger", "invaders", "portals", "survival"])
def test_every_kind_of_game_can_be_illuminated(game: str) -> None:
    context = LevelContext.of(load(game))
    generator = made(context, "constrained-map-elites", measures="cover:0..1:10, solution_length")
    for candidate in run(generator, 25):
        assert check_level(candidate.level, context.definition, reading="strict") == []
    assert generator.archive()["statistics"]["elites"] > 2


def test_games_of_the_corpus_can_be_illuminated(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    for name in ("aliens", "sokoban", "zelda", "frogs", "boulderdash", "painter"):
        context = LevelContext.of(load(folder / f"{name}.txt", reading="gvgai"))
        generator = made(context, "constrained-map-elites", measures="cover:0..1:10, solution_length")
        levels = {c.level for c in run(generator, 18)}
        assert len(levels) > 12, name
    made(context, "cvt-map-elites", measures="mechanic.*, cover", cells=30)


# -- runs --------------------------------------------------------------------------------------------------------------

RUN = LevelRun(
    "boxes", generator="constrained-map-elites", count=4, seed=7, evaluations=44, checkpoint=9,
    generator_parameters={**FAST, "measures": "cover:0..0.6:8, solution_length:5..45:8", "delay": 16},
    evaluation_parameters=CHEAP,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    seen: list[float] = []
    result = run_levels(RUN, folder, workers=2, progress=lambda state: seen.append(state.statistics["coverage"]))
    assert result.evaluations == 44 and 0 < seen[-1] <= result.statistics["coverage"]
    return folder


@pytest.mark.fuzz
def test_killed_at_twenty_random_moments_a_run_ends_with_the_same_files(whole: Path, tmp_path: Path) -> None:
    logged = kill_and_resume(RUN, tmp_path / "run", whole, kills=20)
    assert len(logged) == 20 and logged == sorted(logged)
    assert files(tmp_path / "run") == files(whole)


def test_a_run_folder_holds_the_archive_and_its_statistics(whole: Path) -> None:
    data = json.loads((whole / "archive.json").read_text())
    assert set(data) == {"kind", "measures", "cells", "statistics"}
    assert [m["name"] for m in data["measures"]] == ["cover", "solution_length"]
    events = [json.loads(line) for line in (whole / "events.jsonl").read_text().splitlines()]
    for cell in data["cells"]:
        event = events[cell["candidate"]]
        same = ("level", "fitness", "feasible", "metrics", "play", "seed", "winner", "origin", "mechanics")
        assert all(event[key] == cell[key] for key in same)
    told = json.loads((whole / "summary.json").read_text())["archive"]
    assert told == data["statistics"]
    assert told["elites"] == sum(c["feasible"] for c in data["cells"]) > 5


def test_the_map_of_an_archive_shows_its_feasible_cells(whole: Path) -> None:
    data = json.loads((whole / "archive.json").read_text())
    only_crowds = {**data, "cells": [{**cell, "feasible": False} for cell in data["cells"]]}
    assert f"{data['statistics']['elites']} of 64 cells filled" in archive_map(data)
    assert "0 of 64 cells filled" in archive_map(only_crowds)


def test_without_a_checkpoint_the_archive_is_replayed_from_the_log(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / "checkpoint.json").unlink()
    (tmp_path / "run" / "archive.json").unlink()
    resume(tmp_path / "run", workers=1)
    assert files(tmp_path / "run") == files(whole)
