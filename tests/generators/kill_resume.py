"""Killing a run at random moments, for tests of any generator: `kill_and_resume`.

A small program (this file, run as one) loads and compiles everything once and then forks a run for every line that it
reads, so that twenty sessions cost hardly more than one. The moments are random places in the log, and a random while
after them, so kills fall into evaluations, writes, checkpoints and the beginnings of sessions alike.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pcg.runs import LevelRun
from pcg.runs.experiments.games_config import GamesRun
from pcg.runs.experiments.tuning_config import TuningRun


def kill_and_resume(
    config: LevelRun | TuningRun | GamesRun, folder: Path, whole: Path, *, kills: int = 20, seed: int = 1
) -> list[int]:
    """Do a run in `folder` with `kills` interruptions by SIGKILL, each time going on, and finish it.

    Args:
        config: of the run.
        folder: of the run, new.
        whole: folder of the same run without interruptions; its log tells how far apart the moments are.
        kills: how often.
        seed: of the moments.

    Returns:
        Bytes of the log at each kill.
    """
    rng = random.Random(seed)
    final = (whole / "events.jsonl").stat().st_size
    moments = sorted(rng.randrange(int(0.9 * final)) for _ in range(kills))
    path = folder.with_suffix(".toml")
    path.write_text(config.to_toml())
    log = folder / "events.jsonl"
    kind = {LevelRun: "levels", TuningRun: "tuning", GamesRun: "games"}[type(config)]
    program = [sys.executable, __file__, kind, str(path), str(folder)]
    # without buffers, so that `select` sees all there is to read
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        found = []
        for moment in moments:
            nursery.stdin.write(b"session\n")
            pid = int(nursery.stdout.readline())
            while not (folder / "run.json").exists() or log.stat().st_size < moment:
                if _ended(nursery, 0.002):
                    break
            if not _ended(nursery, rng.random() * 0.03):
                os.kill(pid, signal.SIGKILL)
            status = int(nursery.stdout.readline())
            assert os.WIFSIGNALED(status), "the session ended by itself"
            assert os.WTERMSIG(status) == signal.SIGKILL
            found.append(log.stat().st_size)
        assert not (folder / "summary.json").exists()
        nursery.stdin.write(b"session\n")
        nursery.stdout.readline()
        assert int(nursery.stdout.readline()) == 0
        nursery.stdin.close()
    return found


def _ended(nursery: subprocess.Popen[bytes], seconds: float) -> bool:
    """Tell whether a session ends within a time."""
    return bool(select.select([nursery.stdout], [], [], seconds)[0])


def _levels(path: str) -> tuple[Callable[[Path], object], Callable[[Path], object]]:
    """Beginning and going on; what every session needs is loaded here once, by doing a little of the work."""
    from pcg.engine.game import load
    from pcg.evaluators.fitness import LevelEvaluator
    from pcg.generators.levels import make_generator
    from pcg.runs import LevelRun, resume, run_levels

    config = LevelRun.read(path)
    game = load(config.game, reading=config.reading or None)
    generator = make_generator(config.generator, game, seed=config.seed, **config.generator_parameters)
    evaluator = LevelEvaluator(game, **config.evaluation_parameters)
    for candidate in generator.ask(5):
        evaluator.evaluate(candidate.level, seed=config.seed)
    return lambda folder: run_levels(config, folder, workers=2), lambda folder: resume(folder, workers=2)


def _tuning(path: str) -> tuple[Callable[[Path], object], Callable[[Path], object]]:
    """The same of runs that tune a game."""
    from pcg.engine.game import load
    from pcg.generators.tuning import Objective, play_games
    from pcg.runs import TuningRun, resume, run_tuning

    config = TuningRun.read(path)
    play_games(
        load(config.game), Objective(config.target).agents, [0], plays=1, seed=1, sample=0, budget=5, max_ticks=5
    )
    return lambda folder: run_tuning(config, folder, workers=2), lambda folder: resume(folder, workers=2)


def _games(path: str) -> tuple[Callable[[Path], object], Callable[[Path], object]]:
    """The same of runs that make games."""
    from pcg.engine.game import load
    from pcg.generators.games import GameGenotype
    from pcg.runs import GamesRun, resume, run_games
    from pcg.runs.experiments.games import Work, evaluate_game

    config = GamesRun.read(path)
    evaluate_game(Work(tuple(config.evaluation_parameters.items()), 1), GameGenotype.of(load(config.sources[0])))
    return lambda folder: run_games(config, folder, workers=2), lambda folder: resume(folder, workers=2)


_KINDS = {"levels": _levels, "tuning": _tuning, "games": _games}


def _nursery(kind: str, path: str, folder: str) -> None:
    """For every line of input: start or continue the run, and print its process and then how it ended."""
    begin, go_on = _KINDS[kind](path)
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                (go_on if (Path(folder) / "run.json").exists() else begin)(Path(folder))
                status = 0
            finally:
                os._exit(status)
        print(pid, flush=True)
        print(os.waitpid(pid, 0)[1], flush=True)


if __name__ == "__main__":
    _nursery(*sys.argv[1:])
