"""The style of docstrings: each opens with a noun phrase or an imperative, and no file names a folder of a machine."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("engine", "evaluators", "generators", "pcg", "benchmarks", "tools", "tests")
OPENING = re.compile(r'^\s*r?"""(What|How|Whether|Who|Whose|Which|Where|When|Why)\b.*', re.M)
MACHINE = re.compile(r"(?<![\w.{}])/(?:tmp|work|root)/\w")


def sources() -> list[Path]:
    """The Python files of the repository, this one excepted."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if path != Path(__file__).resolve()]


def test_docstrings_say_what_a_thing_is_and_ask_nothing() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found[0].strip()}"
        for path in sources()
        for found in OPENING.finditer(path.read_text(encoding="utf-8"))
    ]
    assert wrong == [], "open with a noun phrase or an imperative (CONTRIBUTING.md, Style)"


def test_no_source_names_a_folder_of_a_machine() -> None:
    wrong = [path.relative_to(ROOT) for path in sources() if MACHINE.search(path.read_text(encoding="utf-8"))]
    assert wrong == []
