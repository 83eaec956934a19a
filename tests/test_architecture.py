"""The page on the architecture and the files for contributors name what exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("engine", "evaluators", "generators", "pcg")
TOPS = ("benchmarks", "docs", "engine", "evaluators", "games", "generators", "pcg", "tests", "tools")


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_paths_on_a_page_exist(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    named = {word for word in re.findall(r"`([\w./]+)`", text) if word.split("/")[0] in TOPS and "/" in word}
    assert named
    assert [word for word in sorted(named) if not (ROOT / word).exists()] == []
    links = re.findall(r"\]\(([\w./-]+)(?:#[\w-]*)?\)", text)
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_the_table_says_where_every_package_of_the_layers_is() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| I look for |") : text.index("## The path of one level")]
    folders = [p.parent.relative_to(ROOT).as_posix() for top in LAYERS for p in (ROOT / top).glob("*/__init__.py")]
    assert len(folders) > 20
    assert [folder for folder in folders if f"`{folder}" not in table] == []


def test_the_citation_names_the_version_and_license_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["cff-version"] and citation["message"] and citation["title"] and citation["authors"]
