"""The studio's runs: what a page begins is what the command does, nothing is lost when it is killed, and marks stay."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from run_folders import files
from starlette.testclient import TestClient

import pcg
from pcg.runs import LevelRun, run_levels
from pcg.runs.store import read_json
from pcg.studio import studio_app
from pcg.studio.app import StudioSite
from pcg.studio.commands import Choice, command_line, sliders
from pcg.studio.workspace import Workspace
from pcg.web.guard import Refused
from pcg.web.marks import Marks

CHOICE = {"what": "levels", "game": "boxes", "generator": "constructive", "count": 2, "seed": 3, "budget": 6}
PATIENCE_S = 240.0


def client(folder: Path, **options: Any) -> TestClient:
    return TestClient(studio_app(pcg.load("boxes"), folder=folder, **options), base_url="http://localhost")


def wait(true: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run."""
    folder = tmp_path_factory.mktemp("studio")
    config = LevelRun("boxes", "constructive", count=3, evaluations=10, seed=1, evaluation_parameters={"min_length": 5})
    run_levels(config, folder / "run", workers=1)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    import shutil

    return Path(shutil.copytree(made, tmp_path / "studio"))


# -- choices and commands ----------------------------------------------------------------------------------------------


def test_a_choice_is_a_command_that_the_command_line_takes(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    data = {**CHOICE, "what": "course", "wants": "loops>=1", "unit": "s", "sketch": "www\nwA?\nwww"}
    arguments = Choice.read(data).arguments(workspace, "out")
    assert arguments[:3] == ["levels", "boxes", "--progression"]
    assert arguments[arguments.index("--budget") + 1] == "6s"
    sketch = tmp_path / arguments[arguments.index("--sketch") + 1]
    assert sketch.read_text() == "www\nwA?\nwww\n"
    assert shlex.split(command_line(arguments)) == ["pcg", *arguments]
    evolve = Choice.read({"what": "games", "game": "boxes", "others": ["hunt"], "wants": "left out"})
    assert evolve.arguments(workspace, "out")[:4] == ["games", "evolve", "boxes", "hunt"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"what": "cakes", "game": "boxes"}, "`what` is 'cakes'"),
        ({"game": 5}, "`game` is 5, expected a text"),
        ({"game": "boxes", "budget": 0}, "`budget` is 0"),
        ({"game": "boxes", "budget": 10**9}, "larger than"),
        ({"game": "boxes", "unit": "years"}, "`unit` is 'years'"),
        ({"game": "boxes", "others": [1]}, "no name of a game"),
        ({"game": "../boxes"}, "there is no game"),
    ],
)
def test_bad_choices_are_refused(tmp_path: Path, data: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        Choice.read(data).arguments(Workspace(tmp_path), "out")


def test_every_slider_has_a_range_and_makes_a_want_that_is_read() -> None:
    from pcg.evaluators.analysis import analyse
    from pcg.evaluators.target_parsing import parse_targets

    analysis = analyse(pcg.load("dungeon").definition)
    for one in sliders():
        assert one["low"] < one["high"] and one["step"] > 0, one
        for kind in (">=", "<=", "="):
            assert parse_targets(f"{one['name']}{kind}{one['high']:g}", analysis)


@pytest.mark.full
def test_a_run_of_the_page_and_its_command_write_the_same_bytes(tmp_path: Path) -> None:
    text = str(pcg.load("boxes").definition.source)
    with client(tmp_path) as page:
        draft = {"name": "mine", "text": text, "levels": list(pcg.load("boxes").levels)}
        assert page.post("/api/draft", json=draft).status_code == 200
        begun = page.post("/api/runs", json={**CHOICE, "game": "mine"}).json()
        # a change after the beginning is no part of the run, nor of its command
        page.post("/api/draft", json={**draft, "text": text.replace("BROWN", "RED")})
        state = wait(lambda: (s := page.get(f"/api/runs/{begun['name']}/state").json())["running"] is False and s)
        assert state["problem"] == "" and state["tried"] == 6 and state["stopped"] == "evaluations", state
        assert state["command"] == begun["command"] and state["best"]["fitness"] > 0
    words = shlex.split(begun["command"])
    words[words.index("--out") + 1] = "again"
    done = subprocess.run(
        [sys.executable, "-c", "from pcg.cli import main; main()", *words[1:]],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, again = files(tmp_path / begun["name"]), files(tmp_path / "again")
    for one in (first, again):
        one.pop("report.html")  # it tells the time that was taken
    assert first == again


@pytest.mark.full
def test_a_run_is_stopped_and_goes_on(tmp_path: Path) -> None:
    with client(tmp_path) as page:
        choice = {**CHOICE, "game": "dungeon", "generator": "portfolio", "budget": 400, "count": 3}
        name = page.post("/api/runs", json=choice).json()["name"]
        wait(lambda: page.get(f"/api/runs/{name}/state").json()["tried"] >= 3)
        assert page.post(f"/api/runs/{name}/go-on", json={}).status_code == 409
        assert page.post(f"/api/runs/{name}/stop", json={}).status_code == 200
        state = wait(lambda: (s := page.get(f"/api/runs/{name}/state").json())["running"] is False and s)
        assert state["stopped"] == "interrupted" and state["problem"] == "" and state["tried"] < 400
        before = state["tried"]
        answer = page.post(f"/api/runs/{name}/go-on", json={"budget": before + 2, "unit": "evaluations"})
        assert answer.json()["command"] == f"pcg resume {name} --budget {before + 2}evaluations"
        state = wait(lambda: (s := page.get(f"/api/runs/{name}/state").json())["running"] is False and s)
        assert state["stopped"] == "evaluations" and state["tried"] == before + 2
        assert page.post(f"/api/runs/{name}/stop", json={}).status_code == 409


@pytest.mark.full
def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    with client(tmp_path) as page:
        name = page.post("/api/runs", json={**CHOICE, "wants": "cakes=3"}).json()["name"]
        state = wait(lambda: (s := page.get(f"/api/runs/{name}/state").json())["running"] is False and s)
        assert "cakes" in state["problem"]
        assert [run["name"] for run in page.get("/api/runs").json()["runs"]] == [name]


# -- looking and marking -----------------------------------------------------------------------------------------------


def test_stars_votes_and_what_is_thrown_away_are_in_the_folder(folder: Path) -> None:
    with client(folder) as page:
        key = "/runs/run/api"
        first, second = (page.get(f"{key}/levels/kept-{k}").json() for k in range(2))
        assert not first["starred"] and {one["group"] for one in first["metrics"]} >= {"text", "play", "agents"}
        assert page.post(f"{key}/star", json={"key": "kept-0"}).json()["groups"]["starred"] == 1
        assert page.post(f"{key}/discard", json={"key": "kept-1"}).json()["discarded"] is True
        shown = page.get(f"{key}/archive?show=kept").json()
        keys = [k for cell in shown["cells"] for k in cell["keys"]]
        assert "kept-0" in keys and "kept-1" not in keys and shown["groups"]["discarded"] == 1
        thrown = page.get(f"{key}/archive?show=discarded").json()
        assert [k for cell in thrown["cells"] for k in cell["keys"]] == ["kept-1"]
        told = page.post(f"{key}/vote", json={"first": "kept-0", "second": "kept-1", "answer": "first"}).json()
        assert told["votes"] == 1
        for body in ({"first": "kept-0", "second": "kept-0", "answer": "first"},
                     {"first": "kept-0", "second": "kept-1", "answer": "maybe"}):  # fmt: skip
            assert page.post(f"{key}/vote", json=body).status_code == 400
        assert page.post(f"{key}/star", json={"key": "kept-99"}).status_code == 404
    run = folder / "run"
    assert (run / "starred" / "lvl0.txt").read_text() == first["level"] + "\n"
    assert pcg.load(run / "starred" / "game.vgdl").levels[0].strip() == first["level"]
    assert (run / "votes.csv").read_text().count("\n") == 2 and (run / "features.csv").is_file()
    marks = Marks(run, "")
    assert marks.answer(first["digest"], second["digest"]) == "first"
    assert marks.answer(second["digest"], first["digest"]) == "second"


def test_votes_teach_a_preference_and_the_next_pair_is_a_new_one(folder: Path) -> None:
    with client(folder) as page:
        seen = []
        while pair := page.get("/runs/run/api/votes").json()["pair"]:
            assert pair not in seen and pair[0] != pair[1]
            seen.append(pair)
            levels = [page.get(f"/runs/run/api/levels/{key}").json() for key in pair]
            walls = [next(m["value"] for m in one["metrics"] if m["name"] == "walls") for one in levels]
            answer = "first" if walls[0] > walls[1] else "second"
            page.post("/runs/run/api/vote", json={"first": pair[0], "second": pair[1], "answer": answer})
        assert seen
        assert page.get("/runs/run/api/votes").json()["votes"] == len(seen)


def test_a_torn_mark_is_cut_off_and_the_others_stay(folder: Path) -> None:
    with client(folder) as page:
        page.post("/runs/run/api/star", json={"key": "kept-0"})
        page.post("/runs/run/api/star", json={"key": "kept-1"})
    log = folder / "run" / "marks.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    with client(folder) as page:
        assert page.get("/runs/run/api/archive").json()["groups"]["starred"] == 1


def test_a_study_is_made_of_the_starred_levels(folder: Path) -> None:
    with client(folder) as page:
        page.post("/runs/run/api/star", json={"key": "kept-0"})
        assert page.post("/api/study", json={"run": "run"}).status_code == 409
        page.post("/runs/run/api/star", json={"key": "kept-1"})
        made = page.post("/api/study", json={"run": "run"}).json()
        assert made["items"] == 2 and made["command"] == "pcg study new run-study --items run/starred"
        assert page.post("/api/study", json={"run": "run"}).status_code == 400  # it is there already
    assert (folder / "run-study" / "study.toml").is_file() or any((folder / "run-study").iterdir())


def test_levels_of_a_run_come_as_the_exported_player_takes_them(folder: Path) -> None:
    with client(folder) as page:
        told = page.get("/runs/run/api/levels/kept-0/game").json()
        entry = page.get("/runs/run/api/levels/kept-0").json()
        assert len(told["about"]["levels"]) == 1
        assert len(told["about"]["levels"][0]["play"]["actions"]) == entry["ticks"]
        drawn = page.post("/runs/run/api/game", json={"level": "wwwwww\nwA.bow\nwwwwww"}).json()
        assert drawn["about"]["levels"][0]["width"] == 6
        page.post("/runs/run/api/star", json={"key": "kept-0"})
        assert "<!doctype html>" in page.get("/runs/run/api/page?starred=1").text[:40].lower()


# -- pages and protection ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/generate", "/look", "/breed", "/runs/run/"])
def test_pages_share_navigation_language_and_protection(folder: Path, path: str) -> None:
    with client(folder) as page:
        english = page.get(path)
        assert english.status_code == 200 and 'aria-current="page"' in english.text
        assert "wasm-unsafe-eval" in english.headers["content-security-policy"]
        chinese = page.get(path, headers={"accept-language": "zh-CN,zh"}).text
        assert '<html lang="zh">' in chinese and "生成" in chinese
        chosen = page.get(path, headers={"accept-language": "zh-CN", "cookie": "pcg-language=en"}).text
        assert '<html lang="en">' in chosen


@pytest.mark.parametrize("name", ["nothing", ".studio", "games", "%2e%2e%2fetc"])
def test_only_runs_have_pages(folder: Path, name: str) -> None:
    with client(folder) as page:
        assert page.get(f"/runs/{name}/").status_code == 404
        assert page.get(f"/api/runs/{name}/state").status_code == 404


@pytest.mark.parametrize("path", ["/api/runs", "/api/draft", "/api/study", "/runs/run/api/star", "/api/runs/run/go-on"])
def test_other_sites_cannot_act(folder: Path, path: str) -> None:
    with client(folder) as page:
        assert page.post(path, json={}, headers={"origin": "http://evil.example"}).status_code == 403
        assert page.post(path, json={}, headers={"host": "evil.example"}).status_code == 400
        assert page.post(path, content="a=b", headers={"content-type": "text/plain"}).status_code == 415


# -- killing -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[[], tuple[subprocess.Popen[str], str]]]:
    """Start a studio in a process of its own."""
    begun: list[subprocess.Popen[str]] = []

    def start() -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-c", "from pcg.cli import main; main()", "studio", "boxes", "--no-open", "--port", "0",
             "--folder", str(tmp_path)], stdout=subprocess.PIPE, text=True)  # fmt: skip
        begun.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().split()[0].rstrip("/")

    yield start
    for process in begun:
        if process.poll() is None:
            process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def ask(url: str, data: dict[str, Any] | None = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.loads(answer.read())


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of POSIX systems")
def test_nothing_is_lost_when_the_server_is_killed(server: Any, tmp_path: Path) -> None:
    process, url = server()
    text = "\n".join(["# kept", str(pcg.load("boxes").definition.source)])
    ask(f"{url}/api/draft", {"name": "mine", "text": text, "levels": ["wwwwww\nwA.bow\nwwwwww"]})
    choice = {**CHOICE, "game": "dungeon", "generator": "portfolio", "budget": 500}
    name = ask(f"{url}/api/runs", choice)["name"]
    wait(lambda: ask(f"{url}/api/runs/{name}/state")["tried"] >= 3)
    ask(f"{url}/runs/{name}/api/star", {"key": "tried-0"})
    level = ask(f"{url}/runs/{name}/api/levels/tried-0")["level"]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    # the run ends as with Ctrl-C when its server is gone, and can be gone on with
    wait(lambda: (tmp_path / name / "summary.json").is_file())
    assert read_json(tmp_path / name / "summary.json")["stopped"] == "interrupted"
    _, url = server()
    state = ask(f"{url}/api/runs/{name}/state")
    assert state["tried"] >= 3 and not state["running"]
    assert ask(f"{url}/runs/{name}/api/levels/starred-0")["level"] == level
    assert Workspace(tmp_path).read_game("mine") is not None
    assert (tmp_path / "written" / "mine" / "mine.vgdl").read_text() == text.rstrip("\n") + "\n"
    ask(f"{url}/api/runs/{name}/go-on", {"budget": state["tried"] + 2})
    state = wait(lambda: (s := ask(f"{url}/api/runs/{name}/state"))["running"] is False and s)
    assert state["stopped"] == "evaluations"


@pytest.mark.full
def test_closing_the_studio_ends_its_runs(tmp_path: Path) -> None:
    site = StudioSite(Workspace(tmp_path))
    site.jobs.start("run", ["levels", "boxes", "--budget", "1000000evaluations", "--out", "run"])
    assert site.jobs.running("run")
    site.close()
    assert not site.jobs.running("run") and site.jobs.problem("run") == ""
    with pytest.raises(Refused, match="not under way"):
        site.jobs.stop("run")


def test_everything_that_pages_say_is_there_in_chinese() -> None:
    import re

    from pcg.web.pages import translations

    root = Path(pcg.__file__).parent
    texts = [p for part in ("studio", "web", "breeding") for p in (*root.glob(f"{part}/templates/*"),
                                                                   *root.glob(f"{part}/static/*.js"))]  # fmt: skip
    literal = r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\''
    call = re.compile(rf"\bt\(\s*((?:[^()\"']|{literal})*)")
    said = {
        found[0] or found[1]
        for path in texts
        for match in call.finditer(path.read_text(encoding="utf-8"))
        for found in re.findall(literal, match[1])
    }
    assert len(said) > 150
    chinese = translations("zh")
    assert said - set(chinese) == set()
    assert [k for k, v in chinese.items() if set(re.findall(r"\{\d\}", k)) != set(re.findall(r"\{\d\}", v))] == []


def test_a_run_of_games_is_a_gallery_to_read_and_to_play(tmp_path: Path) -> None:
    """The folder of a run that made games, as `pcg.runs` lays it out."""
    boxes = pcg.load("boxes")
    games = tmp_path / "made" / "games"
    games.mkdir(parents=True)
    manifest = {"format": 1, "kind": "games", "seed": 4, "generator": {"name": "evolve"}, "games": [{"name": "boxes"}]}
    (tmp_path / "made" / "run.json").write_text(json.dumps(manifest))
    event = {"id": 0, "feasible": True, "fitness": 0.5}
    (tmp_path / "made" / "events.jsonl").write_text(json.dumps(event) + "\n")
    (games / "game0.txt").write_text(boxes.definition.source)
    (games / "game0_lvl0.txt").write_text(boxes.levels[0] + "\n")
    part = {"value": 0.5, "weight": 1.0, "sentence": "Skill decides."}
    entry = {"file": "game0.txt", "fitness": 0.5, "origin": "start", "judgement": {"parts": {"skill": part}}}
    (games / "index.json").write_text(json.dumps({"games": [entry]}))
    with client(tmp_path) as page:
        (listed,) = page.get("/api/runs").json()["runs"]
        assert (listed["kind"], listed["game"], listed["tried"], listed["results"]) == ("games", "boxes", 1, 1)
        assert "seed 4" in page.get("/runs/made/").text
        (found,) = page.get("/runs/made/api/games").json()["games"]
        assert found["parts"]["skill"]["sentence"] == "Skill decides." and len(found["levels"]) == 1
        assert any("mark" in sentence for sentence in found["sentences"])
        chinese = page.get("/runs/made/api/games", headers={"accept-language": "zh"}).json()["games"][0]
        assert chinese["sentences"] != found["sentences"]
        assert page.get("/runs/made/api/games/0/game").json()["about"]["levels"][0]["width"] == 9
        assert page.get("/runs/made/api/games/0/picture.png").headers["content-type"] == "image/png"
        assert page.get("/runs/made/api/games/1/game").status_code == 404
