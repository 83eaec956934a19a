"""Workflows of the repository's host: what they call exists, and they try every Python that the package names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = [step["run"] for job in _jobs(path) for step in job["steps"] if "run" in step]
    assert commands
    called = [line.split() for command in commands for line in command.splitlines()]
    assert all(words[1] in targets for words in called if words[0] == "make")
    assert all((ROOT / words[0]).is_file() for words in called if words[0].startswith("."))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_tries_every_python_of_the_package(path: Path) -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    wanted = {
        match[1] for line in named if (match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    }
    tried = [set(job["strategy"]["matrix"]["python"]) for job in _jobs(path) if "strategy" in job]
    assert wanted and tried == [wanted]


def _jobs(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values())
