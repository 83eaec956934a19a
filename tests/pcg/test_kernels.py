"""After `pcg warmup` nothing is compiled any more, whatever is run; and the commands about kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import first_fast
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.kernel.runtime import MODE
from pcg.engine.native import objects, sources
from pcg.engine.native.loader import prepare

pytestmark = pytest.mark.skipif(MODE != "aot", reason="nothing is built ahead of time in this mode")

PCG = (sys.executable, "-c", "from pcg.cli import main; main()")
RUN = """
import sys
from pcg.engine.native import builder
def refuse(*args, **kwargs):
    raise SystemExit("something was built")
builder.build = refuse
from pcg.cli import main
sys.argv = ["pcg", *sys.argv[1:]]
try:
    main()
finally:
    compilers = sorted({name.partition(".")[0] for name in sys.modules} & {"numba"})
    if compilers:
        print("IMPORTED", compilers)
"""
COMMANDS = {
    "play": "play boxes --agent mcts --budget 50calls --seed 1",
    "play with knowledge": "play hunt --agent pcg --budget 50calls --seed 1",
    "play a board game": "play connect-four --agent uct;flatmc --budget 50calls --seed 1",
    "measure": "measure boxes 0",
    "describe": "describe dungeon",
    "render": "render dungeon --out {out}.png",
    "levels": "levels dungeon --generator evolve -n 2 --evaluations 12 --out {out}",
    "wave function collapse": "levels dungeon --generator wfc -n 2 --evaluations 12 --out {out}",
    "repair": "repair boxes 0 --out {out}",
    "rules": "rules dungeon --budget 12evaluations --out {out}",
    "games": "games evolve boxes hunt --budget 3evaluations --out {out}",
    "tournament": "tournament --agents random,onestep,olets --games boxes --out {out} --repeats 1 --budget 20calls",
    "bench": "bench engine boxes --seconds 0.01",
    "bench of rule sheets": "bench gdl {sheet} --seconds 0.01",
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    prepare()


@pytest.mark.parametrize("name", first_fast(COMMANDS))
def test_nothing_is_compiled_after_warmup(name, tmp_path, repo_root):
    sheet = repo_root / "games" / "gdl" / "connect-four.kif"
    arguments = COMMANDS[name].format(out=tmp_path / "out", sheet=sheet).split(" ")
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr  # 1: so few tries gave nothing feasible
    assert "something was built" not in done.stderr
    assert "IMPORTED" not in done.stdout
    assert "compil" not in done.stderr and "building" not in done.stderr


def test_every_library_is_listed_and_built():
    result = CliRunner().invoke(app, ["kernels", "list", "--json"])
    assert result.exit_code == 0
    rows = json.loads(result.output)
    assert {row["package"] for row in rows} == set(sources.packages())
    assert {row["origin"] for row in rows} <= {"built here", "shipped"}
    assert all(row["size"] > 500 and row["entry_points"] > 0 for row in rows)


def test_warmup_has_nothing_to_do_twice():
    result = CliRunner().invoke(app, ["warmup"])
    assert result.exit_code == 0 and "nothing to build" in result.output


@pytest.mark.modes
def test_libraries_are_built_into_a_folder_and_modules_are_plain_files(tmp_path):
    arguments = [
        "--package",
        "pcg.engine.boards",
        "--processor",
        "linux-arm64",
        "--processor",
        "wasm32",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(app, ["kernels", "build", *arguments])
    assert result.exit_code == 0, result.output
    native, module = sorted(tmp_path.iterdir())
    assert objects.read(native)[0].target == "linux-arm64"
    assert module.suffix == ".wasm" and module.read_bytes().startswith(b"\0asm\1\0\0\0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--processor", "linux-arm46"], "unknown kernel target `linux-arm46`, did you mean `linux-arm64`"),
        (["--package", "pcg.engine.board"], "no kernels in `pcg.engine.board`, did you mean `pcg.engine.boards`"),
        (["--with", "missing.py"], "missing.py: no such Python file"),
    ],
)
def test_bad_input_is_one_clear_error(arguments, message, tmp_path):
    done = subprocess.run(
        [*PCG, "kernels", "build", *arguments, "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_clean_removes_what_was_built(tmp_path):
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    for name in ("a.kernels", "b.kernels", "other.txt"):
        (folder / name).write_bytes(b"")
    done = subprocess.run(
        [*PCG, "kernels", "clean"],
        env={**os.environ, "PCG_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("2 files removed")
    assert [path.name for path in folder.iterdir()] == ["other.txt"]


def test_plain_python_has_nothing_to_build(tmp_path):
    done = subprocess.run(
        [*PCG, "warmup"],
        env={**os.environ, "PCG_KERNELS": "python", "PCG_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "plain Python" in done.stdout
    assert list(Path(tmp_path).iterdir()) == []
