"""Speed of two versions of the engine, in turn, in one sitting: how much a change gained, game by game.

    python benchmarks/before_after.py OLD/.venv/bin/python .venv/bin/python --corpus ../shared/gvgai

Each version runs in a process of its own, with its own interpreter and installed packages. A game is measured by one,
then by the other, several times over, and the best of each counts: what else the machine does falls on both alike.
The one-player games of the reference's table are measured, or our own without `--corpus`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from pcg.engine.benchmark import RATES, geometric_mean, read_peer
from pcg.engine.game import builtin_games

_WORKER = """
import json, sys
from pcg import load
from pcg.engine.benchmark import measure
for line in sys.stdin:
    label, source, seconds, tick = json.loads(line)
    speed = measure(load(source), label, seconds, *tick)
    print("RESULT " + json.dumps(speed.as_dict()), flush=True)
"""
_MOVE = "import pcg; state = pcg.load('dungeon').start(level=0, seed=1); state.advance('LEFT'); "
START_UP = {
    "import pcg": "import pcg",
    "pcg --help": "import sys; sys.argv = ['pcg', '--help']; from pcg.cli import main; main()",
    "first move": _MOVE,
    "first decision of mcts": _MOVE + "pcg.make_agent('mcts', seed=1, budget=100).act(state)",
}
"""Programs whose seconds and memory, as whole processes, are compared."""
_PEAK = """
import re, sys
sys.stderr.write(" " + re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""
TITLES = dict(zip(RATES, ("advance", "copy", "copy + advance", "copy + 10"), strict=True))


class Version:
    """A process that measures with one version of the toolkit."""

    def __init__(self, interpreter: Path, folder: str) -> None:
        self._process = subprocess.Popen(
            [str(interpreter), "-P", "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,  # not a checkout, whose packages would be found first
            env={**os.environ, "PYTHONPATH": ""},
        )

    def measure(self, label: str, source: str, seconds: float, tick: list[int]) -> dict[str, Any]:
        """Measure one game; `tick` is empty or holds the tick of the state that is copied."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([label, source, seconds, tick]) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("RESULT "):
                result: dict[str, Any] = json.loads(line[7:])
                return result
        raise SystemExit(f"{label}: the measuring process ended with status {self._process.wait()}")


def start_up(interpreters: list[Path], folder: str, tries: int = 7) -> dict[str, list[dict[str, float]]]:
    """Median seconds and most memory of whole processes, in turn, kernels compiled before."""
    found: dict[str, list[dict[str, float]]] = {}
    for name, program in START_UP.items():
        times: list[list[float]] = [[] for _ in interpreters]
        memory = [0.0 for _ in interpreters]
        code = f"try:\n    {program}\nexcept SystemExit: pass{_PEAK}"
        for _ in range(tries):
            for k, interpreter in enumerate(interpreters):
                begun = time.perf_counter()
                done = subprocess.run(
                    [str(interpreter), "-P", "-c", code],
                    capture_output=True,
                    text=True,
                    check=True,
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": ""},
                )
                times[k].append(time.perf_counter() - begun)
                memory[k] = int(done.stderr.split()[-1]) / 1024
        found[name] = [{"seconds": statistics.median(t), "MB": m} for t, m in zip(times, memory, strict=True)]
    return found


def games_of(corpus: Path | None, only: list[str]) -> dict[str, str]:
    """Games to measure, by label: what `pcg.load` takes."""
    if corpus is None:
        found = {name: name for name in builtin_games()}
    else:
        names = read_peer(corpus / "PEER_SPEED.tsv")
        found = {name: str((corpus / "games" / f"{name}.txt").resolve()) for name in names}
        found = {name: path for name, path in found.items() if Path(path).is_file()}
    return {name: path for name, path in found.items() if not only or name.rpartition("/")[2] in only}


def main() -> None:
    """Measure, print a table, and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="Python interpreter with the old version installed")
    parser.add_argument("after", type=Path, help="Python interpreter with the new version installed")
    parser.add_argument("--corpus", type=Path, help="folder with PEER_SPEED.tsv and games/")
    parser.add_argument("--games", nargs="*", default=[], help="only these")
    parser.add_argument("--seconds", type=float, default=0.2, help="of processor time for each operation and round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--from", type=int, nargs=1, default=[], dest="tick", help="copy the state at this tick")
    parser.add_argument("--json", type=Path, help="where to write all numbers")
    args = parser.parse_args()
    best: dict[str, list[dict[str, float]]] = {}
    interpreters = [path.absolute() for path in (args.before, args.after)]
    games = games_of(args.corpus, args.games)
    with tempfile.TemporaryDirectory() as folder:
        versions = [Version(path, folder) for path in interpreters]
        for label, source in track(games.items(), "measuring", console=Console(file=sys.stderr)):
            best[label] = [dict.fromkeys(RATES, 0.0) for _ in versions]
            for _ in range(args.rounds):
                for version, rates in zip(versions, best[label], strict=True):
                    speed = version.measure(label, source, args.seconds, args.tick)
                    rates.update({name: max(rates[name], speed[name]) for name in RATES})
        processes = start_up(interpreters, folder)
    gains = {label: {name: new[name] / old[name] for name in RATES} for label, (old, new) in best.items()}
    table = Table("game", *TITLES.values(), title="rate after / rate before, per second of processor time")
    for label, by in sorted(gains.items(), key=lambda item: item[1]["rollout10_per_s"]):
        table.add_row(label, *(f"{by[name]:.2f}" for name in RATES))
    table.add_section()
    table.add_row("geometric mean", *(f"{geometric_mean(g[name] for g in gains.values()):.3f}" for name in RATES))
    table.add_row("least", *(f"{min(g[name] for g in gains.values()):.2f}" for name in RATES))
    for column in table.columns[1:]:
        column.justify = "right"
    out = Console(width=None if sys.stdout.isatty() else 100)
    out.print(table)
    whole = Table("whole process", "before, s", "after, s", "before, MB", "after, MB")
    for name, (old, new) in processes.items():
        cells = (f"{old['seconds']:.2f}", f"{new['seconds']:.2f}", f"{old['MB']:.0f}", f"{new['MB']:.0f}")
        whole.add_row(name, *cells)
    out.print(whole)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        rows = [{"game": label, "before": old, "after": new} for label, (old, new) in best.items()]
        numbers = {"games": rows, "processes": processes}
        args.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
