"""The options of all commands that begin or continue a run, declared once.

`@run_options(...)` gives a command the options of `RunChoices`, which it gets as its parameter `run`. A further option
of all runs is a field there and a line in `_SHARED`.
"""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import run_bar
from pcg.cli.run_json import Told, told_as_json
from pcg.cli.sources import STANDARD_INPUT, load_with_levels

if TYPE_CHECKING:
    from pcg.runs.run import RunOptions

# `vocabulary` gives these their sentences and says which default each has everywhere
SeedOption = Annotated[int, typer.Option(min=0)]
JsonOption = Annotated[bool, typer.Option("--json")]
HostOption = Annotated[str, typer.Option()]
PortOption = Annotated[
    int | None, typer.Option("--port", help="Port of the page. [default: 8350, or a free one if that is taken]")
]
OpenOption = Annotated[bool, typer.Option("--open/--no-open")]
WorkersOption = Annotated[int | None, typer.Option(min=1)]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        help="What evaluates on this machine: threads or processes. [default: threads; processes in long runs of games]"
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(help="Evaluate on a Dask cluster: its scheduler, as in tcp://host:8786, or local:N for N processes."),
]
CacheOption = Annotated[
    str | None,
    typer.Option(help="Folder of evaluations that runs share, so that no level is evaluated twice; user: your own."),
]
LoadOption = Annotated[
    list[Path] | None,
    typer.Option("--load", help="Python file that registers generators, agents and the like; may be repeated."),
]

_SHARED: dict[str, Any] = {
    "seed": SeedOption,
    "workers": WorkersOption,
    "executor": ExecutorOption,
    "cluster": ClusterOption,
    "cache": CacheOption,
}
"""Annotations of the options whose help is the same everywhere."""
_DEFAULTS = {"seed": 1, "as_json": False}
"""Defaults other than None."""

DRAWING = ("matplotlib.figure", "matplotlib.backends.backend_svg")
"""Modules that draw the figures of reports."""
LONG = 100
"""Evaluations from which on a run has processes (`pcg.runs.search.LONG_EVALUATIONS`, which takes long to import)."""


@dataclass(frozen=True)
class RunChoices:
    """The values of the options that all runs have."""

    out: Path | None
    budget: str | None
    evaluations: int | None
    default_budget: str
    seed: int
    workers: int | None
    executor: str | None
    cluster: str | None
    cache: str | None
    load: list[Path] | None
    settings: list[str] | None
    told: Told

    def sections(self, example: str, run: dict[str, Any], plugins: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
        """Return the configuration as the sections of a file.

        Args:
            example: of a setting, for messages.
            run: further keys of the section `run`.
            plugins: what is loaded besides the files of `--load`.

        Raises:
            PcgError: for a budget or a setting that cannot be read.
        """
        from pcg.engine.vgdl.diagnostics import PcgError

        if run.get("game") == STANDARD_INPUT:
            raise PcgError("a run keeps its game and is resumed: expected a file, not standard input (`-`)")
        if "game" in run:
            load_with_levels(run["game"], reading=run.get("reading") or None)  # its mistakes come before all others
        # a number of evaluations is a limit besides that of the budget, which then has no default
        budget = self.budget if self.budget is not None or self.evaluations is not None else self.default_budget
        seconds, number = read_budget(budget) if budget is not None else (0.0, 0)
        data: dict[str, dict[str, Any]] = {
            "run": {**run, "seed": self.seed, "load": shlex.join([*map(str, self.load or ()), *plugins])},
            "budget": {"seconds": seconds, "evaluations": number or self.evaluations or 0},
        }
        add_settings(data, self.settings, example)
        return data

    def folder(self, game: str, suffix: str) -> Path:
        """Return the folder of the run: the one that was named, or one named after the game."""
        self.told.folder = self.out or Path(f"{Path(game).stem}-{suffix}")
        return self.told.folder

    def execution(self) -> AbstractContextManager[RunOptions]:
        """Show the progress of a run for the time of a `with`, which gets how the run is to be executed.

        Raises:
            PcgError: when the options name two places, or none that there is.
        """
        return execution(self.workers, self.executor, self.cluster, self.cache)


def run_options(
    *, budget: str, folder: str, examples: str, imports: Sequence[str], cache: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of all runs; it gets them together as the argument `run`.

    Args:
        budget: the default budget.
        folder: the default folder, for the help text.
        examples: settings, for the help text of ``--set``.
        imports: modules that its worker processes need.
        cache: True for runs that can share evaluations.
    """
    shared = {
        "budget": Annotated[str | None, typer.Option(help=f"[default: {budget}]")],
        "evaluations": Annotated[
            int | None,
            typer.Option(min=1, help="Stop after so many candidates tried, besides any limit of time."),
        ],
        **_SHARED,
        "out": Annotated[Path | None, typer.Option(help=f"Folder of the run, new or empty. [default: {folder}]")],
        "load": LoadOption,
        "settings": Annotated[list[str] | None, typer.Option("--set", help=f"A parameter, as in {examples}.")],
        "as_json": JsonOption,
    }
    if not cache:
        del shared["cache"]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters
        names = [name for name in own if name != "run"]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=annotation)
            for name, annotation in shared.items()
        ]

        @functools.wraps(command)
        def wrapped(**given: Any) -> None:
            values = {"cache": None, "default_budget": budget, **{name: given.pop(name) for name in shared}}
            if not values["cluster"]:
                begin_copies(imports, values["workers"], _evaluations(values["budget"], values["evaluations"]))
            with told_as_json(values.pop("as_json")) as told:
                command(**given, run=RunChoices(**values, told=told))

        # typer reads the signature and the annotations; what is wrapped would contradict both
        del wrapped.__wrapped__
        parameters = [own[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names] + added
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapped

    return decorate


class _Process:
    """The process that a command runs in."""

    own = False
    """True where it was begun for the command, and ends with it."""


def take_process() -> None:
    """Say that this process is that of one command, which may begin further ones for its whole life."""
    _Process.own = True


def begin_copies(imports: Sequence[str], workers: int | None, evaluations: int = LONG) -> None:
    """Begin the process of which workers are copies, beside all that a command has to import itself first.

    Args:
        imports: names of the modules that workers need.
        workers: wanted; None for one per processor.
        evaluations: of the run; a short one begins no processes.
    """
    if _Process.own and evaluations >= LONG:
        from pcg.evaluators.processes import begin_fork_server

        begin_fork_server(imports, workers)


def _evaluations(budget: str | None, evaluations: int | None) -> int:
    """Return the number of evaluations of a run, or many where it is not limited by one."""
    number = re.fullmatch(r"\s*(\d{1,12})\s*evaluations?\s*", budget or "")
    return min(int(number[1]) if number else LONG, evaluations or LONG)


@contextmanager
def execution(
    workers: int | None, executor: str | None, cluster: str | None, cache: str | None
) -> Iterator[RunOptions]:
    """Show the progress of a run; yields the options of the run that say how it is executed.

    Raises:
        PcgError: when the options name two places, or none that there is.
    """
    place = _place(executor, cluster)
    with run_bar() as show:
        yield {"workers": workers, "executor": place, "cache": cache, "progress": show}


def _place(executor: str | None, cluster: str | None) -> str | None:
    """Return what evaluates."""
    from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
    from pcg.runs.executors import EXECUTORS

    if cluster is not None:
        if executor is not None:
            raise PcgError(f"--executor {executor} and --cluster {cluster}: expected one of the two")
        if ":" not in cluster:
            raise PcgError(f"--cluster {cluster}: expected tcp://HOST:PORT, as in tcp://host:8786, or local:N")
        return cluster
    if executor is not None and executor not in EXECUTORS:
        hint = did_you_mean(executor, EXECUTORS)
        raise PcgError(f"--executor {executor}: expected {' or '.join(EXECUTORS)}{hint}")
    return executor


def load_files(files: Sequence[Path] | None) -> None:
    """Import the files of ``--load`` for a command that makes no run."""
    from pcg.engine.registry import load_plugin

    for file in files or ():
        load_plugin(file)


def read_budget(text: str) -> tuple[float, int]:
    """Read seconds and evaluations, one of which is 0: "5m" is a time, "300evaluations" a number of evaluations.

    Raises:
        PcgError: for anything else.

    >>> read_budget("5m"), read_budget("300evaluations")
    ((300.0, 0), (0.0, 300))
    """
    from pcg.engine.vgdl.diagnostics import PcgError
    from pcg.runs.config import parse_seconds

    number = re.fullmatch(r"\s*(\d{1,12})\s*(evaluations?)?\s*", text)
    if number:
        if not int(number[1]):
            raise PcgError(f"--budget {text}: expected at least one evaluation")
        if not number[2]:
            raise PcgError(f"--budget {text}: a number needs its unit, did you mean `{number[1]}evaluations`?")
        return 0.0, int(number[1])
    try:
        return parse_seconds(text), 0
    except PcgError:
        raise PcgError(f"--budget {text}: expected a time such as 5m or 300s, or as in 300evaluations") from None


def add_settings(
    data: dict[str, dict[str, Any]], settings: list[str] | None, example: str = "generator.population=50"
) -> None:
    """Put settings such as ``section.name=value`` into their sections.

    Raises:
        PcgError: for a text of another form.

    >>> data = {}
    >>> add_settings(data, ["run.distance=0.2"])
    >>> data
    {'run': {'distance': '0.2'}}
    """
    from pcg.engine.vgdl.diagnostics import PcgError

    for text in settings or []:
        key, equals, value = text.partition("=")
        section, dot, name = key.strip().partition(".")
        if not (equals and dot and section and name):
            raise PcgError(f"--set {text}: expected section.name=value, as in {example}")
        data.setdefault(section, {})[name] = value.strip()
