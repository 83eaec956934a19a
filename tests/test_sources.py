"""The page on the sources: rows are complete, citations lead somewhere, every section of the texts has a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import typer.main

from pcg.cli import app
from pcg.evaluators.agents import make_agent

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "sources.md").read_text(encoding="utf-8")
KERNELS = "evaluators/agents/kernel/"
TEXTS = {
    "G": "000_gvgai.txt",
    "P": "001_planning.txt",
    "L": "002_lode_runner.txt",
    "M": "003_ggp_memory_mcts.txt",
    "C": "004_connectx.txt",
}
NOTHING = ("-", "nowhere")


@dataclass(frozen=True)
class Row:
    """A row of the page."""

    number: str
    sections: tuple[str, ...]
    text: str
    here: str
    shown: str
    differs: str


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


IS_ROW = re.compile(r"\| [GPLMC]\d+\b")


def lines() -> list[list[str]]:
    """The cells of all lines that are rows about the texts."""
    return [cells(line) for line in PAGE.splitlines() if IS_ROW.match(line)]


def rows() -> list[Row]:
    """The rows of the page; the first cell of each is its number and the sections, as in "C18 § 2, 2.3"."""
    found = []
    for first, text, here, shown, differs in lines():
        number, _, cited = first.partition(" § ")
        found.append(Row(number, tuple(cited.split(", ")), text, here, shown, differs))
    return found


def sections(letter: str) -> dict[str, str]:
    """The headings of a text by number, as the page lists them; "" for what has no heading."""
    part = PAGE.split(f"\n## {letter}: ", 1)[1]
    listed = " ".join(re.search(r"^Sections: (.*?)\.\n\n", part, flags=re.M | re.S)[1].split())  # type: ignore[index]
    found = {}
    for item in listed.split("; "):
        match = re.fullmatch(r"(\d+(?:\.\d)?) [^(]+(?:\((.*)\))?[^)]*", item)
        assert match, item
        found[match[1]] = match[2] or ""
    return found


# --- citations ---


@cache
def symbols(path: Path) -> frozenset[str]:
    """The names that a Python file defines at its top level, and in its classes as Class.name."""

    def names(body: list[ast.stmt], before: str) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield before + node.name
            if isinstance(node, ast.ClassDef):
                yield from names(node.body, f"{before}{node.name}.")
            if isinstance(node, ast.Assign):
                yield from (before + target.id for target in node.targets if isinstance(target, ast.Name))
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield before + node.target.id

    return frozenset(names(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def file_of(path: str) -> Path | None:
    """The file or folder that a citation names: a test by the end of its path, a kernel by its name, others in full."""
    name = path.rsplit("/", 1)[-1]
    if re.fullmatch(r"test_\w+\.py", name):
        found = [p for p in (ROOT / "tests").rglob(name) if p.as_posix().endswith(f"/{path}")]
        return found[0] if len(found) == 1 else None
    found = [p for p in (ROOT / path, ROOT / KERNELS / path) if p.exists()]
    return found[0] if found else None


def is_command(words: list[str]) -> bool:
    """Return whether the command line has a command of this name; arguments may follow it."""
    command = typer.main.get_command(app)
    for depth, word in enumerate(words):
        inner = getattr(command, "commands", None)
        if inner is None:
            return depth > 0
        if word not in inner:
            return False
        command = inner[word]
    return bool(words)


def anchors(page: Path) -> set[str]:
    """The anchors of a page: those that headings name, and those made of their words."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.M):
        named = re.search(r"\{#([^}]+)\}$", heading)
        plain = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        found.add(named[1] if named else re.sub(r"[-\s]+", "-", plain))
    return found


def objections(text: str) -> list[str]:
    """List the faults of the citations in a text; a name that begins with `::` is in the file named before it."""
    wrong = []
    before = ""
    for span in re.findall(r"`([^`]+)`", text):
        path, mark, symbol = span.partition("::")
        if span.startswith("pcg "):
            if not is_command([word for word in span.split()[1:] if not word.startswith("-")]):
                wrong.append(f"no such command: {span}")
        elif re.fullmatch(r"[a-z]+:\w+=.*", span):
            try:
                make_agent(span)
            except Exception as error:
                wrong.append(f"no such agent: {span} ({error})")
        elif mark or re.fullmatch(r"[\w./-]+\.(py|vgdl|kif)|\w+(/[\w-]+)+", span):
            before = path or before
            file = file_of(before)
            if file is None:
                wrong.append(f"no such file, or several: {span}")
            elif symbol and symbol not in symbols(file):
                wrong.append(f"no such name: {span} in {before}")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        name, _, anchor = target.partition("#")
        page = DOCS / (name or "sources.md")
        if not page.is_file():
            wrong.append(f"no such page: {target}")
        elif anchor and anchor not in anchors(page):
            wrong.append(f"no such place: {target}")
    return wrong


@pytest.mark.parametrize(
    "citation",
    [
        "`evaluators/agents/nothing.py`",
        "`evaluators/agents/mcts.py::Nothing`",
        "`evaluators/agents/mcts.py::MCTS`, `::Nothing`",
        "`evaluators/agents/mcts.py::MCTS.nothing`",
        "`games/vgdl/nothing`",
        "`test_nothing.py::test_it`",
        "`test_rules.py`",  # there are two
        "`test_agents.py::test_nothing`",
        "`nothing.py::test_it`",
        "`pcg nothing`",
        "`pcg gdl nothing`",
        "`mcts:nothing=1`",
        "[page](nothing.md)",
        "[place](agents.md#nothing)",
    ],
)
def test_a_citation_of_what_does_not_exist_is_noticed(citation: str) -> None:
    assert len(objections(citation)) == 1


# --- the page ---


def test_every_row_has_all_its_cells_and_a_number_of_its_own() -> None:
    for line in lines():
        assert len(line) == 5 and all(line), line
    for letter in TEXTS:
        numbers = [row.number for row in rows() if row.number[0] == letter]
        assert numbers == [f"{letter}{k + 1}" for k in range(len(numbers))] and numbers
    assert len(rows()) >= 150


def test_every_citation_leads_to_something_that_exists() -> None:
    wrong = {row.number: objections(f"{row.here} {row.differs}") + objections(row.shown) for row in rows()}
    assert not {number: all_of_it for number, all_of_it in wrong.items() if all_of_it}
    rest = "\n".join(line for line in PAGE.splitlines() if not IS_ROW.match(line))
    assert not objections(rest)


def test_what_is_not_here_or_not_shown_is_said_to_differ() -> None:
    for row in rows():
        if row.here in NOTHING or row.shown in NOTHING:
            assert row.differs != "no", row


def test_what_is_still_open_names_an_item() -> None:
    comments = re.findall(r"<!--(.*?)-->", PAGE, flags=re.S)
    assert all(re.fullmatch(r" open: item \d+ ", comment) for comment in comments), comments


@pytest.mark.parametrize("letter", TEXTS)
def test_every_section_has_a_row_and_every_row_a_section(letter: str) -> None:
    cited = {section for row in rows() if row.number[0] == letter for section in row.sections}
    assert cited == set(sections(letter))


def headings(letter: str, text: str) -> set[str]:
    """The headings of a source, without blanks: by number, by Markdown, or by standing alone between blank lines."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    if letter in "PC":
        found = re.findall(r"^#+ (.+)$", plain, flags=re.M)
    elif letter in "GM":
        found = re.findall(r"^\d(?:\.\d)? ([^\n]{2,30})$", plain, flags=re.M)
        found += re.findall(r"^引 言$", plain, flags=re.M)
    else:
        found = re.findall(r"(?<=\n\n)([^\s\x00-\x7f]{2,12})(?=\n\n)", plain)
        found = [one for one in found if one[-1] not in "::。,，?？" and one not in ("图片", "或在任意时间点")]
    return {"".join(one.split()) for one in found}


@pytest.mark.parametrize("letter", TEXTS)
def test_every_heading_of_the_text_is_a_section_of_the_page(letter: str, shared: Path) -> None:
    source = shared / "sources" / TEXTS[letter]
    if not source.is_file():
        pytest.skip(f"needs {source}")
    listed = {"".join(heading.split()) for heading in sections(letter).values() if heading}
    assert listed == headings(letter, source.read_text(encoding="utf-8"))
    assert len(listed) >= 6
