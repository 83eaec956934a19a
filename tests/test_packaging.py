"""The built distribution holds every package and every data file, and works away from the checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("engine", "evaluators", "generators", "games")
SOURCES = ("pcg", *LAYERS)


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def folders_with_modules() -> dict[str, str]:
    """Import name -> folder of every package in the checkout."""
    found = {}
    for top in SOURCES:
        for marker in (ROOT / top).rglob("__init__.py"):
            folder = marker.parent.relative_to(ROOT)
            name = ".".join(folder.parts if top == "pcg" else ("pcg", *folder.parts))
            found[name] = folder.as_posix()
    return found


def data_files() -> set[str]:
    """Every file of the packages that is not Python, as its path in an installation."""
    found = set()
    for top in SOURCES:
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and path.suffix not in {".py", ".pyc", ".kernels"}:
                inside = path.relative_to(ROOT).as_posix()
                found.add(inside if top == "pcg" else f"pcg/{inside}")
    return found


@pytest.mark.full
def test_wheel_holds_every_module_and_every_data_file(pure_wheel: Path) -> None:
    names = {n for n in zipfile.ZipFile(pure_wheel).namelist() if ".dist-info/" not in n}
    modules = set()
    for package, folder in folders_with_modules().items():
        modules.update(f"{package.replace('.', '/')}/{p.name}" for p in (ROOT / folder).glob("*.py"))
    assert names == modules | data_files()


@pytest.mark.full
def test_wheel_works_without_the_checkout(pure_wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(pure_wheel).extractall(tmp_path / "site")
    program = (
        "import pathlib, pcg, pcg.engine, pcg.generators, pcg.cli\n"
        "import pcg.engine.vgdl as vgdl\n"
        "print(pathlib.Path(vgdl.__file__).parents[3])\n"
        "game = pcg.load('dungeon')\n"
        "print(len(game.levels))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(tmp_path / "site"), "5"]


def test_every_dependency_is_pinned_in_the_constraints(project: dict) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.!+]*", pin) for pin in pins)
    pinned = {re.sub(r"[-_.]+", "-", pin.split("==")[0]).lower() for pin in pins}
    table = project["project"]
    wanted = [*table["dependencies"], *(name for extra in table["optional-dependencies"].values() for name in extra)]
    names = {re.match(r"[A-Za-z0-9-]+", text)[0].lower() for text in wanted}
    assert names <= pinned


def test_importing_pcg_imports_nothing_heavy() -> None:
    program = (
        "import sys, pcg, pcg.cli; print([m for m in ('numba', 'numpy', 'matplotlib', 'lark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_exported_name_exists_and_a_wrong_one_says_what_there_is() -> None:
    import pcg

    for name in pcg.__all__:
        assert getattr(pcg, name) is not None
    assert set(pcg.__all__) == set(dir(pcg))
    with pytest.raises(AttributeError, match=r"it exports .*load"):
        _ = pcg.lode  # type: ignore[attr-defined]
