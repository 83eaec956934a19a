"""Examples in the docstrings of evaluators, descriptions, interactive evolution and minimisation give what they say.

Those of agents are run by their own tests.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def modules() -> list[str]:
    found = []
    for top, package in (
        ("evaluators", "pcg.evaluators"),
        ("pcg/describe", "pcg.describe"),
        ("pcg/breeding", "pcg.breeding"),
        ("pcg/minimise", "pcg.minimise"),
    ):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT / top).with_suffix("").parts
            if parts[0] != "agents" and ">>> " in path.read_text(encoding="utf-8"):
                found.append(".".join([package, *parts]).removesuffix(".__init__"))
    return found


@pytest.mark.parametrize("module", modules())
def test_examples_give_what_they_say(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0 and results.failed == 0
