"""Runs that are killed without warning, again and again, end as one that never was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kill_resume import kill_and_resume
from run_folders import files

from pcg.runs import LevelRun, run_levels

CHEAP = {"nodes": 300, "budget": 8, "planner_budget": 20, "max_length": 25, "weak_plays": 1, "min_length": 2,
         "survival": 5, "start": 1, "search": 1000}  # fmt: skip


@pytest.mark.fuzz
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_an_evolve_run_killed_at_twenty_random_moments_ends_with_the_same_files(tmp_path: Path) -> None:
    config = LevelRun(
        "boxes", generator="evolve", count=4, seed=7, evaluations=120, checkpoint=7,
        generator_parameters={"population": 12, "offspring": 9}, evaluation_parameters=CHEAP,
    )  # fmt: skip
    run_levels(config, tmp_path / "whole", workers=1)
    logged = kill_and_resume(config, tmp_path / "run", tmp_path / "whole", kills=20)
    assert len(logged) == 20
    assert logged == sorted(logged)
    assert files(tmp_path / "run") == files(tmp_path / "whole")
