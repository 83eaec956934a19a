"""The command `doctor`: a report on this installation and its missing parts."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import typer

from pcg.cli.console import console, escape
from pcg.cli.options import JsonOption

UNWELL = 1
"""Exit code when something that the toolkit needs does not work."""
EXTRAS = {
    "gymnasium": "envs: environments for learning",
    "pettingzoo": "envs: environments for two players",
    "clingo": "asp: levels by answer-set programming",
    "ribs": "qd: quality-diversity archives",
    "distributed": "cluster: evaluation on other machines",
    "psycopg": "postgres: studies in a PostgreSQL database",
    "stable_baselines3": "rl: learners",
    "pyarrow": "tables: Parquet files",
}
"""Packages of the extras, and what each is for."""
RECORDED_ADVANCES = 5_300_000.0
"""Advances of the game `boxes` per second of processor time, as `pcg bench engine boxes` measured on two cores."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    name: str
    state: str
    """"ok", "note" for something that only some jobs need, or "wrong"."""
    text: str


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(doctor)


def doctor(as_json: JsonOption = False) -> None:
    """Look at this installation: versions, kernels, a play, speed, the cache folder, a browser, a database, extras.

    Exit code 1: something does not work that everything needs.
    """
    found = [look(name) for name, look in LOOKS.items()]
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False))
    else:
        from rich.table import Table

        colours = {"ok": "green", "note": "yellow", "wrong": "red"}
        table = Table("", "", "what was found")
        for one in found:
            table.add_row(one.name, f"[{colours[one.state]}]{one.state}[/]", escape(one.text))
        console().print(table)
    if any(one.state == "wrong" for one in found):
        raise typer.Exit(UNWELL)


def _versions(name: str) -> Finding:
    import pcg

    words = [f"pcg {pcg.__version__}", f"Python {platform.python_version()}"]
    words += [f"{package} {metadata.version(package)}" for package in ("numpy", "numba", "llvmlite")]
    return Finding(name, "ok", ", ".join(words))


def _machine(name: str) -> Finding:
    from pcg.engine.native.targets import host

    return Finding(name, "ok", f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, {host().name}")


def _kernels(name: str) -> Finding:
    from pcg.engine.kernel import runtime

    if runtime.MODE != "aot":
        return Finding(name, "note", f"PCG_KERNELS={runtime.MODE}: nothing is built ahead of time")
    from pcg.engine.native.loader import inventory

    missing = [row.package for row in inventory() if not row.size]
    if missing:
        return Finding(name, "note", f"not built yet: {', '.join(missing)}; `pcg warmup` builds them")
    return Finding(name, "ok", f"{len(inventory())} packages built")


def _play(name: str) -> Finding:
    import pcg

    state = pcg.load("boxes").start(level=0, seed=1)
    for _ in range(3):
        state.advance("RIGHT")
    sound = state.tick == 2
    return Finding(name, "ok" if sound else "wrong", "boxes starts and advances" if sound else f"tick {state.tick}")


def _speed(name: str) -> Finding:
    import pcg
    from pcg.engine.benchmark import measure

    speed = measure(pcg.load("boxes"), "boxes", 0.05).advance_per_s
    text = f"{speed / 1e6:.2f} million advances of boxes per second of processor time"
    text += f", {speed / RECORDED_ADVANCES:.2f} of the recorded {RECORDED_ADVANCES / 1e6:.1f}"
    slow = speed < RECORDED_ADVANCES / 10
    return Finding(name, "note" if slow else "ok", text + (": slow, is the compiler off?" if slow else ""))


def _cache(name: str) -> Finding:
    from pcg.engine.native import objects

    folder = objects.cache_folder()
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(place, os.W_OK):
        return Finding(name, "wrong", f"{folder} cannot be written; PCG_CACHE_DIR names another folder")
    free = shutil.disk_usage(place).free / 2**30
    return Finding(name, "ok" if free > 0.5 else "note", f"{folder}, {free:.0f} GB free")


def _browser(name: str) -> Finding:
    import webbrowser

    try:
        return Finding(name, "ok", f"--open uses {type(webbrowser.get()).__name__}")
    except webbrowser.Error:
        return Finding(name, "note", "none found: --open only prints the address of the page")


def _terminal(name: str) -> Finding:
    size = shutil.get_terminal_size()
    if not sys.stdout.isatty():
        return Finding(name, "note", "standard output is no terminal; `pcg play` needs one")
    fits = size.columns >= 80 and size.lines >= 24
    text = f"{size.columns} x {size.lines}" + ("" if fits else "; games fit 80 x 24")
    return Finding(name, "ok" if fits else "note", text)


def _database(name: str) -> Finding:
    import sqlite3
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "database")
        connection.execute("create table one (two int)")
        connection.close()
    url = os.environ.get("PCG_STUDY_DATABASE")
    return Finding(name, "ok", f"SQLite {sqlite3.sqlite_version}" + (", and PCG_STUDY_DATABASE is set" if url else ""))


def _extras(name: str) -> Finding:
    missing = [about for package, about in EXTRAS.items() if importlib.util.find_spec(package) is None]
    if not missing:
        return Finding(name, "ok", "all installed")
    return Finding(name, "note", "not installed: " + "; ".join(missing))


LOOKS: Mapping[str, Callable[[str], Finding]] = {
    "versions": _versions,
    "machine": _machine,
    "kernels": _kernels,
    "play": _play,
    "speed": _speed,
    "cache": _cache,
    "browser": _browser,
    "terminal": _terminal,
    "database": _database,
    "extras": _extras,
}
"""The checks, in the order of the report."""
