"""Puzzles worth solving: levels of the `puzzle` generator against those of Boxoban, measured by one solver in one run.

Sokoban of 10 x 10 cells with four boxes. Boxoban (Guez et al. 2018, github.com/google-deepmind/boxoban-levels) is read
from a copy of its repository, with or without a working tree; nothing of it is kept but numbers. Results are kept
as JSON lines, so that a run can be stopped and gone on with. `report` writes docs/results/puzzles.md.

    python benchmarks/puzzles.py measure --boxoban PATH
    python benchmarks/puzzles.py report
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs as a program too

from pcg.engine.game import Game, load
from pcg.evaluators.agents import replay
from pcg.evaluators.pushing import PushBoard, difficulty, push_rules, solve_pushes
from pcg.generators.levels.registry import make_generator

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "runs" / "puzzles" / "results.jsonl"
REPORT = ROOT / "docs" / "results" / "puzzles.md"
SIDE, BOXES = 10, 4
LEVELS = 100
TRIES = 40
BUDGET = 1200.0
"""Processor seconds that the levels may take: ten minutes of two cores."""
SETS: dict[str, tuple[str, ...]] = {
    "medium": tuple(f"medium/train/{k:03}.txt" for k in (0, 100, 200, 300, 400)),
    "hard": tuple(f"hard/{k:03}.txt" for k in range(4)),
}
"""Files of the sets, of each of which equally many levels are measured."""
OURS = "ours"
SHOWN = 10
BOOTSTRAPS = 2_000
SOKOBAN = """\
BasicGame
    SpriteSet
        floor > Immovable color=LIGHTGRAY
        mark > Immovable color=RED
        wall > Immovable color=BROWN
        crate > Passive
            box > color=ORANGE
            home > color=GREEN
        hero > MovingAvatar color=LIGHTBLUE
    InteractionSet
        hero wall > stepBack
        crate hero > bounceForward
        crate wall crate > undoAll
        box mark > transformTo stype=home scoreChange=1
        home floor > transformTo stype=box scoreChange=-1
    LevelMapping
        . > floor
        w > wall
        o > mark
        b > floor box
        A > floor hero
    TerminationSet
        SpriteCounter stype=box limit=0 win=True
"""
"""The usual Sokoban: a box on a mark can be pushed off again, and all must be home at once."""
COLUMNS: tuple[tuple[str, str], ...] = (
    ("pushes", "fewest pushes"),
    ("moves", "fewest moves"),
    ("effort", "positions the search looks at"),
    ("detour", "pushes beyond each box alone"),
    ("away", "pushes away from the goals"),
    ("off_goal", "pushes off a goal"),
    ("changes", "changes from box to box"),
    ("dead_ends", "share of pushes that lose"),
    ("forced", "share of pushes without an equal"),
)
BARS = ("pushes", "moves", "effort")
PROVER = """\
The same solver is a method of the [prover](../agents.md#proofs-that-levels-can-be-won). On the 15 hand-made levels of \
the corpus' `sokoban`, `realsokoban` and `wrapsokoban` (`benchmarks/provability.py measure --seconds 6 --games ...`), \
version 5 of the prover wins 14 within 6 s each, in 8.2 s for these; version 6 wins all 15, in 6.0 s: `sokoban` 0 in \
0.5 s instead of not at all, `realsokoban` 1 in 0.0 s instead of 3.0 s. On levels that wrap around, whose edges the \
board does not show, it helps less: 4 of 5 are still won by explorations."""
"""Seconds of processor time, one process, 24 November 2026."""
READING = """\
Read as a player would, with the solutions at hand (seed 1). There is an idea in most: a box is put on a goal to make \
way for the others and taken off again (0, 2, 6, 7); the box beside its goal has to leave first and comes home last \
(9); boxes have to be sorted in a small room before any can go (1, 3, 5); a way that is shut by a box opens by pushing \
it where it does not belong (4, 8). What a designer would do better: 1, 3 and 5 change from box to box about twenty \
times in a heap, which is toil as much as thought; some dead-end alcoves (the top of 6 and 7) stay because pushing a \
box there is a wrong try, which only a search is likely to make; and little is symmetrical or looks like a place."""
"""Remarks on the first levels of seed 1."""


def boxoban(folder: Path, file: str) -> list[str]:
    """Return the levels of a file of Boxoban.

    Args:
        folder: of the repository, or its git directory.
        file: path inside it.
    """
    if (folder / file).exists():
        text = (folder / file).read_text(encoding="utf-8")
    else:
        command = ["git", f"--git-dir={folder}", "show", f"HEAD:{file}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [part.partition("\n")[2].strip("\n") for part in text.split(";")[1:]]


def game_of_sokoban() -> Game:
    """Return the game that levels are made for."""
    return load(SOKOBAN)


def measure(args: argparse.Namespace) -> int:
    """Measure what has not been measured; returns an exit status."""
    done = stored(args.store)
    until = time.monotonic() + 60 * args.minutes if args.minutes else float("inf")
    tasks = list(_foreign(args.boxoban, args.levels)) + list(_own(args.seed))
    # the sets take turns, so that a run that is cut off has some of each
    for name, number, make in sorted(tasks, key=lambda task: (task[1], task[0])):
        if (name, number) in done:
            continue
        if time.monotonic() >= until:
            break
        began = time.process_time()
        board, text = make()
        made = time.process_time() - began
        began = time.process_time()
        found = difficulty(board)
        seconds = time.process_time() - began
        row: dict[str, Any] = {"set": name, "number": number, "made": round(made, 3), "seconds": round(seconds, 3)}
        if found is not None:
            row |= asdict(found)
        if name == OURS:
            row |= {"level": text, "proved": proved(game_of_sokoban(), text)}
        args.store.parent.mkdir(parents=True, exist_ok=True)
        with args.store.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return 0


def _foreign(folder: Path, count: int) -> Iterator[tuple[str, int, Callable[[], tuple[PushBoard, str]]]]:
    for name, files in SETS.items():
        each = count // len(files)
        texts = [text for file in files for text in boxoban(folder, file)[:each]]
        for number, text in enumerate(texts):
            yield name, number, lambda text=text: (PushBoard.drawn(text), "")


def _own(seed: int) -> Iterator[tuple[str, int, Callable[[], tuple[PushBoard, str]]]]:
    game = game_of_sokoban()
    sides = {f"{end}_{side}": SIDE for end in ("min", "max") for side in ("width", "height")}
    rules = push_rules(game.definition)
    assert rules is not None
    generator: Any = make_generator("puzzle", game, seed=seed, boxes=BOXES, tries=TRIES, **sides)

    def make(number: int) -> tuple[PushBoard, str]:
        text = generator.generate(generator.rng(number))
        board = rules.board(game.start(text, seed=1))
        assert board is not None
        return board, text

    for number in range(LEVELS):
        yield OURS, number, lambda number=number: make(number)


def proved(game: Game, text: str) -> bool:
    """Return whether our solver's solution wins a level in the engine."""
    rules = push_rules(game.definition)
    board = rules.board(game.start(text, seed=1)) if rules is not None else None
    solution = solve_pushes(board) if board is not None else None
    return solution is not None and replay(game.start(text, seed=1), solution.actions)[-1].winner == 1


def stored(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the rows of the store; a line that was cut off is left out."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[row["set"], row["number"]] = row
    return found


# --- the page ---------------------------------------------------------------------------------------------------------


def median(values: Sequence[float], seed: int = 1) -> str:
    """Return a median with its 95 % interval, by bootstrap over levels."""
    numbers = np.array(values, np.float64)
    rng = np.random.default_rng(seed)
    drawn = np.median(numbers[rng.integers(len(numbers), size=(BOOTSTRAPS, len(numbers)))], axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{np.median(numbers):.3g} ({low:.3g} to {high:.3g})"


def values_of(rows: Sequence[dict[str, Any]], name: str) -> list[float]:
    """Return a measure of all rows that have it."""
    return [float(row[name]) for row in rows if row.get(name) is not None]


def page(rows: Sequence[dict[str, Any]]) -> str:
    """Return the page as Markdown."""
    sets = {name: [row for row in rows if row["set"] == name] for name in (*SETS, OURS)}
    ours = sets[OURS]
    hard = {name: float(np.median(values_of(sets["hard"], name))) for name in BARS}
    as_hard = [row for row in ours if all((row.get(name) or 0) >= hard[name] for name in BARS)]
    made, longest = sum(row["made"] for row in ours), max(row["made"] for row in ours)
    kept = sum(bool(row.get("proved")) for row in ours)
    solved = ", ".join(f"{len(values_of(found, 'pushes'))} of {len(found)} ({name})" for name, found in sets.items())
    lines = [
        "# Puzzles worth solving",
        "",
        f"Sokoban of {SIDE} x {SIDE} cells with {BOXES} boxes: {len(ours)} levels of `pcg levels GAME --generator "
        f"puzzle` (`boxes={BOXES}`, `tries={TRIES}`) beside {len(sets['medium'])} levels of Boxoban's `medium/train` "
        f"and {len(sets['hard'])} of its `hard` set (Guez et al. 2018; as many from each of {len(SETS['medium'])} and "
        f"{len(SETS['hard'])} files), all measured by the same solver: A* with the least assignment of boxes to goals, "
        "which finds the fewest pushes, and the fewest moves in a second search. `python benchmarks/puzzles.py measure "
        "--boxoban PATH`, then `report`. Medians, with 95 % intervals by bootstrap over levels.",
        "",
        "| measure | " + " | ".join(f"{name} ({len(found)})" for name, found in sets.items()) + " |",
        "|---|" + "---:|" * len(sets),
        *(
            f"| {help} | " + " | ".join(median(values_of(found, name)) for found in sets.values()) + " |"
            for name, help in COLUMNS
        ),
        "",
        f"- Solved: {solved}.",
        f"- Proved by playing the solution in the engine: {kept} of {len(ours)} of ours.",
        f"- Making ours took {made:.0f} s of processor time, {made / len(ours):.2f} s for a level and {longest:.1f} s "
        f"at most (allowed for {LEVELS}: {BUDGET:.0f} s, ten minutes of two cores).",
        f"- At least as hard as the median of `hard` in pushes, moves and search effort at once: {len(as_hard)} of "
        f"{len(ours)} (wanted: 20).",
        "",
        PROVER,
        "",
        f"## {SHOWN} levels",
        "",
        f"The first {SHOWN} that were made, not chosen, counted from 0.",
        "",
        READING,
    ]
    for row in ours[:SHOWN]:
        said = (
            f"{row['pushes']} pushes, {row['moves']} moves, {row['effort']} positions looked at, {row['detour']} "
            f"pushes more than each box alone, {row['off_goal']} off a goal, {row['changes']} changes of box."
        )
        lines += ["", said, "", "```text", row["level"], "```"]
    return "\n".join(lines) + "\n"


def report(args: argparse.Namespace) -> int:
    """Write the page; returns an exit status."""
    rows = [row for _, row in sorted(stored(args.store).items())]
    missing = [name for name in (*SETS, OURS) if not any(row["set"] == name for row in rows)]
    if missing:
        print(f"{args.store}: nothing measured of {', '.join(missing)}")
        return 1
    args.out.write_text(page(rows), encoding="utf-8")
    return 0


def main() -> int:
    """Run the command that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="make levels and measure all")
    measuring.add_argument(
        "--boxoban", type=Path, required=True, help="folder of Boxoban's repository, or its git directory"
    )
    measuring.add_argument("--levels", type=int, default=300, help="levels of each of its sets")
    measuring.add_argument("--seed", type=int, default=1, help="of the levels that are made")
    measuring.add_argument("--minutes", type=float, default=0.0, help="stop after so much time, 0: when all is done")
    measuring.set_defaults(run=measure)
    reporting = commands.add_parser("report", help="write the page")
    reporting.add_argument("--out", type=Path, default=REPORT, help="file of the page")
    reporting.set_defaults(run=report)
    for one in (measuring, reporting):
        one.add_argument("--store", type=Path, default=STORE, help="file of the results")
    args = parser.parse_args()
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
