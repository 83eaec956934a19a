"""The page of a run: what it shows, what the editor asks for, and what it refuses."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import os
import re
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from starlette.testclient import TestClient
from tiers import examples

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging.level_parts import PARTS
from pcg.runs import LevelRun, run_levels
from pcg.web.archive import archive_app
from pcg.web.guard import LARGEST_BODY, Refused
from pcg.web.heatmap import Axis, heatmap
from pcg.web.level_editor import Bench, LevelEditor
from pcg.web.run_levels import Entry, Measure, Points, RunFolder

WINNABLE = "wwwwwwwww\nw..www..w\nw.b...o.w\nw..A....w\nw.bo....w\nw.......w\nwwwwwwwww"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run, made once."""
    folder = tmp_path_factory.mktemp("runs") / "boxes"
    config = LevelRun("boxes", "constructive", count=3, evaluations=10, seed=1, evaluation_parameters={"min_length": 5})
    run_levels(config, folder, workers=1)
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be changed."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.fixture
def client(folder: Path) -> Any:
    with TestClient(archive_app(folder), base_url="http://localhost") as client:
        yield client


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def make_archive(folder: Path) -> list[dict[str, Any]]:
    """Give the run an archive as quality-diversity generators write it."""
    best = [e for e in events(folder) if e["feasible"]]
    assert len(best) >= 2, "the run of the fixture has feasible levels"
    cells = [
        {
            "index": [k, 3 - k],
            "fitness": e["fitness"],
            "feasible": True,
            "metrics": e["metrics"],
            "level": e["level"],
            "candidate": e["id"],
        }
        for k, e in enumerate(best[:3])
    ]
    measures = [
        {"name": "coverage", "low": 0.0, "high": 1.0, "cells": 4},
        {"name": "solution_length", "low": 0.0, "high": 200.0, "cells": 4},
    ]
    (folder / "archive.json").write_text(json.dumps({"measures": measures, "cells": cells}))
    return cells


def point(
    key: str, feasible: bool, fitness: float, metrics: dict[str, float], cell: tuple[int, ...] | None = None
) -> Entry:
    return Entry(key, key, "", feasible, fitness, 1.0, {}, metrics, cell=cell)


# -- the map -----------------------------------------------------------------------------------------------------------


def test_an_axis_made_from_values_has_round_edges_and_holds_them_all() -> None:
    for values in ([0.21, 0.58, 0.6], [24, 31, 88], [3, 3, 5], [-1e-4, 2e-4], [1e6, 5e6], [7]):
        axis = Axis.of_values("m", [float(v) for v in values])
        assert 1 <= axis.cells <= 12
        assert axis.edges[0] <= min(values)
        assert axis.edges[-1] >= max(values)
        for value, k in zip(values, axis.indices(np.array(values, float)), strict=True):
            assert axis.edges[k] - 1e-9 <= value <= axis.edges[k + 1] + 1e-9
    assert Axis.of_values("n", [3.0, 5.0]).edges == (3.0, 4.0, 5.0, 6.0)  # a cell for each whole number


def test_the_best_feasible_level_of_a_cell_comes_first() -> None:
    points = Points.of([
        point("bad", False, 0.0, {"a": 1.0, "b": 1.0}),
        point("good", True, 0.3, {"a": 1.0, "b": 1.0}),
        point("best", True, 0.9, {"a": 1.0, "b": 1.0}),
        point("other", True, 0.5, {"a": 2.0, "b": 1.0}),
        point("lacking", True, 0.5, {"a": 2.0}),
    ])  # fmt: skip
    made = heatmap(points, (), "a", "b")
    assert [cell["keys"] for cell in made["cells"]] == [["best", "good", "bad"], ["other"]]
    assert made["left_out"] == 1
    with pytest.raises(Refused, match="no level here has a measure 'c'"):
        heatmap(points, (), "c", "b")


def test_an_archive_brings_its_own_grid() -> None:
    measures = (Measure("a", 0.0, 1.0, 4), Measure("b", 0.0, 10.0, 5), Measure("c", 0.0, 1.0, 2))
    points = Points.of([point("x", True, 0.5, {"a": 0.99, "b": 1.0, "c": 0.1}, (3, 0, 0)),
              point("y", True, 0.7, {"a": 0.99, "b": 1.0, "c": 0.9}, (3, 0, 1))])  # fmt: skip
    made = heatmap(points, measures)
    assert made["x"] == {"name": "a", "edges": [0.0, 0.25, 0.5, 0.75, 1.0]}
    assert [(c["i"], c["j"], c["keys"]) for c in made["cells"]] == [(3, 0, ["y", "x"])]
    assert [(c["i"], c["j"]) for c in heatmap(points, measures, "c", "b")["cells"]] == [(0, 0), (1, 0)]


def test_no_levels_make_an_empty_map() -> None:
    assert heatmap(Points.of([]), ())["cells"] == []


def test_the_page_and_all_it_loads_are_there(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "boxes" in page.text
    paths = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    assert len(paths) >= 3
    for path in [*paths, "/static/map.js", "/static/editor.js", "/static/api.js", "/static/player/replay.js",
                 "/static/player/board.js", "/static/player/player.js", "/api/tiles.png"]:  # fmt: skip
        assert client.get(path).status_code == 200, path
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert not re.search(r"https?://", page.text)


def test_the_report_runs_only_the_script_it_was_written_with(client: TestClient, folder: Path) -> None:
    answer = client.get("/report")
    assert answer.status_code == 200
    assert answer.text.count("<script>") == 1
    script = re.search(r"<script>(.*?)</script>", answer.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert answer.headers.get_list("content-security-policy") == [
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ]
    kept = json.loads((folder / "levels" / "index.json").read_text())["levels"]
    assert [f'href="./#kept-{k}/edit"' in answer.text for k in range(len(kept) + 1)] == [True] * len(kept) + [False]


def test_a_run_of_any_generator_is_shown_over_its_metrics(client: TestClient, folder: Path) -> None:
    data = client.get("/api/archive").json()
    index = json.loads((folder / "levels" / "index.json").read_text())["levels"]
    assert data["show"] == "kept"
    assert data["groups"]["tried"] == 10 or data["groups"]["tried"] == len(events(folder))
    assert sum(cell["levels"] for cell in data["cells"]) + data["left_out"] >= len(index)
    names = [n["name"] for n in data["names"]]
    assert "coverage" in names
    assert names[-1] == "fitness"
    other = client.get("/api/archive", params={"show": "tried", "x": "cover", "y": "fitness"}).json()
    assert other["x"]["name"] == "cover"
    assert sum(cell["levels"] for cell in other["cells"]) + other["left_out"] == len(events(folder))


def test_an_archive_is_shown_by_its_cells_and_knows_the_plays(client: TestClient, folder: Path) -> None:
    cells = make_archive(folder)
    data = client.get("/api/archive").json()
    assert data["show"] == "cell"
    assert {(c["i"], c["j"]) for c in data["cells"]} == {tuple(c["index"]) for c in cells}
    first = client.get("/api/levels/cell-0-3").json()
    logged = events(folder)[cells[0]["candidate"]]
    assert first["level"] == logged["level"]
    assert first["ticks"] == len(logged["play"]) > 0
    frames = client.get("/api/levels/cell-0-3/replay").json()["frames"]
    assert frames[-1]["winner"] == 1


def test_an_archive_that_is_no_grid_is_put_by_its_values(client: TestClient, folder: Path) -> None:
    cells = make_archive(folder)
    data = json.loads((folder / "archive.json").read_text())
    placed = [{**c, "index": [k], "values": [0.1 + 0.3 * k, 50.0]} for k, c in enumerate(cells)]
    (folder / "archive.json").write_text(json.dumps({**data, "kind": "cvt", "cells": placed}))
    shown = client.get("/api/archive").json()["cells"]
    assert [(c["i"], c["j"]) for c in shown] == [(k, 1) for k in range(len(cells))]
    assert client.get("/api/levels/cell-1").json()["level"] == cells[1]["level"]


def test_a_level_is_shown_with_its_picture_measures_and_winning_play(client: TestClient, folder: Path) -> None:
    entry = client.get("/api/levels/kept-0").json()
    assert entry["level"] + "\n" == (folder / "levels" / "lvl0.txt").read_text()
    assert {m["name"] for m in entry["metrics"]} >= {"coverage", "cover"}
    assert all(m["help"] for m in entry["metrics"])
    assert [part["name"] for part in entry["parts"]] == list(PARTS) and all(p["sentence"] for p in entry["parts"])
    again = client.post("/api/evaluate", json={"level": entry["level"]}).json()
    assert again["fitness"] == entry["fitness"] and again["parts"] == entry["parts"]
    image = Image.open(io.BytesIO(client.get("/api/levels/kept-0/picture.png").content))
    rows = entry["level"].split("\n")
    assert image.size == (16 * len(rows[0]), 16 * len(rows))
    play = client.get("/api/levels/kept-0/replay").json()
    assert len(play["frames"]) == entry["ticks"] + 1
    assert play["frames"][-1]["winner"] == 1


def test_a_run_with_wants_tells_which_are_achieved(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "wants": ["box=2..3", "enemies=0"]}))
    index = json.loads((folder / "levels" / "index.json").read_text())
    index["levels"][0] |= {"wants": {"box": 1.0, "enemies": 0.5}, "mechanics": ["mechanic.hero.wall.stepBack"]}
    (folder / "levels" / "index.json").write_text(json.dumps(index))
    with TestClient(archive_app(folder), base_url="http://localhost") as client:
        assert "Wanted: box=2..3, enemies=0." in client.get("/").text
        entry = client.get("/api/levels/kept-0").json()
        assert entry["wants"] == {"box": True, "enemies": False}
        assert entry["mechanics"] == ["mechanic.hero.wall.stepBack"]


def test_a_level_file_that_is_missing_is_named(folder: Path) -> None:
    (folder / "levels" / "lvl0.txt").unlink()
    with pytest.raises(PcgError, match=r"cannot read .*lvl0\.txt"):
        RunFolder(folder)


def test_the_page_follows_a_run_that_goes_on(client: TestClient, folder: Path) -> None:
    before = client.get("/api/archive", params={"show": "tried"}).json()["groups"]["tried"]
    event = {**events(folder)[0], "id": before}
    with open(folder / "events.jsonl", "a", encoding="utf-8") as log:
        log.write(json.dumps(event) + "\n" + '{"id": 11, "torn')
    assert client.get("/api/archive").json()["groups"]["tried"] == before + 1
    assert client.get(f"/api/levels/tried-{before}").json()["level"] == event["level"]


# -- bad addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/api/levels/kept-99", "/api/levels/tried-99999", "/api/levels/tried--1", "/api/levels/nonsense",
        "/api/levels/..%2f..%2frun.json", "/api/levels/%2e%2e/picture.png", "/static/..%2f..%2fserving.py",
        "/static/player/..%2fserver.py", "/api/levels/kept-0/nothing", "/nothing", "/sheets/nothing.png",
    ],
)  # fmt: skip
def test_what_is_not_there_is_404_with_one_message(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "Traceback" not in response.text
    assert "/" not in response.json()["error"][:1] if path.startswith("/api") else response.text


def test_a_level_without_a_play_has_no_replay(client: TestClient, folder: Path) -> None:
    lost = next((e["id"] for e in events(folder) if not e["play"]), None)
    assert lost is not None, "some level of the run was not won"
    response = client.get(f"/api/levels/tried-{lost}/replay")
    assert response.status_code == 404
    assert "no winning play" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/api/archive?show=attic", "no levels called 'attic'"),
        ("/api/archive?x=beauty", "no level here has a measure 'beauty'"),
        ("/api/blank?width=abc&height=9", "expected a whole number"),
        ("/api/blank?width=2&height=9", "expected 6 to 100"),
        ("/api/blank?width=101&height=9", "expected 6 to 100"),
    ],
)
def test_bad_questions_are_400_with_one_message(client: TestClient, path: str, message: str) -> None:
    response = client.get(path)
    assert response.status_code == 400
    assert message in response.json()["error"]


def test_requests_from_elsewhere_are_refused(client: TestClient) -> None:
    body = {"level": WINNABLE}
    assert client.post("/api/check", json=body, headers={"origin": "https://elsewhere.example"}).status_code == 403
    assert client.post("/api/check", json=body, headers={"origin": "null"}).status_code == 403
    assert client.post("/api/check", json=body, headers={"origin": "http://localhost"}).status_code == 200
    assert client.post("/api/check", json=body).status_code == 200
    assert client.get("/", headers={"host": "elsewhere.example"}).status_code == 400
    assert client.get("/", headers={"host": "[::1]:8350"}).status_code == 200
    form = {"content-type": "text/plain"}
    assert client.post("/api/check", content=json.dumps(body), headers=form).status_code == 415


def test_large_requests_are_refused_however_they_are_sent(client: TestClient) -> None:
    assert client.post("/api/check", json={"level": "w" * LARGEST_BODY}).status_code == 413

    def chunks() -> Any:
        for _ in range(40):
            yield b"x" * 10_000

    sent = client.post("/api/check", content=chunks(), headers={"content-type": "application/json"})
    assert sent.status_code == 413


# -- the editor --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "no JSON text"),
        (b"[1]", "expected an object"),
        (b"{}", "`level` is missing, expected a text"),
        (b'{"level": 3}', "`level` is 3, expected a text"),
        (b'{"level": ""}', "the level is empty"),
        (b'{"level": "www\\nww"}', "row 2 has 2 cells, expected 3"),
        (b'{"level": "%s"}' % (b"w" * 101), "at most 100 x 100"),
    ],
)
@pytest.mark.parametrize("path", ["/api/check", "/api/evaluate", "/api/drawn", "/api/play"])
def test_bad_levels_are_400_with_one_message(client: TestClient, path: str, body: bytes, message: str) -> None:
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400
    if path == "/api/play" and "missing" in message:
        message = "expected either `key`"
    assert message in response.json()["error"]


def test_a_drawing_is_checked_with_places(client: TestClient) -> None:
    assert client.post("/api/check", json={"level": WINNABLE}).json() == {"found": []}
    (found,) = client.post("/api/check", json={"level": WINNABLE.replace("o.w\n", "?.w\n", 1)}).json()["found"]
    assert (found["severity"], found["row"], found["column"]) == ("error", 3, 7)


def test_a_drawing_is_judged_and_the_failing_constraint_is_named(client: TestClient) -> None:
    good = client.post("/api/evaluate", json={"level": WINNABLE}).json()
    assert good["winner"]
    no_goal = client.post("/api/evaluate", json={"level": WINNABLE.replace("b", ".").replace("o", ".")}).json()
    assert not no_goal["feasible"]
    assert [f["name"] for f in no_goal["failed"]][:1] == ["goal"]
    assert "what winning needs" in no_goal["failed"][0]["help"]
    unknown = client.post("/api/evaluate", json={"level": WINNABLE.replace("A", "?")}).json()
    assert [f["name"] for f in unknown["failed"]] == ["check"]


def test_wants_are_achieved_or_missed(client: TestClient) -> None:
    judged = client.post("/api/evaluate", json={"level": WINNABLE, "wants": "box=2, solution_length>=300"}).json()
    assert judged["wants"] == {"box": True, "solution_length": False}
    bad = client.post("/api/evaluate", json={"level": WINNABLE, "wants": "bxo=2"})
    assert bad.status_code == 400
    assert "bxo" in bad.json()["error"]


def test_generators_that_can_complete_take_their_share(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Filling:
        name, help = "filling", "ground everywhere"

        def __init__(self, context: Any, *, seed: int) -> None:
            self.context = context

        def complete(self, grid: Any, locked: Any, rng: Any) -> Any:
            filled = grid.copy()
            filled[~locked] = self.context.palette.empty
            return filled

    class Refusing(Filling):
        name = "refusing"

        def complete(self, grid: Any, locked: Any, rng: Any) -> Any:
            raise PcgError("nothing fits")

    def drafted(context: Any, partial: str, locked: Any, rng: Any, wants: Any, **limits: Any) -> tuple[str, ...]:
        drafts.append(partial)
        return (WINNABLE,)

    drafts: list[str] = []
    monkeypatch.setattr("pcg.web.completers.GENERATORS", {"filling": Filling, "refusing": Refusing})
    monkeypatch.setattr("pcg.web.completers.complete_draft", drafted)
    editor = LevelEditor(RunFolder(folder).game)
    made = editor.complete(WINNABLE, locked_rows(WINNABLE, {(3, 3)}), count=6)
    sources = [one["source"] for one in made["suggestions"]]
    assert sorted(sources) == ["constructive"] * 4 + ["filling", "solver"]  # the same level twice is one suggestion
    assert made["notes"] == ["refusing: nothing fits"]
    assert [draft.count("?") for draft in drafts] == [62, 0]  # all that is not locked is open, or nothing is


def locked_rows(level: str, cells: set[tuple[int, int]]) -> list[str]:
    rows = level.split("\n")
    return ["".join("1" if (y, x) in cells else "0" for x in range(len(row))) for y, row in enumerate(rows)]


def test_completions_keep_the_locked_cells_and_differ(client: TestClient) -> None:
    cells = {(2, 2), (3, 3), (4, 3), (1, 4)}
    body = {"level": WINNABLE, "locked": locked_rows(WINNABLE, cells), "count": 5}
    made = client.post("/api/complete", json=body).json()["suggestions"]
    assert len(made) == 5
    assert len({one["level"] for one in made}) == 5
    for one in made:
        rows = one["level"].split("\n")
        assert all(rows[y][x] == WINNABLE.split("\n")[y][x] for y, x in cells)
        assert client.post("/api/check", json={"level": one["level"]}).json()["found"] == []
    assert client.post("/api/complete", json=body).json()["suggestions"] == made
    assert client.post("/api/complete", json={**body, "seed": 1}).json()["suggestions"] != made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"locked": ["0"]}, "`locked` must be 7 texts of 9 characters"),
        ({"locked": ["2" * 9] * 7}, "`locked` must be 7 texts"),
        ({"locked": [0] * 7}, "`locked` must be 7 texts"),
        ({"locked": "0"}, "expected a list"),
        ({"count": 99}, "expected 1 to 12"),
        ({"count": True}, "expected a whole number"),
        ({"wants": "enemies=few"}, "enemies=few"),
        ({"level": WINNABLE.replace("A", "%")}, "no tile of this game"),
    ],
)
def test_bad_completions_are_400_with_one_message(client: TestClient, change: dict[str, Any], message: str) -> None:
    body = {"level": WINNABLE, "locked": ["0" * 9] * 7, **change}
    response = client.post("/api/complete", json=body)
    assert response.status_code == 400
    assert message in response.json()["error"]


def test_a_drawing_is_saved_shown_and_loads_as_a_level_of_the_game(client: TestClient, folder: Path) -> None:
    saved = client.post("/api/drawn", json={"level": WINNABLE, "title": "  my <b>first</b>  level "})
    assert saved.status_code == 201
    assert saved.json()["title"] == "my <b>first</b> level"
    assert client.post("/api/drawn", json={"level": WINNABLE}).json()["key"] == "drawn-1"
    assert [e["key"] for e in client.get("/api/drawn").json()["levels"]] == ["drawn-0", "drawn-1"]
    assert client.get("/api/levels/drawn-0").json()["level"] == WINNABLE
    assert "<b>" not in client.get("/").text
    game = pcg.load(folder / "drawn" / "game.vgdl")
    assert [text.strip("\n") for text in game.levels] == [WINNABLE] * 2


def test_only_levels_of_the_game_are_saved_and_only_inside_the_run(client: TestClient, folder: Path) -> None:
    refused = client.post("/api/drawn", json={"level": WINNABLE.replace("A", "?"), "title": "x"})
    assert refused.status_code == 400
    assert "not saved" in refused.json()["error"]
    assert client.post("/api/drawn", json={"level": WINNABLE, "title": "x" * 61}).status_code == 400
    outside = folder.parent / "outside"
    outside.mkdir()
    os.symlink(outside, folder / "drawn")
    refused = client.post("/api/drawn", json={"level": WINNABLE, "title": "../x"})
    assert refused.status_code == 409
    assert list(outside.iterdir()) == []


def test_levels_and_drawings_can_be_played(client: TestClient) -> None:
    for body in ({"key": "kept-0"}, {"level": WINNABLE}):
        play = client.post("/api/play", json=body)
        assert play.status_code == 201
        assert client.get(play.json()["page"]).status_code == 200
        with client.websocket_connect(f"ws://localhost{play.json()['socket']}") as socket:
            welcome = json.loads(socket.receive_text())
            assert welcome["type"] == "welcome"
            assert welcome["frame"]["put"]
    assert client.post("/api/play", json={"key": "kept-0", "level": WINNABLE}).status_code == 400
    assert client.post("/api/play", json={"key": "kept-99"}).status_code == 404
    assert client.post("/api/play", json={"level": WINNABLE.replace("A", "?")}).status_code == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12) | st.just(WINNABLE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
BODIES = st.dictionaries(
    st.sampled_from(["level", "locked", "count", "wants", "seed", "key", "title"]), JSON, max_size=5
)  # fmt: skip


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(["check", "evaluate", "complete", "drawn", "play"]), body=BODIES)
def test_whatever_is_sent_is_done_or_refused_with_one_message(client: TestClient, path: str, body: Any) -> None:
    """An error of ours would be raised by the test client."""
    sent = json.dumps(body)  # with Infinity, which Python's reader takes
    response = client.post(f"/api/{path}", content=sent, headers={"content-type": "application/json"})
    assert response.status_code < 500
    if response.status_code >= 400:
        assert response.json()["error"]


# -- limits ------------------------------------------------------------------------------------------------------------


def test_work_that_hangs_is_given_up_and_more_than_can_wait_is_refused() -> None:
    bench, gate = Bench(workers=1, waiting=1, limit_s=0.05), threading.Event()

    async def ask() -> None:
        hanging = [asyncio.create_task(bench.run(lambda: gate.wait(120))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="busy") as busy:
            await bench.run(lambda: None)
        assert busy.value.status == 429
        for task in hanging:
            with pytest.raises(Refused, match="longer than") as late:
                await task
            assert late.value.status == 408
        gate.set()

    try:
        asyncio.run(ask())
    finally:
        gate.set()
        bench.close()


def test_other_requests_are_answered_while_an_evaluation_runs(folder: Path) -> None:
    gate, entered = threading.Event(), threading.Event()

    def slow(self: LevelEditor, text: str, wants: str = "") -> dict[str, Any]:
        entered.set()
        gate.wait(120)
        return {}

    original = LevelEditor.judge
    LevelEditor.judge = slow  # type: ignore[method-assign]
    try:
        with TestClient(archive_app(folder), base_url="http://localhost") as other:
            asker = threading.Thread(target=lambda: other.post("/api/evaluate", json={"level": WINNABLE}))
            asker.start()
            assert entered.wait(120)
            assert other.post("/api/check", json={"level": WINNABLE}).status_code == 200
            assert other.get("/api/archive").status_code == 200
            gate.set()
            asker.join()
    finally:
        gate.set()
        LevelEditor.judge = original  # type: ignore[method-assign]


# -- folders -----------------------------------------------------------------------------------------------------------


def test_folders_that_are_no_runs_are_refused_with_one_message(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(PcgError, match="is no folder"):
        RunFolder(tmp_path / "nothing")
    with pytest.raises(PcgError, match=r"no run\.json"):
        RunFolder(tmp_path)
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "kind": "tournament"}))
    with pytest.raises(PcgError, match="kind 'tournament'"):
        RunFolder(folder)


@pytest.mark.parametrize("text", ["{", '{"measures": []}', '{"measures": [], "cells": [{"index": 3}]}', "[]"])
def test_a_damaged_archive_is_named(folder: Path, text: str) -> None:
    (folder / "archive.json").write_text(text)
    with pytest.raises(PcgError, match=r"archive\.json is damaged"):
        RunFolder(folder)


def test_an_archive_damaged_later_is_told_to_the_page(client: TestClient, folder: Path) -> None:
    (folder / "archive.json").write_text("{")
    response = client.get("/api/archive")
    assert response.status_code == 400
    assert "archive.json is damaged" in response.json()["error"]


def test_a_run_without_levels_of_its_own_still_opens(folder: Path) -> None:
    shutil.rmtree(folder / "levels")
    shutil.rmtree(folder / "infeasible", ignore_errors=True)
    (folder / "events.jsonl").write_text("")
    for path in (folder / "game").glob("lvl*.txt"):
        path.unlink()
    with TestClient(archive_app(folder), base_url="http://localhost") as client:
        assert client.get("/").status_code == 200
        assert client.get("/api/archive").json()["cells"] == []
