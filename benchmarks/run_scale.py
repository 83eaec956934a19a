"""Costs of a long run beside its evaluations: memory, time per candidate, time per checkpoint, time to resume.

Evaluations are made up in no time (from a hash of the level, a third of them feasible), so all that is measured is the
run itself: asking, logging, keeping the best, telling, checkpoints. A row every tenth of the way shows what grows.

    python benchmarks/run_scale.py [--evaluations N] [--generator NAME] [--game GAME] [--json]
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import CONSTRAINTS
from pcg.runs import LevelProgress, LevelRun, resume, run_levels
from pcg.runs.experiments import levels


def made_up(level: str) -> Evaluation:
    """An evaluation of the usual size that depends on the level text alone."""
    draws = blake2b(level.encode(), digest_size=32).digest()
    feasible = draws[0] < 85
    constraint = 1.0 if feasible else draws[1] / 256
    names = [f"metric_{k}" for k in range(30)]
    return Evaluation(
        feasible,
        int.from_bytes(draws[2:6]) / 2**32 if feasible else 0.0,
        constraint,
        dict.fromkeys(CONSTRAINTS, constraint),
        {name: draws[k] / 256 for k, name in enumerate(names)},
        "complete" if feasible else "static",
        "solver" if feasible else "",
        1,
        "".join("UDLR"[b % 4] for b in draws) * 3 if feasible else "",
    )


class MadeUp(Executor):
    """Hands out made-up evaluations at once."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Answer a call of `evaluate_level`."""
        del function, named
        future: Future[Any] = Future()
        future.set_result((made_up(arguments[3]), 0.0))
        return future


def memory() -> float:
    """Largest memory of this process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--generator", default="evolve")
    parser.add_argument("--game", default="boxes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    spent = [0.0, 0]
    checkpoint = levels.LevelSearch.checkpoint

    def timed(run: Any) -> None:
        started = time.process_time()
        checkpoint(run)
        spent[0] += time.process_time() - started
        spent[1] += 1

    levels.LevelSearch.checkpoint = timed  # type: ignore[method-assign]
    rows: list[dict[str, float]] = []
    last = [time.process_time(), 0]

    def look(state: LevelProgress) -> None:
        if state.evaluations % max(1, options.evaluations // 10) == 0:
            now = time.process_time()
            rows.append(
                {
                    "evaluations": state.evaluations,
                    "ms_each": 1000 * (now - last[0]) / (state.evaluations - last[1]),
                    "checkpoint_ms": 1000 * spent[0] / max(1, spent[1]),
                    "memory_mib": memory(),
                }
            )
            if not options.json:
                print("{evaluations:12,.0f} {ms_each:9.2f} {checkpoint_ms:14.1f} {memory_mib:11.0f}".format(**rows[-1]),
                      flush=True)  # fmt: skip
            last[:] = [now, state.evaluations]
            spent[:] = [0.0, 0]

    if not options.json:
        print(f"{options.game}, {options.generator}: CPU time, load aside")
        print(f"{'evaluations':>12s} {'ms each':>9s} {'ms/checkpoint':>14s} {'memory MiB':>11s}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        config = LevelRun(options.game, generator=options.generator, evaluations=options.evaluations, distance=1.0,
                          checkpoint=500)  # fmt: skip
        run_levels(config, folder, executor=MadeUp(), progress=look)
        size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 2**20
        started = time.process_time()
        resume(folder, evaluations=options.evaluations + 1, executor=MadeUp())
        again = time.process_time() - started
    if options.json:
        print(json.dumps({"rows": rows, "resume_s": again, "folder_mib": size}, indent=1))
        return
    print(f"folder {size:,.0f} MiB; resumed in {again:.1f} s of CPU")


if __name__ == "__main__":
    main()
