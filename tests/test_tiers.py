"""The tiers of the tests: what `make test` leaves out is what `make test-rest` runs, and no run is empty unnoticed."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pairwise import covered

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", ["pairwise", "tiers"])
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("of", [2, 3])
def test_every_pair_is_tried_in_one_test_and_every_item_in_every_test(of: int) -> None:
    first, second = ["a", "b", "c", "d", "e"], ["x", "y", "z"]
    tests = [covered(first, second, number, of) for number in range(of)]
    assert sorted(pair for pairs in tests for pair in pairs) == [(one, other) for one in first for other in second]
    for pairs in tests:
        assert {one for one, _ in pairs} == set(first) and {other for _, other in pairs} == set(second)


def test_make_test_and_make_test_rest_run_everything() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    selections = dict(re.findall(r'^(FAST|REST) := "(.*)"$', text, flags=re.M))
    assert selections["FAST"] == "not full" and selections["REST"].split(" or ")[0] == "full"
    assert "-m $(FAST)" in text and "-m $(REST)" in text


def collected(markers: str, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of a run with these markers that only lists its tests."""
    program = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run([*program, "-m", markers], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.full
def test_reasons_and_fixtures_put_a_test_into_the_full_tier() -> None:
    files = ["tests/pcg/test_web_browser.py", "tests/engine/test_digests.py", "tests/pcg/test_study_killed.py"]
    code, found = collected("full and (browser or corpus or postgres)", *files)
    assert code == 0 and all(f"{file}::test_" in found for file in files)
    code, found = collected("not full and (browser or corpus or postgres)", *files)
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED and "::test_" not in found


@pytest.mark.full
def test_a_misspelt_marker_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "test_misspelt.py"
    file.write_text("import pytest\n@pytest.mark.ful\ndef test_nothing():\n    pass\n", encoding="utf-8")
    code, found = collected("not full", str(file), "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT))
    assert code == pytest.ExitCode.INTERRUPTED and "'ful' not found in `markers`" in found
