"""Wheels: a pure one, whose first use builds the kernels, and one for each platform, with its kernels in it.

The kernels are object files without any Python in them, so the platform wheels are the pure one with files added, and
all of them come from one machine without a cross-compiler. What is the same on every machine, the WebAssembly module of
pages in the browser, is in all of them, the pure one too. The objects are built from the unpacked pure wheel, not
from the checkout: what they are made of is then, file by file, what is installed with them. The same sources and the
same versions of the libraries give the same wheels, byte for byte.

It stands in a folder of its own because it is no part of the package, measures nothing, and needs what only those who
make releases need (`wheel`, of the extra `dev`).

    python -m tools.wheels --out dist
    python -m tools.wheels --out dist --platform manylinux_2_17_x86_64
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from pcg.engine.native.objects import SUFFIX
from pcg.engine.native.selections import selections
from pcg.engine.native.sources import packages as kernel_packages
from pcg.engine.native.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("pcg", "engine", "evaluators", "generators", "games")
PURE = "any"
"""Platform tag of the wheel without objects of any platform."""
SHIPPED = "pcg/engine/native/shipped"
"""Folder of the compiled objects in a wheel."""
_EPOCH = "1577836800"
"""Time of every file in a wheel, unless ``SOURCE_DATE_EPOCH`` says otherwise: the first second of 2020."""


def platforms() -> dict[str, list[str]]:
    """Return the platform tags of wheels with objects, and the targets of each."""
    found: dict[str, list[str]] = {}
    for name, target in TARGETS.items():
        if target.wheel:
            found.setdefault(target.wheel, []).append(name)
    return found


def build_pure(out: Path) -> Path:
    """Build the wheel without objects from a copy of the sources, with the installed build backend and no network.

    A copy, because the backend would also take what earlier builds have left in the checkout.
    """
    with tempfile.TemporaryDirectory(prefix="pcg-wheel-") as scratch:
        copy, made = Path(scratch) / "sources", Path(scratch) / "made"
        made.mkdir()
        for name in SOURCES:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", f"*{SUFFIX}"))
        for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy / name)
        _run([sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_wheel({str(made)!r})"], copy)
        (built,) = made.glob("*.whl")
        return repack(unpack(built, Path(scratch) / "unpacked"), PURE, [], out)


def unpack(wheel: Path, folder: Path) -> Path:
    """Unpack a wheel into a new folder and return the folder in it that holds the files."""
    _wheel("unpack", "--dest", str(folder), str(wheel))
    (inside,) = folder.iterdir()
    return inside


def build_objects(unpacked: Path, targets: Sequence[str], folder: Path, packages: Sequence[str] = ()) -> list[Path]:
    """Build the objects of an unpacked wheel and return their files.

    Args:
        unpacked: the folder that `unpack` returned.
        targets: names of targets. What they have in common is done once.
        folder: where the files go.
        packages: only those of these packages and selections.
    """
    words = ["kernels", "build", "--out", str(folder)]
    words += [word for name in targets for word in ("--processor", name)]
    words += [word for name in packages or [*kernel_packages(), *selections()] for word in ("--package", name)]
    environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_DISABLE_JIT", "PCG_BOUNDSCHECK")}
    environment |= {"PYTHONPATH": str(unpacked), "PCG_KERNELS": "build", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory(prefix="pcg-cache-") as cache:
        program = "from pcg.cli import main; main()"
        _run([sys.executable, "-P", "-c", program, *words], unpacked.parent, environment | {"PCG_CACHE_DIR": cache})
    return sorted(folder.glob(f"*{SUFFIX}"))


def repack(unpacked: Path, platform: str, objects: Iterable[Path], out: Path) -> Path:
    """Make a wheel of an unpacked one and of objects, and return its path. The unpacked one stays as it is.

    Args:
        unpacked: the folder that `unpack` returned.
        platform: platform tag of the wheel.
        objects: files that go into it.
        out: folder for the wheel.
    """
    with tempfile.TemporaryDirectory(prefix="pcg-wheel-") as scratch:
        copy = Path(scratch) / unpacked.name
        shutil.copytree(unpacked, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / SHIPPED).mkdir(exist_ok=True)
        for path in objects:
            shutil.copy(path, copy / SHIPPED)
        (about,) = copy.glob("*.dist-info/WHEEL")
        about.write_bytes(retagged(about.read_text(encoding="utf-8"), platform).encode())
        for path in copy.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)  # not what the umask was where this runs
        made = Path(scratch) / "made"
        made.mkdir()
        _wheel("pack", "--dest-dir", str(made), str(copy))
        (wheel,) = made.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, out / wheel.name))


def retagged(text: str, platform: str) -> str:
    """Return the text of a file WHEEL for another platform."""
    values = {
        "Root-Is-Purelib": "true" if platform == PURE else "false",
        "Tag": f"py3-none-{platform}",
    }
    lines = []
    for line in text.splitlines():
        name = line.partition(":")[0]
        lines.append(f"{name}: {values[name]}" if name in values else line)
    return "\n".join(lines) + "\n"


def build_wheels(wanted: Iterable[str], out: Path) -> list[Path]:
    """Build the pure wheel and those of platforms into a folder, in place of those of the same names."""
    tags = {platform: targets for platform, targets in platforms().items() if platform in wanted}
    with tempfile.TemporaryDirectory(prefix="pcg-wheels-") as scratch:
        unpacked = unpack(build_pure(Path(scratch)), Path(scratch) / "unpacked")
        objects = Path(scratch) / "objects"
        objects.mkdir()
        targets = [name for names in tags.values() for name in names]
        build_objects(unpacked, targets, objects, () if targets else tuple(selections()))
        wheels = [repack(unpacked, PURE, files_of([], objects), out)]
        for platform, names in tags.items():
            wheels.append(repack(unpacked, platform, files_of(names, objects), out))
    return wheels


def files_of(targets: Iterable[str], folder: Path) -> list[Path]:
    """Return the objects that a wheel for these targets holds: theirs, and the selections that are for any machine."""
    names = [*targets, *sorted({one.target for one in selections().values()})]
    return [path for name in names for path in sorted(folder.glob(f"*-{name}{SUFFIX}"))]


def _wheel(*words: str) -> None:
    """Run the command `wheel`, whose commands are its interface."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", _EPOCH)
    _run([sys.executable, "-m", "wheel", *words], ROOT, {**os.environ, "SOURCE_DATE_EPOCH": epoch})


def _run(words: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(words[:6])} ... ended with status {done.returncode}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheels (default: dist)")
    parser.add_argument(
        "--platform", action="append", choices=sorted(platforms()), help="only this one beside the pure one; repeatable"
    )
    args = parser.parse_args()
    wanted = args.platform or list(platforms())
    print(f"building the pure wheel, then the kernels for {len(wanted)} platforms; minutes ...", flush=True)
    started = time.perf_counter()
    for path in build_wheels(wanted, args.out.resolve()):
        print(f"{path.stat().st_size:>10,}  {path}")
    print(f"done in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
