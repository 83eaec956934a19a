"""A run on one page: complete, self-contained, the same for equal runs, and safe whatever a game is called."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.kernel.runtime import MODE
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import CONSTRAINTS
from pcg.report import write_report
from pcg.report.figures.levels import fitness_curve
from pcg.runs import LevelRun, run_levels

SMALL = {"generator": "constructive", "count": 2, "seed": 1, "evaluations": 20}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real run with its report; tests that change it work on a copy."""
    folder = tmp_path_factory.mktemp("runs") / "boxes"
    result = run_levels(LevelRun(game="boxes", **SMALL), folder, workers=2)
    assert result.levels, "the run that the tests look at must have found a level"
    write_report(folder)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def index(folder: Path) -> list[dict]:
    return json.loads((folder / "levels" / "index.json").read_text())["levels"]


class Page(HTMLParser):
    """Tags with attributes, and the visible text, of a page."""

    VOID = frozenset({"meta", "img", "br", "hr", "link", "input"})

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_every_level_gets_a_picture_of_its_own_size(finished: Path) -> None:
    for level in index(finished):
        with Image.open((finished / "levels" / level["file"]).with_suffix(".png")) as image:
            assert image.size == (16 * level["width"], 16 * level["height"])
    assert (finished / "sheet.png").is_file()


def test_the_film_shows_the_winning_play_of_the_best_level(finished: Path) -> None:
    best = index(finished)[0]
    with Image.open(finished / "best.gif") as film:
        assert film.is_animated
        assert 2 <= film.n_frames <= len(best["actions"]) + 1


def test_the_page_holds_everything_and_needs_nothing_else(finished: Path) -> None:
    page = Page(finished / "report.html")
    assert page.open == []
    sources = [image["src"] for image in page.all("img")]
    assert len(sources) == len(index(finished)) + 1
    assert all(source and source.startswith("data:image/") for source in sources)
    assert page.all("link") == []
    assert all("src" not in script for script in page.all("script"))
    assert not re.search(r"url\((?!#)|@import", (finished / "report.html").read_text())
    assert page.all("svg")
    assert all(image.get("alt") for image in page.all("img"))
    for level in index(finished):
        assert level["file"] in page.text
        assert (finished / "levels" / level["file"]).read_text().strip() in page.text


def test_every_feasible_level_is_judged_part_by_part(finished: Path) -> None:
    best = json.loads((finished / "levels" / "index.json").read_text())["levels"][0]
    page = html.unescape((finished / "report.html").read_text())
    assert best["parts"] and all(part["sentence"] in page for part in best["parts"].values())


def test_the_numbers_of_the_best_level_have_units_and_say_what_they_are(finished: Path) -> None:
    text = (finished / "report.html").read_text()
    panel = text.partition('<dl class="measures">')[2].partition("</dl>")[0]
    rows = re.findall(r"<div( title=\"[^\"]+\")?><dt>([^<]+)</dt><dd>([^<]+)</dd></div>", panel)
    assert len(rows) == panel.count("<dt>") > 5 and all(title for title, _, _ in rows)
    best = index(finished)[0]["metrics"]
    shown = {name: value for _, name, value in rows}
    assert shown["solution length"] == f"{best['solution_length']:g} ticks"
    assert shown["density"].replace(".", "").isdecimal()  # a share has no unit


def test_the_table_sorts_by_exact_numbers(finished: Path) -> None:
    values = {cell.get("data-value") for cell in Page(finished / "report.html").all("td")}
    assert {str(level["fitness"]) for level in index(finished)} <= values


def test_equal_runs_have_equal_reports(finished: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    run_levels(LevelRun(game="boxes", **SMALL), again, workers=1)
    write_report(again)
    names = ["report.html", "sheet.png", "best.gif", *(f"levels/{p.name}" for p in (again / "levels").glob("*.png"))]
    for name in names:
        assert (again / name).read_bytes() == (finished / name).read_bytes(), name


def test_writing_a_report_again_changes_nothing(run: Path) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    write_report(run)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_run_without_a_feasible_level_shows_the_closest_and_what_they_break(tmp_path: Path) -> None:
    # a level that is never long enough: every candidate breaks the same constraint
    config = LevelRun(
        game="boxes",
        generator="random",
        count=3,
        evaluations=6,
        evaluation_parameters={"min_length": 2000, "nodes": 500, "search": 0},
    )
    result = run_levels(config, tmp_path / "run", workers=2)
    assert not result.levels
    page = Page(write_report(tmp_path / "run"))
    assert "Not feasible, closest first" in page.text
    assert "No level that keeps every constraint was found" in page.text
    assert not (tmp_path / "run" / "best.gif").exists()
    assert (tmp_path / "run" / "sheet.png").is_file()
    titles = " ".join(heading.get("title") or "" for heading in page.all("th"))
    assert any(text in titles for text in CONSTRAINTS.values())


def test_a_name_with_markup_is_shown_and_not_run(run: Path) -> None:
    manifest = json.loads((run / "run.json").read_text())
    manifest["game"]["name"] = "<script>alert(1)</script>"
    (run / "run.json").write_text(json.dumps(manifest))
    page = Page(write_report(run))
    assert len(page.all("script")) == 1
    assert "<script>alert(1)</script>" in page.text


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match=r"is no run: it has no run.json"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 1, 300])
def test_the_curve_is_drawn_for_runs_of_any_length(count: int) -> None:
    events = [{"feasible": k % 3 == 0, "fitness": k / 300, "constraint": 0.5} for k in range(count)]
    drawn = fitness_curve(events)
    assert drawn.startswith("<svg")
    assert drawn.endswith("</svg>")
    assert "currentColor" in drawn
    assert "#01010" not in drawn
    assert drawn == fitness_curve(events)


def test_the_page_of_a_run_opens_on_levels_that_it_keeps_only(run: Path) -> None:
    result = CliRunner().invoke(app, ["archive", str(run), "--level", "99"])
    assert result.exit_code == 2 and f"{run} keeps, 0 to {len(index(run)) - 1}" in result.stderr


def test_each_level_says_why_it_was_kept_and_how_it_is_won(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    levels = index(run)
    assert page.count("Kept most of all for ") == len(levels) == page.count("<summary>Its winning play</summary>")
    best = levels[0]
    lost = max(best["parts"], key=lambda name: best["parts"][name]["weight"] * (1 - best["parts"][name]["value"]))
    assert f"what it loses, it loses in {lost} ({best['parts'][lost]['value']:.2f})." in page
    assert f"{best['winner']}, seed {best['seed']}: {best['actions'][0].lower()}" in page
    assert "pcg play levels/game.vgdl --level levels/lvl0.txt --browser" in page
    assert all(f"pcg archive . --level {number} --open" in page for number in range(len(levels)))


@pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time")
def test_levels_are_linked_to_a_page_that_plays_them(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def links() -> list[str]:
        write_report(run)
        found = [a.get("href") or "" for tag, a in Page(run / "report.html").tags if tag == "a"]
        return [address for address in found if "play.html" in address]

    assert links() == [f"play.html#level={k + 1}" for k in range(len(index(run)))]
    first = (run / "play.html").read_bytes()
    assert f"<title>{json.loads((run / 'run.json').read_text())['game']['name']}</title>".encode() in first
    assert links() and (run / "play.html").read_bytes() == first
    monkeypatch.setattr(sys.modules["pcg.export.bundle"], "MAX_LEVELS", 0)  # a run with more levels than a page takes
    levels = run / "levels" / "index.json"
    later = (run / "play.html").stat().st_mtime_ns + 1
    os.utime(levels, ns=(later, later))  # as after `pcg resume`, which may have found others
    assert links() == []
    (run / "play.html").unlink()
    assert links() == [] and not (run / "play.html").exists()


@pytest.mark.parametrize("name", ["run.json", "summary.json", "levels/index.json", "events.jsonl"])
@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'{"levels": '])
def test_a_damaged_run_is_told_in_one_line(run: Path, tmp_path: Path, name: str, content: bytes) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(run, folder)
    (folder / name).write_bytes(content)
    result = CliRunner().invoke(app, ["report", str(folder)])
    assert result.exit_code == 2
    assert f"{name} is damaged" in result.stderr and result.stderr.count("\n") == 1
