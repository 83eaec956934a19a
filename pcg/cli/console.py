"""Basics of all commands: errors, exit codes, output and progress bars.

No command catches errors itself. `Commands` turns every error of bad input into one message on stderr and exit code 2,
and an interrupt into exit code 130; anything else is a bug of ours and keeps its traceback. Nothing heavier than typer
is imported here, so that `pcg --help` is instant.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from pcg.cli.usage import UsageErrors, usage_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.progress import Progress

BAD_INPUT = 2
"""Exit code for input that cannot be used: a bad text, a missing file, an unknown name."""
NOTHING_FOUND = 1
"""Exit code when a run ended without anything feasible."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells report it (128 + SIGINT)."""

_WIDE = 160
_WORDS = "pcg.cli.words"
"""Key of the words behind `pcg` in the context of a command."""


class _Verbosity:
    """Amount of messages besides results: set by ``--quiet`` and ``--verbose``."""

    quiet = False
    verbose = False


def set_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Say whether progress and notes are shown (not with `quiet`), and where errors come from (with `verbose`)."""
    _Verbosity.quiet, _Verbosity.verbose = quiet, verbose


def add_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Add what is said behind a command to what was said before it: ``pcg -q COMMAND`` is ``pcg COMMAND -q``."""
    set_verbosity(quiet=_Verbosity.quiet or quiet, verbose=_Verbosity.verbose or verbose)


def is_quiet() -> bool:
    """Return True if only results and errors are wanted."""
    return _Verbosity.quiet


def is_verbose() -> bool:
    """Return True if errors are shown with the place in the program that raised them."""
    return _Verbosity.verbose


def console() -> Console:
    """Return standard output, coloured when it is a terminal."""
    from rich.console import Console

    # Away from a terminal nothing says how wide a line may be; tables then take the room they need.
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)


def errors() -> Console:
    """Return standard error, for messages and progress bars, so that output can be piped."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=False)


def escape(text: str) -> str:
    """Return a text as it stands, for places where brackets would mean colours."""
    from rich.markup import escape as escape_markup

    return escape_markup(text)


def print_parameters(entries: Iterable[tuple[str, str, Iterable[Any]]]) -> None:
    """Print a table of (name, help, parameters); a parameter has `name`, `default` and `help`."""
    from rich.table import Table

    table = Table("name", "parameter", "default", "what it is")
    for name, about, params in entries:
        table.add_row(name, "", "", escape(about), style="bold")
        for param in params:
            table.add_row("", param.name, escape(str(param.default)), escape(param.help))
    console().print(table)


def report_error(message: str) -> None:
    """Print one message for bad input; text is taken literally, whatever brackets it holds."""
    print(f"pcg: {message}", file=sys.stderr)


def input_error(error: BaseException) -> str | None:
    """Return the message to show for an error that the input caused, or None for a bug.

    >>> input_error(FileNotFoundError(2, "No such file or directory", "maze.txt"))
    'cannot use `maze.txt`: No such file or directory'
    """
    from pcg.engine.vgdl.diagnostics import PcgError

    if isinstance(error, PcgError):
        return str(error)
    if isinstance(error, OSError):
        place = f"cannot use `{error.filename}`: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "not enough memory for this input"
    return None


class Commands(TyperGroup):
    """Group of commands that turns errors of every command into messages and exit codes.

    Attributes:
        order: names of commands in the order of the help.
        guesses: words that are no commands, and what people who try them look for.
    """

    order: ClassVar[tuple[str, ...]] = ()
    guesses: ClassVar[Mapping[str, str]] = {}

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the options before the command; those that there are not are told in one line."""
        words = list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except UsageErrors as error:
            self._refuse(error, words)
        context.meta[_WORDS] = words
        return context

    def _refuse(self, error: Any, words: Sequence[str]) -> NoReturn:
        """End with the one line that says what is wrong with a command."""
        if type(error).__name__ == "NoArgsIsHelpError":
            raise error
        report_error(usage_error(error, words, self))
        raise typer.Exit(BAD_INPUT) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first word names, and answer a known guess with what it stands for."""
        if ctx.parent is None and args and args[0] in self.guesses and args[0] not in self.commands:
            from pcg.engine.vgdl.diagnostics import PcgError

            raise PcgError(f"no command `{args[0]}`, did you mean {self.guesses[args[0]]}?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, whose help is plain text, or a group of such commands.

        In 80 columns the tables of typer, with a column for each kind of name, leave sentences a third of the width and
        cut words off; those of groups, whose commands have short names, stay.
        """
        found = super().get_command(ctx, cmd_name)
        for command in found.commands.values() if isinstance(found, TyperGroup) else [found]:
            if isinstance(command, TyperCommand):
                command.rich_markup_mode = None
        return found

    def invoke(self, ctx: Any) -> Any:
        """Run a command; bad input and Ctrl-C end it without a traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            report_error("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise
        except UsageErrors as error:
            self._refuse(error, ctx.meta.get(_WORDS, ()))
        except Exception as error:
            message = input_error(error)
            if message is None:
                raise
            if is_verbose():
                traceback.print_exception(error)
            report_error(message)
            raise typer.Exit(BAD_INPUT) from None

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the groups of the help."""
        names = super().list_commands(ctx)
        return [*(name for name in self.order if name in names), *(name for name in names if name not in self.order)]


def progress_bar(*, share: bool = False) -> Progress:
    """Return a bar on standard error that vanishes when it is done; without a terminal there it shows nothing.

    Args:
        share: show the share that is done instead of two numbers.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    done = TaskProgressColumn() if share else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeElapsedColumn())
    screen = errors()
    return Progress(*columns, console=screen, transient=True, disable=is_quiet() or not screen.is_terminal)


@contextmanager
def run_bar() -> Iterator[Callable[[Any], None]]:
    """Show a progress bar over the budget of a run; yields what is called with its state (see `pcg.runs.Progress`)."""
    with progress_bar(share=True) as bar:
        task = bar.add_task("getting ready", total=1.0)

        def show(state: Any) -> None:
            bar.update(task, completed=state.fraction, description=str(state))

        yield show


def stop_if_interrupted(result: Any, done: str) -> None:
    """End a command whose run was interrupted.

    Args:
        result: of the run.
        done: what was done until then: "12 evaluations".
    """
    if result.stopped == "interrupted":
        report_error(f"interrupted after {done}; `pcg resume {result.folder}` goes on")
        raise typer.Exit(INTERRUPTED)


def bad(message: str) -> typer.Exit:
    """Report bad input that was noticed in a command itself: ``raise bad("...")``."""
    report_error(message)
    return typer.Exit(BAD_INPUT)


def write_file(path: Path, text: str) -> None:
    """Write a text as a whole or not at all: under a temporary name beside its place, then renamed."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:  # the name that was given, not the one that is written to
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def print_time(folder: Path) -> None:
    """Print the candidates per minute of a run, and the time spent by outcome.

    Args:
        folder: of the run.
    """
    from pcg.runs.store import read_last_line

    last = read_last_line(folder / "timing.jsonl")
    spent: dict[str, float] = last.get("spent", {})
    total = sum(spent.values())
    if not total:
        return
    shares = [f"{name} {seconds / total:.0%}" for name, seconds in sorted(spent.items(), key=lambda one: -one[1])]
    more = f", {len(shares) - 6} more" if len(shares) > 6 else ""
    print(f"{last['per_minute']:g} candidates a minute; time by what they came to: {', '.join(shares[:6])}{more}")
