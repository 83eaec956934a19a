"""Fuzzes the engine: structured random games, random levels and actions, every tick held to `plays.check`.

    python tests/fuzz/fuzz_games.py --seeds CORPUS                                     # some inputs to begin with
    python tests/fuzz/fuzz_games.py CORPUS -max_total_time=600                         # compiled, with bounds checks
    PCG_KERNELS=python python tests/fuzz/fuzz_games.py CORPUS -max_total_time=600      # plain: the kernels are covered

Compiled code is fast and shows no coverage; without the compiler atheris sees every branch of the kernels and steers
towards new ones. Both can share a corpus. A failure is printed as the game that shows it.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

os.environ.setdefault("PCG_BOUNDSCHECK", "1")

import atheris

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(Path(__file__).parent))

COMPILED = os.environ.get("PCG_KERNELS", "aot") != "python"
KERNELS = [f"pcg.engine.kernel.{path.stem}" for path in (ROOT / "engine" / "kernel").glob("*.py")]

# the compiler needs the kernels as they are written
with atheris.instrument_imports(include=["pcg"], exclude=KERNELS if COMPILED else []):
    from choices import FuzzedChoices
    from limits import shrink
    from plays import check
    from random_games import random_play
    from random_texts import mutated_play

MOST_BYTES = 3000


def one_input(data: bytes) -> None:
    """Play one game; one in eight is a mutated game of the toolkit's own."""
    choices = FuzzedChoices(atheris.FuzzedDataProvider(data))
    if choices.integer(0, 7) == 7:
        play = mutated_play(choices, ticks=8)
    else:
        play = random_play(choices, ticks=30 if COMPILED else 12, cells=12 if COMPILED else 8)
    try:
        check(play)
    except BaseException:
        print(play, file=sys.stderr, flush=True)
        raise


def write_seeds(folder: Path) -> None:
    """Put random bytes into a corpus: any bytes are a game, but a fuzzer is slow to find long ones by itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(100):
        (folder / f"seed-{seed}").write_bytes(random.Random(seed).randbytes(MOST_BYTES))


if __name__ == "__main__":
    if "--seeds" in sys.argv:
        write_seeds(Path(sys.argv[-1]))
    else:
        if not COMPILED:
            shrink()
        atheris.Setup([*sys.argv, f"-max_len={MOST_BYTES}"], one_input)
        atheris.Fuzz()
