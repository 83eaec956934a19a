"""Digests of random plays, one line per tick: to compare two processes, machines, or versions of the kernel.

    python tests/fuzz/traces.py 0 1000 > before.txt        # the plays of the seeds 0 to 999
    python tests/fuzz/traces.py 0 1000 --observable > x    # only what can be observed: for kernels of other layouts

With --plays it writes the plays themselves as JSON, cut off where a tick is much for plain Python. Without arguments
it reads such plays, and writes their traces as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from choices import SeededChoices
from plays import from_json, light, to_json, trace
from random_games import random_play


def main(arguments: list[str]) -> None:
    """Write the traces that the arguments ask for."""
    if not arguments:
        json.dump([trace(play) for play in from_json(sys.stdin.read())], sys.stdout)
        return
    seeds = range(int(arguments[0]), int(arguments[1]))
    plays = ((seed, random_play(SeededChoices(seed))) for seed in seeds)
    if "--plays" in arguments:
        sys.stdout.write(to_json([play for _, p in plays if (play := light(p)) is not None]))
        return
    for seed, play in plays:
        for number, line in enumerate(trace(play, exact="--observable" not in arguments)):
            print(seed, number - 1, line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
