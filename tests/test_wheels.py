"""Wheels with kernels in them: what `make wheels` puts together, and that it plays at once where it is installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

import pcg
from pcg.engine.kernel import runtime
from pcg.engine.native import objects
from pcg.engine.native.loader import inventory, prepare
from pcg.engine.native.selections import selections
from pcg.engine.native.sources import package_digest, packages
from pcg.engine.native.targets import TARGETS, host

pytestmark = pytest.mark.full

ENGINE = "pcg.engine.kernel"
SMALL = "pcg.evaluators.games"
"""A package of one kernel, which is built fast."""

DIGESTS = """
import json
from pcg.engine.native.selections import selections
from pcg.engine.native.sources import package_digest, packages
digests = {name: package_digest(name) for name in packages()}
print(json.dumps(digests | {name: one.digest for name, one in selections().items()}))
"""
FIRST_MOVE = """
import sys, pcg
state = pcg.load("boxes").start(level=0, seed=1)
state.advance("LEFT")
print(state.avatar, "numba" in sys.modules)
"""


@pytest.fixture(scope="module")
def unpacked(wheels: ModuleType, pure_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the pure wheel."""
    return wheels.unpack(pure_wheel, tmp_path_factory.mktemp("unpacked"))


def fake_objects(folder: Path) -> list[Path]:
    """Two files as they go into wheels, without code in them."""
    made = []
    for package in (ENGINE, SMALL):
        header = objects.Header(package, package_digest(package), "linux-arm64", False, "none", ())
        made.append(objects.write(folder, header, b"\0" * 1000))
    return made


def clean(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a user who has never run pcg, whose home and cache are in a folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PCG_", "PYTHON", "XDG_", "NUMBA_"))}
    return {**kept, "HOME": str(folder / "home"), "PCG_CACHE_DIR": str(folder / "cache"), **more}


def output(words: list[object], folder: Path, environment: dict[str, str]) -> str:
    """Return the output of a program that has to succeed."""
    done = subprocess.run([str(w) for w in words], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- putting them together ---


def test_every_platform_has_a_tag_that_installers_and_the_index_know(wheels: ModuleType) -> None:
    known = re.compile(r"manylinux_2_17_(x86_64|aarch64)|macosx_11_0_(x86_64|arm64)|win_(amd64|arm64)")
    assert all(known.fullmatch(tag) for tag in wheels.platforms())
    assert len(wheels.platforms()) == 6
    assert sorted(n for names in wheels.platforms().values() for n in names) == sorted(
        name for name, target in TARGETS.items() if not target.is_wasm
    )


@pytest.mark.skipif(not host().wheel, reason="no wheel is made for this machine")
def test_this_machine_accepts_the_wheel_made_for_it() -> None:
    assert f"py3-none-{host().wheel}" in {str(tag) for tag in sys_tags()}


def test_pure_wheel_is_for_any_platform_and_has_no_objects(pure_wheel: Path) -> None:
    assert pure_wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(pure_wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(objects.SUFFIX)]
        (about,) = (archive.read(n).decode() for n in archive.namelist() if n.endswith(".dist-info/WHEEL"))
    assert "Root-Is-Purelib: true\n" in about and "Tag: py3-none-any\n" in about


def test_platform_wheel_is_the_pure_one_with_objects(
    wheels: ModuleType, pure_wheel: Path, unpacked: Path, tmp_path: Path
) -> None:
    files = fake_objects(tmp_path)
    wheel = wheels.repack(unpacked, "manylinux_2_17_aarch64", files, tmp_path / "dist")
    name, version, build, tags = parse_wheel_filename(wheel.name)
    assert (name, build) == ("pcg-toolkit", ()) and str(version) in pure_wheel.name
    assert {str(tag) for tag in tags} == {"py3-none-manylinux_2_17_aarch64"}
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(pure_wheel) as pure:
        added = {f"{wheels.SHIPPED}/{path.name}": path.read_bytes() for path in files}
        assert set(archive.namelist()) == set(pure.namelist()) | set(added)
        changed = {n for n in pure.namelist() if archive.read(n) != pure.read(n)}
        assert {n.rpartition("/")[2] for n in changed} == {"WHEEL", "RECORD"}
        assert {n: archive.read(n) for n in added} == added
        (about,) = (archive.read(n).decode() for n in changed if n.endswith("/WHEEL"))
    assert "Root-Is-Purelib: false\n" in about and "Tag: py3-none-manylinux_2_17_aarch64\n" in about


def test_every_wheel_has_the_module_of_pages_the_pure_one_too(
    wheels: ModuleType, unpacked: Path, tmp_path: Path
) -> None:
    (page,) = selections().values()
    header = objects.Header(page.label, page.digest, page.target, False, "none", ())
    made = objects.write(tmp_path, header, b"\0asm")
    others = fake_objects(tmp_path)
    assert wheels.files_of(["linux-arm64"], tmp_path) == [*sorted(others), made]
    assert wheels.files_of([], tmp_path) == [made]
    wheel = wheels.repack(unpacked, wheels.PURE, wheels.files_of([], tmp_path), tmp_path / "dist")
    with zipfile.ZipFile(wheel) as archive:
        assert [n for n in archive.namelist() if n.endswith(objects.SUFFIX)] == [f"{wheels.SHIPPED}/{made.name}"]


def test_record_has_the_digest_and_the_size_of_every_file(wheels: ModuleType, unpacked: Path, tmp_path: Path) -> None:
    wheel = wheels.repack(unpacked, "win_amd64", fake_objects(tmp_path), tmp_path / "dist")
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (n for n in archive.namelist() if n.endswith(".dist-info/RECORD"))
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert list(rows) == archive.namelist() and rows.pop(record) == ["", ""]
        for name, (digest, size) in rows.items():
            data = archive.read(name)
            text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={text}", len(data))


def test_wheels_are_the_same_byte_for_byte_whenever_and_however_they_are_made(
    wheels: ModuleType, pure_wheel: Path, unpacked: Path, tmp_path: Path
) -> None:
    one = wheels.repack(unpacked, "win_arm64", fake_objects(tmp_path), tmp_path / "one")
    mask = os.umask(0o077)
    try:
        again = wheels.unpack(wheels.build_pure(tmp_path / "pure"), tmp_path / "again")
        other = wheels.repack(again, "win_arm64", reversed(fake_objects(tmp_path)), tmp_path / "other")
    finally:
        os.umask(mask)
    assert (tmp_path / "pure" / pure_wheel.name).read_bytes() == pure_wheel.read_bytes()
    assert other.read_bytes() == one.read_bytes()
    with zipfile.ZipFile(one) as archive:
        assert {info.external_attr >> 16 & 0o777 for info in archive.infolist() if not info.is_dir()} <= {0o644, 0o664}


# --- what decides whether an object fits ---


def digests() -> dict[str, str]:
    """The digests of this checkout, by package or selection."""
    found = {name: package_digest(name) for name in packages()}
    return found | {name: one.digest for name, one in selections().items()}


def test_digests_are_the_same_in_a_checkout_and_in_an_installation(unpacked: Path, tmp_path: Path) -> None:
    here = digests()
    there = output([sys.executable, "-P", "-c", DIGESTS], tmp_path, clean(tmp_path, PYTHONPATH=str(unpacked)))
    assert json.loads(there) == here


def test_digests_do_not_need_the_libraries_nor_depend_on_where_they_are(unpacked: Path, tmp_path: Path) -> None:
    """Some systems and some users have libraries in folders that Python does not know as its own."""
    made = tmp_path / "libraries"
    for name in ("numpy", "numba"):
        (made / name).mkdir(parents=True)
        (made / name / "__init__.py").write_text("import os\n")
    for name in ("lark", "llvmlite"):
        (made / name).mkdir()
        (made / name / "__init__.py").write_text("raise ImportError\n")
    environment = clean(tmp_path, PYTHONPATH=os.pathsep.join([str(unpacked), str(made)]))
    there = output([sys.executable, "-P", "-c", DIGESTS], tmp_path, environment)
    assert json.loads(there) == digests()


def test_objects_are_built_from_the_wheel_and_fit_it(wheels: ModuleType, unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    files = wheels.build_objects(unpacked, ["linux-arm64", "windows-x86-64-v2"], tmp_path / "objects", [SMALL])
    headers = [found[0] for found in map(objects.read, files) if found is not None]
    assert [(h.package, h.target, h.checked) for h in headers] == [
        (SMALL, "linux-arm64", False),
        (SMALL, "windows-x86-64-v2", False),
    ]
    assert {h.digest for h in headers} == {package_digest(SMALL)}


# --- installed ---


@pytest.fixture(scope="module")
def installed(wheels: ModuleType, unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `pcg` of a new environment, with this machine's wheel in it and the libraries of this environment.

    Its kernels are those of this user's cache folder, the same as `make wheels` would build.
    """
    if not host().wheel or runtime.MODE != "aot" or runtime.CHECKED:
        pytest.skip("no wheel is made for these kernels")
    folder = tmp_path_factory.mktemp("installed")
    prepare()
    names = [objects.file_name(row.package, row.digest, row.target, False) for row in inventory()]
    found = [next(p for p in (objects.SHIPPED / n, objects.cache_folder() / n) if p.is_file()) for n in names]
    wheel = wheels.repack(unpacked, host().wheel, found, folder)
    venv.create(folder / "venv", with_pip=False, symlinks=os.name != "nt")
    bin_folder = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    paths = sysconfig.get_paths(vars={"base": str(folder / "venv"), "platbase": str(folder / "venv")})
    # a folder that is named in a .pth file is searched, but its own .pth files, and with them this checkout, are not
    Path(paths["purelib"], "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    words = ["--no-index", "--no-deps", "--ignore-installed", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "--python", bin_folder / "python", "install", *words, wheel]
    output(pip, folder, clean(folder))
    command = shutil.which("pcg", path=str(bin_folder))
    assert command is not None
    return Path(command)


def built_files(folder: Path) -> list[Path]:
    """Kernels that were built by a user whose folders are in a folder."""
    return sorted(folder.rglob(f"*{objects.SUFFIX}"))


def test_first_move_of_an_installed_wheel_neither_builds_nor_imports_the_compiler(
    installed: Path, tmp_path: Path
) -> None:
    python = installed.with_name("python")
    where = output([python, "-P", "-c", "import pcg; print(*pcg.__path__)"], tmp_path, clean(tmp_path))
    assert Path(where.strip()).is_relative_to(installed.parents[1])
    state = pcg.load("boxes").start(level=0, seed=1)
    state.advance("LEFT")
    assert output([python, "-P", "-c", FIRST_MOVE], tmp_path, clean(tmp_path)) == f"{state.avatar} False\n"
    assert built_files(tmp_path) == []


def test_all_kernels_of_an_installed_wheel_are_shipped(installed: Path, tmp_path: Path) -> None:
    rows = json.loads(output([installed, "kernels", "list", "--json"], tmp_path, clean(tmp_path)))
    assert {row["package"]: row["origin"] for row in rows} == dict.fromkeys([*packages(), *selections()], "shipped")


def test_installed_wheel_makes_levels_and_builds_nothing(installed: Path, tmp_path: Path) -> None:
    words = ["--generator", "constructive", "-n", 2, "--seed", 1, "--evaluations", 20, "--out", tmp_path / "run"]
    output([installed, "levels", "dungeon", *words], tmp_path, clean(tmp_path))
    assert len(list((tmp_path / "run" / "levels").glob("lvl*.txt"))) == 2
    assert built_files(tmp_path) == []


def test_a_shipped_object_of_other_sources_is_not_loaded(installed: Path, tmp_path: Path) -> None:
    """Somebody edits a kernel of an installed wheel: the old object must not run any more."""
    copy = tmp_path / "site"
    site = next((installed.parents[1]).rglob("pcg/__init__.py")).parent
    shutil.copytree(site, copy / "pcg", ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "pcg" / "engine" / "kernel" / "random.py").open("a", encoding="utf-8") as stream:
        stream.write("# edited\n")
    python = installed.with_name("python")
    words = [python, "-P", "-c", "from pcg.cli import main; main()", "kernels", "list", "--json"]
    rows = json.loads(output(words, tmp_path, clean(tmp_path, PYTHONPATH=str(copy))))
    assert {row["origin"] for row in rows if row["package"] == ENGINE} == {"missing"}
