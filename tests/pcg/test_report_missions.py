"""Pictures of missions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pcg.generators.levels.grammar.mission import Mission
from pcg.report import write_report
from pcg.report.figures.missions import draw_mission, places
from pcg.runs import LevelRun, resume, run_levels


def mission() -> Mission:
    made = Mission()
    for n, symbol in enumerate(("start", "room", "lock", "goal", "key")):
        made.graph.add_node(n, symbol=symbol, sprite="coin" if symbol == "goal" else "")
    for a, b, kind in ((0, 1, "->"), (1, 2, "->"), (2, 3, "->"), (1, 4, "->"), (4, 2, "=>")):
        made.graph.add_edge(a, b, kind)
    return made


def test_nodes_stand_by_their_depth_and_nowhere_twice() -> None:
    at = places(mission())
    assert {n: x for n, (x, _) in at.items()} == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0, 4: 2.0}
    assert len(set(at.values())) == 5
    assert at[1][1] == (at[2][1] + at[4][1]) / 2


def test_a_picture_names_what_is_in_the_mission_and_is_always_the_same() -> None:
    drawn = draw_mission(mission())
    assert drawn == draw_mission(mission().to_json())
    for word in ("start", "lock", "key", "goal", "coin"):
        assert f">{word}<" in drawn
    assert drawn.startswith("<svg")
    assert draw_mission(mission(), standalone=True).startswith("<?xml")


QUICK = {"nodes": 4000, "budget": 60, "planner_budget": 100, "weak_plays": 1}


@pytest.mark.full
@pytest.mark.parametrize(
    ("generator", "parameters"),
    [("grammar", {}), ("ge", {"population": 6, "offspring": 6, "tries": 2})],
)
def test_the_page_of_a_run_shows_the_mission_beside_every_level(
    tmp_path: Path, generator: str, parameters: dict[str, int]
) -> None:
    data = {
        "run": {"game": "dungeon", "generator": generator, "count": 2, "seed": 3},
        "budget": {"evaluations": 8},
        "generator": parameters,
        "evaluation": QUICK,
    }
    run_levels(LevelRun.from_mapping(data, "test"), tmp_path / "run", workers=1)
    page = write_report(tmp_path / "run").read_text()
    shown = [
        entry
        for place in ("levels", "infeasible")
        if (index := tmp_path / "run" / place / "index.json").exists()
        for entry in json.loads(index.read_text())["levels"]
    ]
    assert len(shown) == 2 and page.count("Its mission") == 2
    for entry in shown:
        mission = Mission.from_json(entry["mission"])
        assert mission.problem() == "" and draw_mission(mission) in page

    # a killed run goes on to the same bytes, with or without its checkpoint
    whole = {name: (tmp_path / "run" / name).read_bytes() for name in ("events.jsonl", "summary.json")}
    index = sorted((tmp_path / "run").glob("*/index.json"))
    kept = {path: path.read_bytes() for path in index}
    (tmp_path / "run" / "events.jsonl").write_bytes(b"".join(whole["events.jsonl"].splitlines(keepends=True)[:5]))
    (tmp_path / "run" / "checkpoint.json").unlink()
    resume(tmp_path / "run", workers=1)
    assert {name: (tmp_path / "run" / name).read_bytes() for name in whole} == whole
    assert {path: path.read_bytes() for path in sorted((tmp_path / "run").glob("*/index.json"))} == kept


def test_runs_of_other_generators_have_no_missions(tmp_path: Path) -> None:
    data = {
        "run": {"game": "dungeon", "generator": "constructive", "count": 1, "seed": 1},
        "budget": {"evaluations": 1},
        "evaluation": QUICK,
    }
    run_levels(LevelRun.from_mapping(data, "test"), tmp_path / "run", workers=1)
    assert "Its mission" not in write_report(tmp_path / "run").read_text()
