"""A run: one experiment in one folder, written by one process at a time.

`Run` is what runs of all kinds have in common, whether they make levels, rules or games, tune a game, or play a
tournament: the folder, its exclusive lock, the manifest, and going on after a stop. `run_experiment` begins a run in a
new folder and `resume` goes on with the one that a folder holds; the kinds are in `EXPERIMENTS`.
"""

from __future__ import annotations

import contextlib
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypedDict, Unpack

import pcg
from pcg.engine.registry import Registry
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.lock import lock_run, new_run
from pcg.runs.store import FORMAT, check_run, to_json, write_whole


class RunOptions(TypedDict, total=False):
    """The choices of how a run is executed; none of them has an influence on the result of a counted budget.

    Attributes:
        workers: evaluations side by side (default: one per processor).
        executor: what evaluates: "threads", "processes", "local:N" or "tcp://host:port" (a Dask cluster), or any
            `concurrent.futures.Executor` of your own. By default threads; processes in long runs of rules and games,
            which take more Python.
        cache: folder of evaluations that runs share, "user" for the folder of the user's caches; for levels only.
        progress: called after every evaluation with the kind's `Progress`.
        command: command line to note in `timing.jsonl` (default: that of this process).
    """

    workers: int | None
    executor: Executor | str | None
    cache: Path | str | None
    progress: Callable[[Any], None] | None
    command: Sequence[str] | None


class Progress(Protocol):
    """State of a run, for a progress bar; its text is the line beside the bar."""

    @property
    def fraction(self) -> float:
        """Return the share of the budget that is spent, in [0, 1]."""


@dataclass(frozen=True)
class RunResult:
    """Result of a run; every kind adds its own fields."""

    folder: Path
    stopped: str
    """"evaluations", "seconds", "enough" or "interrupted"; "" or "time" for a tournament."""


class Experiment(Protocol):
    """The configuration of a run: what is to be done, with everything that decides the result."""

    kind: ClassVar[str]


class Run(ABC):
    """One run in one process.

    Attributes:
        kind: its name in `run.json` and in `EXPERIMENTS`.
        task: what such a run does, for messages: "makes levels".
        options: names of the options that it has: those of `RunOptions`, `seconds` and `evaluations`.
        log_name: the file of its log, which carries the lock.
        folder: of the run.
    """

    kind: ClassVar[str]
    task: ClassVar[str]
    options: ClassVar[tuple[str, ...]]
    log_name: ClassVar[str] = "events.jsonl"
    folder: Path

    @classmethod
    @abstractmethod
    def new(cls, config: Any, folder: Path) -> Self:
        """Return the run that a configuration describes; nothing is written.

        Raises:
            PcgError: for anything wrong with the configuration.
        """

    @classmethod
    @abstractmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder.

        Args:
            folder: of the run.
            manifest: its `run.json`.
            seconds: a new limit of time, None for its own.
            evaluations: a new number of evaluations, None for its own.

        Raises:
            PcgError: when it cannot be read.
        """

    @abstractmethod
    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of this kind of run, without `format`, `kind` and `versions`."""

    @abstractmethod
    def write_inputs(self) -> None:
        """Write the files that never change: what the run begins with."""

    def write_manifest(self) -> None:
        """Write `run.json`, whose presence makes the folder a run."""
        manifest = {"format": FORMAT, "kind": self.kind, **self.manifest(), "versions": versions()}
        write_whole(self.folder / "run.json", to_json(manifest, indent=1) + "\n")

    def create(self) -> None:
        """Fill the new folder with all that is there before the first evaluation.

        Raises:
            PcgError: when it cannot be written.
        """
        try:
            self.write_inputs()
            self.write_manifest()
        except OSError as error:
            raise PcgError(f"cannot write the run to {self.folder}: {error.strerror}") from None

    @abstractmethod
    def prepare(self, options: RunOptions) -> contextlib.AbstractContextManager[None]:
        """Open workers and whatever else is needed, for the time of a `with`; nothing is written to the folder.

        Raises:
            PcgError: for workers out of reach, and what else cannot be opened.
        """

    @abstractmethod
    def execute(self, options: RunOptions) -> Any:
        """Run to the end of the budget and return the result; also when interrupted with Ctrl-C."""


EXPERIMENTS: Registry[type[Run]] = Registry(
    "kind of run",
    builtin={
        "levels": "pcg.runs.experiments.levels:LevelSearch",
        "rules": "pcg.runs.experiments.rules:RuleSearch",
        "games": "pcg.runs.experiments.games:WholeGameSearch",
        "tuning": "pcg.runs.experiments.tuning:TuningSearch",
        "tournament": "pcg.runs.experiments.tournament:TournamentRun",
    },
)
"""Every kind of run, by its name in `run.json`."""


def run_experiment(config: Experiment, folder: Path | str, **options: Unpack[RunOptions]) -> Any:
    """Run an experiment into a new folder.

    Args:
        config: what to do; its `kind` says which run does it.
        folder: of the run; must not exist or be empty.
        options: see `RunOptions`.

    Returns:
        The kind's result; also when interrupted with Ctrl-C, after which `resume` goes on.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written; when another process writes to
            the folder.
    """
    folder = Path(folder)
    kind = EXPERIMENTS.find(config.kind)
    check_options(kind, {**options}, f"a run that {kind.task}")
    run = kind.new(config, folder)
    with run.prepare(options), new_run(folder, run.log_name):
        run.create()
        return run.execute(options)


def resume(
    folder: Path | str, *, seconds: float | None = None, evaluations: int | None = None, **options: Unpack[RunOptions]
) -> Any:
    """Go on with a run of any kind that was interrupted or killed, or give a finished one a larger budget.

    Args:
        folder: of the run.
        seconds: a new limit of time (of the whole run), instead of its own.
        evaluations: a new number of evaluations (of the whole run), instead of its own.
        options: see `RunOptions`.

    Returns:
        The result, as of the function that began the run.

    Raises:
        PcgError: when the folder is no run, one that this version cannot continue, or one that another process writes.

    >>> import tempfile
    >>> from pcg.runs import LevelRun, run_levels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run_levels(LevelRun("boxes", generator="random", evaluations=2), f"{folder}/run")
    ...     both = resume(f"{folder}/run", evaluations=4)
    >>> first.evaluations, both.evaluations
    (2, 4)
    """
    folder = Path(folder)
    kind = run_kind(folder)
    given = {"seconds": seconds, "evaluations": evaluations, **options}
    check_options(kind, given, f"{folder}, which holds a run that {kind.task},")
    return continue_run(kind, folder, seconds, evaluations, options)


def continue_run(
    kind: type[Run], folder: Path, seconds: float | None, evaluations: int | None, options: RunOptions
) -> Any:
    """Go on with a run whose kind is known.

    Args:
        kind: of the run in the folder.
        folder: of the run.
        seconds: see `resume`.
        evaluations: see `resume`.
        options: see `RunOptions`.
    """
    with lock_run(folder / kind.log_name):
        run = kind.open(folder, check_run(folder), seconds, evaluations)
        with run.prepare(options):
            run.write_manifest()
            return run.execute(options)


def run_kind(folder: Path) -> type[Run]:
    """Return the class that goes on with the run in a folder.

    Raises:
        PcgError: when the folder is no run, or one of a kind that `resume` does not go on with.
    """
    name = str(check_run(folder).get("kind", "levels"))
    if name not in EXPERIMENTS:
        raise PcgError(f"{folder} holds a run of kind {name!r}, expected one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def check_options(kind: type[Run], given: Mapping[str, object], what: str) -> None:
    """Refuse options that a kind of run does not have.

    Args:
        kind: of the run.
        given: options by name; those that are None were not given.
        what: the run, for messages.

    Raises:
        PcgError: when one is given that the kind does not have.
        TypeError: for a name that is no option of any run, as of a function that is called with an unknown argument.
    """
    for name, value in given.items():
        if name not in (*RunOptions.__annotations__, "seconds", "evaluations"):
            raise TypeError(f"a run has no option {name!r}, expected some of {', '.join(RunOptions.__annotations__)}")
        if value is not None and name not in kind.options:
            raise PcgError(f"{what} has no option {name} (expected {', '.join(kind.options)})")


def versions() -> dict[str, str]:
    """Return what a manifest says of the software."""
    return {
        "pcg": pcg.__version__,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }
