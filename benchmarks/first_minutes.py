"""The first minutes of a new user: seconds and bytes of `import pcg`, `--help` and the commands of the README.

Every command runs in a process of its own, in an empty folder. A *cold* start has an empty cache folder: kernels are
built where the package brings none, by the first command that needs one. A *warm* one has what the cold one left.
Seconds are of the wall and of the processor (with those of the processes that it started), bytes of the largest
resident memory, of all that is printed, and of all that is written. In the end come the sizes of the wheel and of the
cache folder.

    python benchmarks/first_minutes.py                  # warm, quick commands, of this checkout
    python benchmarks/first_minutes.py --cold --all     # also from an empty cache, and the long commands
    python benchmarks/first_minutes.py --cold --wheel dist/pcg_toolkit-0.1.0-py3-none-manylinux_2_17_x86_64.whl
    python benchmarks/first_minutes.py --python OLD/.venv/bin/python      # of another version

A wheel is installed into a new environment, which borrows the libraries of this one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "python"
"""Stands for the interpreter in a command."""
PCG = [PYTHON, "-P", "-c", "from pcg.cli import main; main()"]
RUNS = {
    "import pcg": [PYTHON, "-P", "-c", "import pcg"],
    "first own move": [PYTHON, "-P", "-c", "import pcg; pcg.load('boxes').start(0).advance('LEFT')"],
    "pcg levels dungeon, to the first": [
        *PCG,
        *shlex.split("levels dungeon --generator constructive -n 1 --evaluations 4 --seed 1 --workers 2 --out first"),
    ],
    "pcg warmup": [*PCG, "warmup"],
    "pcg --version": [*PCG, "--version"],
    "pcg --help": [*PCG, "--help"],
    "pcg list": [*PCG, "list"],
    "pcg games": [*PCG, "games"],
    "pcg check dungeon": [*PCG, "check", "dungeon"],
    "pcg render boxes": [*PCG, "render", "boxes"],
    "pcg describe boxes": [*PCG, "describe", "boxes"],
    "pcg measure boxes 0": [*PCG, "measure", "boxes", "0"],
    "pcg play hunt --agent mcts": [*PCG, "play", "hunt", "--agent", "mcts", "--budget", "100calls"],
    "pcg export boxes": [*PCG, "export", "boxes", "--out", "boxes.html"],
}
"""Quick ones, by what is printed."""


@dataclass(frozen=True)
class Row:
    """One command, measured.

    Attributes:
        name: as a user types it.
        start: "cold" or "warm".
        seconds: of the wall.
        processor: seconds of processor time, which other work on the machine lengthens less.
        memory: largest resident memory in bytes.
        printed: bytes on both streams.
        written: bytes of files left in its folder.
        code: exit code.
    """

    name: str
    start: str
    seconds: float
    processor: float
    memory: int
    printed: int
    written: int
    code: int


def readme_commands() -> dict[str, list[str]]:
    """Return the `pcg` commands of the README's console blocks, in order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for body in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.M):
            program, *arguments = shlex.split(command.replace("\\\n", " "))
            assert program == "pcg", command
            found[command.replace("\\\n", " ")] = [*PCG, *arguments]
    return found


def readme_files() -> dict[str, str]:
    """Return the files that blocks of the README with a title are saved as."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.M | re.S))


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def installed(wheel: Path, folder: Path) -> Path:
    """Install a wheel into a new environment, which finds the libraries of this one, and return its interpreter."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    # the .pth files of a folder that is named in one are not read, so no checkout is found this way
    Path(paths["purelib"], "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    words = ["--no-index", "--no-deps", "--ignore-installed", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *words, str(wheel)]
    subprocess.run(pip, check=True, env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    return python


def measure(name: str, command: list[str], start: str, folder: Path, cache: Path, python: Path | None) -> Row:
    """Run a command with an interpreter, or with this one on this checkout, and measure it."""
    command = [str(python or sys.executable) if word == PYTHON else word for word in command]
    environment = {**os.environ, "PCG_CACHE_DIR": str(cache), "PYTHONPATH": "" if python else str(ROOT)}
    before, began = size_of(folder), time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        printed = out.seek(0, os.SEEK_END)
    scale = 1 if sys.platform == "darwin" else 1024
    return Row(
        name,
        start,
        seconds,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * scale,
        printed,
        size_of(folder) - before,
        process.returncode,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cold", action="store_true", help="also from an empty cache folder")
    parser.add_argument("--all", action="store_true", help="also the commands of the README, which take minutes")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--wheel", type=Path, help="measure this wheel instead of the checkout")
    which.add_argument("--python", type=Path, help="measure what this interpreter has installed")
    parser.add_argument("--json", type=Path, help="file to write the numbers to")
    arguments = parser.parse_args()
    commands = RUNS | (readme_commands() if arguments.all else {})
    rows = []
    with tempfile.TemporaryDirectory() as place:
        known = os.environ.get("PCG_CACHE_DIR", "")
        python = arguments.python and arguments.python.absolute()
        if arguments.wheel is not None:
            python = installed(arguments.wheel.resolve(), Path(place) / "environment")
        cache = Path(place) / "cache" if arguments.cold or not known else Path(known)
        print(f"{'seconds':>8} {'cpu':>7} {'MB':>6} {'printed':>8} {'written':>9}  command")
        for start in ["cold", "warm"] if arguments.cold else ["warm"]:
            folder = Path(place) / start
            folder.mkdir()
            for name, text in readme_files().items():
                (folder / name).write_text(text, encoding="utf-8")
            for name, command in commands.items():
                row = measure(name, command, start, folder, cache, python)
                rows.append(row)
                failed = "" if row.code == 0 else f"   exit code {row.code}"
                numbers = f"{row.seconds:8.2f} {row.processor:7.2f} {row.memory / 1e6:6.0f}"
                print(f"{numbers} {row.printed:8,} {row.written:9,}  {start}: {name}{failed}", flush=True)
        if arguments.wheel is not None:
            print(f"wheel: {arguments.wheel.stat().st_size:,} bytes")
        kernels = [path for path in cache.rglob("*") if path.is_file()] if cache.is_dir() else []
        print(f"cache folder: {sum(path.stat().st_size for path in kernels):,} bytes in {len(kernels)} files")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
