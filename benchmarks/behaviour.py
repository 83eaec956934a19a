"""Behaviour of agents and generators as digests: what a change that must change nothing is held against.

    python benchmarks/behaviour.py record before.json
    ... change something ...
    python benchmarks/behaviour.py record after.json
    python benchmarks/behaviour.py compare before.json after.json

Recorded are the decisions of every agent (12 games, 2 levels, 3 seeds, 300 forward-model calls per decision) and the
bytes of the runs of every generator of levels, rules and games, of every optimiser, and of a tournament. Manifests,
times and reports, which tell of the machine, are left out. Nothing here is timed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pcg
from pcg.evaluators.agents import AGENTS
from pcg.generators.games.registry import GAME_GENERATORS
from pcg.generators.levels import GENERATORS
from pcg.generators.rules.registry import RULE_GENERATORS
from pcg.generators.tuning.registry import OPTIMISERS

GAMES = (
    *("alchemy", "baskets", "boxes", "crossing", "digger", "dungeon"),
    *("harvest", "hunt", "invaders", "portals", "siege", "tag"),
)
"""Games of every kind: puzzles, chases, shooters, traffic, two players."""
BOARDS = ("connect-four", "breakthrough", "tic-tac-toe-large")
LEVELS = (0, 1)
SEEDS = (1, 2, 3)
CALLS = 300
TICKS = 40
LEVEL_GAMES = ("dungeon", "boxes", "crossing")
TUNED = ("--params", "sprite.mothership.prob=0.01..0.1:0.01")
LEFT_OUT = ("run.json", "timing", "manifest", "report", "workers")
"""Parts of names of files that are not held against each other."""


def digest(text: str | bytes) -> str:
    """First 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


def decisions(agent: str, game_name: str) -> str:
    """Digest of an agent's actions in all plays of a game, or the message with which it declines to play."""
    game = pcg.load(game_name)
    played = []
    for level in LEVELS:
        for seed in SEEDS:
            try:
                state = game.start(level=level, seed=seed)
                players = state.model.players
                agents = [pcg.make_agent(agent, seed=seed + k, budget=CALLS, player=k) for k in range(players)]
                playout = pcg.play(state, agents if players > 1 else agents[0], max_ticks=TICKS)
                played.append([playout.actions, playout.score, str(playout.winner), playout.calls])
            except Exception as error:
                played.append([type(error).__name__, str(error)])
    return digest(repr(played))


def run_files(folder: Path) -> str:
    """Digest of the names and bytes of a run's files, those that tell of the machine left out."""
    lines = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(part in name for part in LEFT_OUT) and path.suffix not in (".png", ".gif"):
            lines.append(f"{name} {digest(path.read_bytes())}")
    return digest("\n".join(lines))


def runs() -> Iterator[tuple[str, list[str]]]:
    """Name and command line of every run that is recorded."""
    for name in GENERATORS:
        for game in LEVEL_GAMES:
            command = ["levels", game, "--generator", name, "--evaluations", "40", "--seed", "5", "-n", "4"]
            yield f"levels {name} {game}", command
    for name in RULE_GENERATORS:
        command = [
            "rules",
            "dungeon",
            "--generator",
            name,
            "--level",
            "0",
            "--budget",
            "40evaluations",
            "--seed",
            "5",
            "-n",
            "3",
        ]
        yield f"rules {name}", command
    for name in GAME_GENERATORS:
        sources = ["dungeon", "hunt"] if name == "crossover" else ["hunt"]
        command = [
            "games",
            "evolve",
            *sources,
            "--generator",
            name,
            "--budget",
            "30evaluations",
            "--seed",
            "5",
            "-n",
            "3",
        ]
        yield f"games {name}", command
    for name in OPTIMISERS:
        target = ["--target", "duration:onestep=40..80", "--levels", "0", *TUNED]
        yield (
            f"tune {name}",
            ["tune", "invaders", *target, "--optimiser", name, "--budget", "20evaluations", "--seed", "5"],
        )
    agents = ["--agents", "random,onestep,mcts", "--budget", "50calls", "--max-ticks", "100"]
    yield "tournament", ["tournament", "--games", "boxes,hunt", *agents, "--seed", "5"]


def run_digest(command: list[str]) -> str:
    """Digest of what a command leaves in its folder, with its exit status."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        whole = [str(Path(sys.executable).with_name("pcg")), *command, "--out", str(folder)]
        done = subprocess.run(whole, capture_output=True, text=True, check=False)
        status = f"{done.returncode} {run_files(folder)}"
        if done.returncode > 1:
            status += " " + done.stderr.strip().splitlines()[-1][:200]
        shutil.rmtree(folder, ignore_errors=True)
    return status


def record(path: Path, only: str) -> None:
    """Record everything whose name begins with `only`, and write it."""
    found: dict[str, str] = {}
    for agent in AGENTS:
        for game in (*GAMES, *BOARDS):
            name = f"decisions {agent} {game}"
            if name.startswith(only) and agent != "replay":
                found[name] = decisions(agent, game)
                print(f"{name}: {found[name]}", flush=True)
    for name, command in runs():
        if name.startswith(only):
            found[name] = run_digest(command)
            print(f"{name}: {found[name]}", flush=True)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def compare(before: Path, after: Path) -> int:
    """Print what differs; returns 1 when anything does."""
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    for name in names:
        print(f"{name}: {old.get(name, 'not there')} -> {new.get(name, 'not there')}")
    print(f"{len(names)} of {len({*old, *new})} differ")
    return 1 if names else 0


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("file", type=Path)
    recording.add_argument("--only", default="", help="names that begin so, as in `levels` or `decisions mcts`")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "record":
        record(given.file, given.only)
    else:
        raise SystemExit(compare(given.before, given.after))


if __name__ == "__main__":
    main()
