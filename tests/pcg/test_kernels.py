"""The commands about kernels: `warmup`, and `kernels build`, `list` and `clean`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.kernel.runtime import MODE
from pcg.engine.native import objects, sources
from pcg.engine.native.loader import prepare
from pcg.engine.native.selections import selections

pytestmark = pytest.mark.skipif(MODE != "aot", reason="nothing is built ahead of time in this mode")

PCG = (sys.executable, "-c", "from pcg.cli import main; main()")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    prepare()


def test_every_library_is_listed_and_built():
    result = CliRunner().invoke(app, ["kernels", "list", "--json"])
    assert result.exit_code == 0
    rows = json.loads(result.output)
    assert {row["package"] for row in rows} == {*sources.packages(), *selections()}
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
