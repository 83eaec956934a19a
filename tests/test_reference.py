"""The shipped reference: citations point at sections that exist, and all that the registry declares is described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcg.engine.vgdl import ontology, values
from pcg.engine.vgdl.ontology_params import EffectSpec, SpriteClass, TerminationSpec

ROOT = Path(__file__).resolve().parent.parent
PAGES = {page.stem: page for page in sorted((ROOT / "docs" / "reference").glob("*.md"))}
SOURCES = [
    path
    for folder in ("engine", "evaluators", "generators", "games", "pcg", "tests", "benchmarks", "tools", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".lark", ".md"} and "results" not in path.parts
]
HEADING = re.compile(r"^#+ (?P<number>\d+(?:\.\d+)?) .*\{#(?P<anchor>[\w.]+)\}$")
NAMED = re.compile(r"^#### (?P<name>\w+) \{#(?P<anchor>\w+)\}$")
RULE = re.compile(r"^(?P<number>\d+)\. ")
_NUMBER = r"\d+(?:\.\d+){0,2}"
CITATION = re.compile(rf"\breference/(?P<page>[a-z]+)\s+(?P<numbers>{_NUMBER}(?:(?:,| and| to)\s+{_NUMBER})*)")
FIELD = re.compile(rf"[\"'](?P<page>{'|'.join(PAGES)}) (?P<numbers>{_NUMBER})(?=[\"',])")
OLD = re.compile(r"\bspec(?:ification)?\s+0\d|\bsections?\s+0\d\b|[\"'`]0[1-5] \d+(?:\.\d+)*", re.I)
ENTRIES: list[SpriteClass | EffectSpec | TerminationSpec] = [
    *ontology.SPRITE_CLASSES.values(),
    *ontology.EFFECTS.values(),
    *ontology.TERMINATIONS.values(),
]


def sections(page: str) -> tuple[set[str], dict[str, str]]:
    """Numbers of the sections and rules of a page, and the section in which each name has its heading."""
    numbers: set[str] = set()
    names: dict[str, str] = {}
    here = ""
    for line in PAGES[page].read_text(encoding="utf-8").splitlines():
        if found := HEADING.match(line):
            here = found["number"]
            assert found["anchor"] == here, f"{page}: the anchor of section {here} is #{found['anchor']}"
            assert here not in numbers, f"{page}: section {here} stands there twice"
            numbers.add(here)
        elif found := NAMED.match(line):
            assert found["anchor"] == found["name"]
            names[found["name"]] = here
        elif (found := RULE.match(line)) and here:
            numbers.add(f"{here}.{found['number']}")
    return numbers, names


KNOWN = {page: sections(page) for page in PAGES}


def citations(text: str) -> Iterator[tuple[str, str, str]]:
    """(citation, page, number) of all sections that a text cites; `rule` fields leave out "reference/"."""
    for found in (*CITATION.finditer(text), *FIELD.finditer(text)):
        for number in re.findall(_NUMBER, found["numbers"]):
            yield found[0], found["page"], number


def test_every_citation_points_at_a_section() -> None:
    cited = 0
    for path in SOURCES:
        for citation, page, number in citations(path.read_text(encoding="utf-8")):
            cited += 1
            place = f"{path.relative_to(ROOT)}: {citation}"
            assert page in PAGES, f"{place}: no page {page}"
            assert number in KNOWN[page][0], f"{place}: no section or rule {number}"
    assert cited > 300


def test_nothing_cites_what_is_not_shipped() -> None:
    own = Path(__file__).resolve()
    for path in SOURCES:
        found = OLD.search(path.read_text(encoding="utf-8")) if path != own else None
        assert found is None, f"{path.relative_to(ROOT)}: {found[0] if found else ''}"


def test_section_numbers_are_unique_in_the_whole_reference() -> None:
    chapters = [number for numbers, _ in KNOWN.values() for number in numbers if number.count(".") < 2]
    assert len(chapters) == len(set(chapters))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_everything_in_the_registry_has_its_place(entry: SpriteClass | EffectSpec | TerminationSpec) -> None:
    ((_, page, number),) = citations(f"reference/{entry.rule}")
    assert KNOWN[page][1].get(entry.name) == number, f"{entry.rule} does not describe {entry.name}"
    text = PAGES[page].read_text(encoding="utf-8")
    for name in entry.own:
        assert f"`{name}`" in text or entry.params[name].inert, f"{page} says nothing of `{name}` of {entry.name}"


def test_the_parameters_of_all_sprites_and_games_have_their_place() -> None:
    sprites, language = (PAGES[page].read_text(encoding="utf-8") for page in ("sprites", "language"))
    for param in ontology.SPRITE_BASE_PARAMS.values():
        assert f"`{param.name}`" in sprites or param.inert or param.drawing, param.name
    for name in ontology.GAME_PARAMS:
        assert f"| `{name}` |" in language, name


def test_the_reference_names_nothing_that_does_not_exist() -> None:
    described = {name for _, names in KNOWN.values() for name in names}
    assert described == {entry.name for entry in ENTRIES}


def test_links_between_the_pages_lead_somewhere() -> None:
    for page, path in PAGES.items():
        for target, anchor in re.findall(r"\]\((?:(\w+)\.md)?#([\w.]+)\)", path.read_text(encoding="utf-8")):
            numbers, names = KNOWN[target or page]
            assert anchor in numbers | set(names) | {"citing"}, f"{page}: {target}#{anchor}"


def rows(page: str, columns: int) -> list[list[str]]:
    """Cells of the rows of all tables of a page with that many columns, heads and rules included."""
    lines = PAGES[page].read_text(encoding="utf-8").splitlines()
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in found if len(row) == columns]


def test_the_constants_are_those_of_the_engine() -> None:
    text = " ".join(PAGES["language"].read_text(encoding="utf-8").split())
    integers = {name: int(value) for name, value in re.findall(r"`([A-Z_]+)` \((-?\d+)\)", text)}
    assert integers == values.INTEGERS
    listed = text[text.index("The colours, as RGB: ") :]
    colours = {name: tuple(map(int, rgb.split(","))) for name, rgb in re.findall(r"([A-Z]+) (\d+,\d+,\d+)[;.]", listed)}
    assert colours == {name: rgb for name, rgb in values.COLOURS.items() if rgb is not None}


def test_the_actions_of_avatars_are_those_of_the_engine() -> None:
    listed = {row[0]: row for row in rows("avatars", 4)[2:]}
    for name, entry in ontology.SPRITE_CLASSES.items():
        if entry.avatar:
            _, parent, _, actions = listed.pop(name)
            assert parent == (entry.parent or ""), name
            assert tuple(actions.split(" (")[0].split()) == (entry.actions or ("NIL",)), name
    assert not listed


def test_the_defaults_of_effects_are_those_of_the_engine() -> None:
    listed = {name: default for names, default, _ in rows("effects", 3)[2:] for name in re.findall(r"`(\w+)`", names)}
    declared = {p.name: p for p in ontology.EFFECT_BASE_PARAMS.values() if not p.inert}
    assert listed.keys() == declared.keys()
    for name, default in listed.items():
        assert default.split(";")[0] == str(declared[name].default).lower().removesuffix(".0"), name
