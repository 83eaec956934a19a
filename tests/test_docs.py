"""Documentation that works: every Python block runs, every command succeeds, every page is reachable."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest
import typer
from printed import difference, of_commands
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl import ontology

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
LONG = {"README.md"} | {
    f"docs/{page}.md"
    for page in (
        "api/evaluation", "api/pictures", "api/runs", "coming-from", "describe", "export", "files", "first-program",
        "generators", "generators/grammar", "generators/portfolio", "generators/qd", "generators/search", "index",
        "mcts-by-hand", "metrics", "own-parts", "preferences", "rules", "runs", "teaching", "tournaments", "tuning",
        "tutorial",
    )
}  # fmt: skip
"""Pages with examples that take more than two seconds."""
BLOCK = re.compile(r'^(?P<indent> *)```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^ *```$', re.M | re.S)


def blocks(page: str) -> list[tuple[int, str, str, str]]:
    """(line, kind, title, body) of the fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        body = re.sub(f"^{match['indent']}", "", match["body"], flags=re.M)
        found.append((text.count("\n", 0, match.start()) + 1, match["kind"], match["title"] or "", body))
    return found


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize("page", [pytest.param(p, marks=[pytest.mark.full] if p in LONG else []) for p in PAGES])
def test_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block with a title is saved as a file of that name, so that the blocks after it can use it.

    What the page shows as printed is what is printed (`printed.py` has the rule).
    """
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    before = ""
    for line, kind, title, body in blocks(page):
        if title:
            (tmp_path / title).write_text(body, encoding="utf-8")
        if kind == "python":
            code = compile(
                "\n" * line + body, page, "exec", dont_inherit=True
            )  # so that a failure shows the line of the page
            with redirect_stdout(StringIO()) as stream:
                exec(code, names)
            before = stream.getvalue()
        elif kind == "console":
            before = ""
            for command, shown in of_commands(body):
                program, *arguments = shlex.split(command)
                assert program == "pcg", f"{page}:{line}: only `pcg` commands are run, not `{program}`"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, f"{page}:{line}: `{command}` failed: {result.output} {result.exception}"
                assert not (wrong := difference(shown, result.output)), f"{page}:{line}: `{command}`: {wrong}"
                before += result.output
        elif kind == "output":
            assert not (wrong := difference(body, before)), f"{page}:{line}: {wrong}"


def test_the_pages_have_examples_to_run() -> None:
    assert set(PAGES) >= LONG
    kinds = [kind for page in PAGES for _, kind, _, _ in blocks(page)]
    assert kinds.count("python") >= 8
    assert kinds.count("console") >= 5


def test_the_pages_show_what_is_printed() -> None:
    """Pages that lead a beginner show the output of every command and program that they have run."""
    shown = {
        page: [s for _, kind, _, body in blocks(page) if kind == "console" for _, s in of_commands(body) if s.strip()]
        + [body for _, kind, _, body in blocks(page) if kind == "output"]
        for page in PAGES
    }
    assert all(shown[page] for page in ("README.md", "docs/index.md", "docs/first-program.md", "docs/tutorial.md"))
    assert sum(map(len, shown.values())) >= 30


def test_commands_that_are_not_run_have_words_that_the_command_line_knows() -> None:
    """Blocks of kind `sh` are of servers, windows and long runs: their commands are read, but nothing is done."""
    for page in PAGES:
        for line, kind, _, body in blocks(page):
            for command in re.findall(r"^(?:\$ )?pcg ((?:.*\\\n)*.*)$", body, flags=re.M) if kind == "sh" else ():
                here, words = f"{page}:{line}: `{command}`", shlex.split(command.replace("\\\n", " "), comments=True)
                words = list(takewhile(lambda word: word not in ("&", "&&", "|", ">"), words))
                asked = typer.main.get_command(app)
                while words and hasattr(asked, "commands"):
                    assert words[0] in asked.commands, here
                    asked = asked.commands[words.pop(0)]
                try:
                    asked.make_context("pcg", words)
                except Exception as error:
                    pytest.fail(f"{here}: {error}")


PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\(|<(?:img|iframe)\s[^>]*>")
"""A picture or a page in a page, in Markdown or HTML."""


def test_every_picture_of_a_page_is_told_in_words() -> None:
    found, silent = 0, []
    for page in PAGES:
        for match in PICTURE.finditer((ROOT / page).read_text(encoding="utf-8")):
            words = match["text"]
            if words is None:
                words = re.search(r'\b(?:alt|title)="([^"]*)"', match[0])
                words = words[1] if words else ""
            found += 1
            if len(words.split()) < 2:
                silent.append(f"{page}: {match[0][:120]}")
    assert found > 20
    assert silent == []


def hook(name: str = "reference") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_describes_everything_in_the_registry() -> None:
    pages = hook().pages()
    text = "\n".join(pages.values())
    for entry in (*ontology.SPRITE_CLASSES.values(), *ontology.EFFECTS.values(), *ontology.TERMINATIONS.values()):
        assert f"\n## {entry.name}\n" in text, entry.name
        for name in getattr(entry, "own", ()):
            assert f"| `{name}` |" in text, (entry.name, name)


def test_every_page_is_in_the_navigation_and_every_entry_exists() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([\w/-]+\.md)$", text, flags=re.M))
    written = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert listed == written | set(hook().pages())


DEEP = re.compile(r"\b(?:from|import) (pcg\.\w+\.\w+\.\w+[\w.]*)")
"""An import from below `pcg.A.B`."""


def test_pages_and_notebooks_import_from_two_levels_at_most() -> None:
    """Everything that users need has a home that can be guessed: `pcg.A` or `pcg.A.B`."""
    files = [ROOT / page for page in PAGES] + sorted((ROOT / "notebooks").glob("*.ipynb"))
    deep = [
        f"{path.relative_to(ROOT)}: {name}" for path in files for name in DEEP.findall(path.read_text(encoding="utf-8"))
    ]
    assert deep == []


HOMES = (
    "pcg", "pcg.engine.extensions", "pcg.engine.native", "pcg.engine.vgdl", "pcg.evaluators.agents",
    "pcg.evaluators.judging", "pcg.evaluators.preferences", "pcg.generators.levels", "pcg.report.figures",
)  # fmt: skip
"""Packages that import what they offer on first use."""


@pytest.mark.parametrize("home", HOMES)
def test_every_name_that_a_package_offers_can_be_imported(home: str) -> None:
    module = importlib.import_module(home)
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        # a name that is also a module of the package would be one or the other, depending on what was imported before
        assert not (isinstance(getattr(module, name), ModuleType) and f"{home}.{name}" not in LAZY_MODULES), name


LAZY_MODULES = {"pcg.describe", "pcg.render", "pcg.engine.vgdl.ontology"}
"""Modules that are offered as such; the first two can be called."""


def test_every_page_of_results_says_what_was_measured_when_and_how_to_repeat_it() -> None:
    """The hook has an entry for each page, and what it says can be run: the program is there."""
    results = hook("results")
    pages = {
        p.relative_to(ROOT / "docs" / "results").with_suffix("").as_posix() for p in ROOT.glob("docs/results/**/*.md")
    }
    entries = results.measurements()
    assert set(entries) == pages - {"index"}
    for name, entry in entries.items():
        assert re.match(r"20\d\d-\d\d-\d\d", entry["when"]), name
        for command in entry["repeat"]:
            program = re.match(r"(?:python (?:-m )?(benchmarks[./]\w+)(?:\.py)?|make (\w+))", command)
            assert program, command
            if program[1]:
                path = ROOT / program[1].replace(".", "/")
                assert path.with_suffix(".py").is_file() or path.is_dir(), command
                text = path.with_suffix(".py").read_text(encoding="utf-8") if not path.is_dir() else ""
                before, imported, _ = text.partition("\nfrom benchmarks")
                if imported and "sys.path" not in before:  # only a module finds its neighbours
                    assert command.startswith("python -m "), command
            else:
                assert f"\n{program[2]}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), command
    shown = results.with_table("# Title\n\nText.", entries["engine"])
    assert (
        shown.startswith("# Title\n\n| measured | |\n")
        and "| repeat | `make bench` |" in shown
        and "\n\nText." in shown
    )
    assert results.overview().count("\n") == len(entries) + 1


def test_home_page_begins_with_recorded_wins() -> None:
    wins = hook("wins")
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    names = re.findall(r'src="play/(\w+)\.html#win" title="[^"]+"', page)
    assert len(names) == 3 == page.count("<iframe")
    shown = wins.on_page_markdown(page)
    for name in names:
        found = re.search(rf'play/{name}\.html#play=0,(\d+),([_ULDRX]+)"', shown)
        assert found
        state = pcg.load(name).start(level=0, seed=int(found[1]))
        for letter in found[2]:
            state.advance({"_": "NIL", "U": "UP", "L": "LEFT", "D": "DOWN", "R": "RIGHT", "X": "USE"}[letter])
        assert state.winner == pcg.Outcome.PLAYER_WINS, name
