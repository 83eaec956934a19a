"""Runs that are killed without warning, again and again, end as one that never was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pcg.generators.levels import GENERATORS
from pcg.runs import LevelRun, run_levels

CHEAP = {"nodes": 300, "budget": 8, "planner_budget": 20, "max_length": 25, "weak_plays": 1, "min_length": 2,
         "survival": 5, "start": 1}  # fmt: skip
SETTINGS: dict[str, dict[str, object]] = {"evolve": {"population": 12, "offspring": 9}, "map-elites": {}}
KILLS = 20

PROGRAM = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from pcg.engine.kernel.runtime import compile_all
from pcg.runs import read_config, resume, run_levels

config, folder, warm = read_config(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
started = time.perf_counter()
run_levels(config, warm, workers=1)   # everything is compiled and loaded before the first fork
length = time.perf_counter() - started
rng = np.random.default_rng(int(sys.argv[4]))
kills = 0
while kills < int(sys.argv[5]):
    child = os.fork()
    if child == 0:
        if (folder / "run.json").exists():
            resume(folder, workers=2)
        else:
            for path in folder.rglob("*") if folder.exists() else ():
                path.is_file() and path.unlink()
            run_levels(config, folder, workers=2)
        os._exit(0)
    time.sleep(float(rng.uniform(0, length / 5)))
    if os.waitpid(child, os.WNOHANG)[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    else:
        # it came to its end: take some of the run back, as a disk does that lost what was written last
        lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
        cut = int(rng.integers(1, len(lines)))
        (folder / "events.jsonl").write_bytes(b"".join(lines[:cut]) + lines[cut][:30])
        continue
    kills += 1
resume(folder, workers=1)
print("killed", kills, "times")
"""


def files(folder: Path) -> dict[str, bytes]:
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    found.pop("timing.jsonl")
    return {name: data for name, data in found.items() if not name.endswith(".draft")}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("generator", [name for name in SETTINGS if name in GENERATORS])
def test_a_run_killed_at_twenty_random_moments_ends_with_the_same_files(generator: str, tmp_path: Path) -> None:
    config = LevelRun(
        "boxes", generator=generator, count=4, seed=7, evaluations=120, checkpoint=7,
        generator_parameters=SETTINGS[generator], evaluation_parameters=CHEAP,  # type: ignore[arg-type]
    )  # fmt: skip
    (tmp_path / "config.toml").write_text(config.to_toml())
    run_levels(config, tmp_path / "whole", workers=1)
    arguments = [tmp_path / "config.toml", tmp_path / "run", tmp_path / "warm", 1, KILLS]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert f"killed {KILLS} times" in done.stdout
    assert files(tmp_path / "run") == files(tmp_path / "whole")
    sessions = (tmp_path / "run" / "timing.jsonl").read_text().count('"session"')
    assert sessions > KILLS // 2, "most of the kills hit a run that was under way"
