"""Vocabulary of the command line: names and meanings of options in all commands, and groups of commands.

Every command declares its own options; `apply` then gives each of them the other spellings, the sentence and the
completion that its word has everywhere, adds `--quiet` and `--verbose`, and sees to it that a budget names its unit. So
an option that is known from one command is known in all.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.models import ArgumentInfo, OptionInfo

from pcg.cli.console import Commands, add_verbosity

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Make": ("levels", "rules", "games", "tune", "repair", "breed", "resume", "convert"),
    "Judge": ("measure", "judge", "prove", "tournament", "report", "archive", "table"),
    "Play": ("play", "export", "studio", "render", "describe", "minimise", "connectx", "gdl"),
    "Ask people": ("study", "prefer"),
    "Language": ("check", "format", "ontology", "lsp"),
    "Tools": ("list", "agents", "metrics", "doctor", "warmup", "kernels", "bench", "conformance", "yardstick"),
}
"""Groups of commands by their purpose, in the order of the help."""

ALIASES: Mapping[str, str] = {
    "generators": "list level-generators",
    "rule-generators": "list rule-generators",
    "optimisers": "list optimisers",
    "games generators": "list game-generators",
}
"""Older names, which still work but are not shown, and the commands that replace them."""

GUESSES: Mapping[str, str] = {
    **dict.fromkeys(("generate", "make", "create", "new", "evolve"), "`pcg levels GAME` or `pcg games evolve GAME`"),
    **dict.fromkeys(("evaluate", "score", "metric"), "`pcg measure GAME LEVEL` or `pcg judge GAME`"),
    **dict.fromkeys(("validate", "lint", "verify", "test"), "`pcg check GAME`"),
    **dict.fromkeys(("show", "view", "draw"), "`pcg render GAME`"),
    **dict.fromkeys(("run", "start"), "`pcg play GAME`"),
    **dict.fromkeys(("edit", "editor", "gui", "ui", "web"), "`pcg studio`"),
    **dict.fromkeys(("solve", "solver"), "`pcg prove GAME`"),
    **dict.fromkeys(("explain", "info"), "`pcg describe GAME`"),
    "fmt": "`pcg format FILE`",
    "help": "`pcg --help` or `pcg COMMAND --help`",
    "version": "`pcg --version`",
    "build": "`pcg warmup`",
    "level-generators": "`pcg list level-generators`",
}
"""Words that people try and that are no commands, and what to write instead."""

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "--out": ("--out", "-o"),
    "--level": ("--level", "--levels"),
    "--levels": ("--levels", "--level"),
    "--target": ("--target", "--want"),
}
"""The names of an option that has several; the first is shown first."""

MEANINGS: Mapping[str, str] = {
    "--seed": "Equal seeds give equal results.",
    "--workers": "How many work side by side; one per processor without it.",
    "--host": "Address to listen on; anything else than this machine's own lets others in.",
    "--open": "Open the page in the browser.",
    "--json": "Print JSON instead of text and tables.",
    "--load": "Python file that registers generators, agents and the like; may be repeated.",
}
"""Sentences of options that are the same everywhere."""

DEFAULTS: Mapping[str, Any] = {
    "--seed": 1,
    "--workers": None,
    "--executor": None,
    "--cluster": None,
    "--host": "127.0.0.1",
    "--open": False,
    "--json": False,
    "--quiet": False,
    "--verbose": False,
    "--load": None,
    "--reading": None,
    "--database": None,
    "--levels": "all",
    "--max-ticks": 2000,
}
"""Defaults of options that are the same everywhere, but for those below."""

OTHER_DEFAULTS: Mapping[tuple[str, str], tuple[Any, str]] = {
    ("studio", "--open"): (True, "a page is all that the studio is"),
    ("archive", "--levels"): (0, "the best level is open when the page is"),
    ("check", "--reading"): ("strict", "a check is for writers of games, who want to hear of everything doubtful"),
    ("play", "--levels"): ("0", "a play is of one level"),
    ("describe", "--levels"): (None, "a game is described by its rules; a level is looked at besides when it is named"),
    ("study new", "--levels"): (
        "",
        "all, but of runs that make games the first of each, or a study would have hundreds",
    ),
    ("minimise", "--max-ticks"): (300, "every play is repeated for each part that is tried to be left out"),
}
"""(command, option) -> (its own default, the reason)."""

DECISIONS = ("play", "tournament", "minimise")
"""Commands whose budget is that of one decision of an agent."""
CALLS = ("prove",)
"""Commands whose budget is of forward-model calls."""

BUDGETS: Mapping[str, str] = {
    "evaluations": "Stop after this time, as in 60s or 5m, or after so many tries, as in 300evaluations.",
    "decision": "Simulation per decision: forward-model calls (1000calls), or CPU time, then enforced (40ms).",
    "calls": "Forward-model calls for each level, as in 20000000calls.",
}
"""Kinds of budgets, and the sentence with which the help of `--budget` opens for each."""

QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress bars and notes; results and errors only.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Also where an error comes from in the program.")]


def group_of(name: str) -> str:
    """Return the group of a top-level command.

    >>> group_of("levels"), group_of("generators")
    ('Make', 'Tools')
    """
    return next((group for group, names in GROUPS.items() if name in names), "Tools")


def commands(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield (words, declaration) of every command and group of an application."""
    for info in app.registered_commands:
        assert info.callback is not None
        yield (*path, info.name or info.callback.__name__.replace("_", "-")), info
    for group in app.registered_groups:
        words = (*path, str(group.name))
        yield words, group
        if group.typer_instance is not None:
            yield from commands(group.typer_instance, words)


def apply(app: typer.Typer) -> None:
    """Apply the names, sentences and groups of this module to all commands of an application."""
    Commands.order = tuple(name for names in GROUPS.values() for name in names)
    Commands.guesses = GUESSES
    for words, info in commands(app):
        if len(words) == 1:
            info.rich_help_panel = group_of(words[0])
        if " ".join(words) in ALIASES:
            info.hidden = True
        if getattr(info, "typer_instance", None) is None:
            info.callback = unified(info.callback, " ".join(words))
            info.help = reflow(info.callback.__doc__ or "")


def reflow(text: str) -> str:
    r"""Return a help text whose paragraphs are one line each, so that they are wrapped where the window ends.

    >>> reflow("Make levels.\n\n    They can be\n    won.\n")
    'Make levels.\n\nThey can be won.'
    """
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def unified(command: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a command whose options have the words of this module.

    Args:
        command: as it was declared.
        name: its words, as in "games evolve".
    """
    signature = inspect.signature(command, eval_str=True)
    parameters = [_unified(parameter, name) for parameter in signature.parameters.values()]
    added: dict[str, Any] = {"quiet": QuietOption, "verbose": VerboseOption}
    added = {key: value for key, value in added.items() if key not in signature.parameters}
    parameters += [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
        for key, annotation in added.items()
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        add_verbosity(
            quiet=bool(given.pop("quiet", False) if "quiet" in added else False),
            verbose=bool(given.pop("verbose", False) if "verbose" in added else given.get("verbose", False)),
        )
        if isinstance(given.get("budget"), str):
            check_unit(given["budget"], name)
        return command(**given)

    del wrapped.__wrapped__  # typer reads the signature and the annotations; what is wrapped would contradict both
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapped.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword}
    return wrapped


def budget_of(command: str) -> str:
    """Return what the budget of a command is of, a key of `BUDGETS`.

    >>> budget_of("levels"), budget_of("play")
    ('evaluations', 'decision')
    """
    return "decision" if command in DECISIONS else "calls" if command in CALLS else "evaluations"


def check_unit(text: str, command: str) -> None:
    """Refuse a budget without a unit.

    Raises:
        PcgError: for a bare number, with what to write instead.

    >>> check_unit("300evaluations", "levels")
    >>> check_unit("300", "play")
    Traceback (most recent call last):
    pcg.engine.vgdl.diagnostics.PcgError: --budget 300: a number needs its unit, did you mean `300calls`?
    """
    from pcg.engine.vgdl.diagnostics import PcgError

    if text.strip().isdecimal():
        unit = "evaluations" if budget_of(command) == "evaluations" else "calls"
        raise PcgError(f"--budget {text}: a number needs its unit, did you mean `{text.strip()}{unit}`?")


def _unified(parameter: inspect.Parameter, command: str) -> inspect.Parameter:
    if get_origin(parameter.annotation) is not Annotated:
        return parameter
    kind, *about = get_args(parameter.annotation)
    changed = [_with_words(copy.copy(info), parameter.name, command) for info in about]
    return parameter.replace(annotation=Annotated[(kind, *changed)])


def _with_words(info: Any, name: str, command: str) -> Any:
    if isinstance(info, ArgumentInfo):
        if name in ("game", "games") and info.autocompletion is None:
            info.autocompletion = _games
        return info
    if not isinstance(info, OptionInfo):
        return info
    # in an annotation, the first name stands where a default would
    given = (() if info.default is ... else (str(info.default),)) + tuple(info.param_decls or ())
    spelt = [each for each in given if each.startswith("--")] or [f"--{name.replace('_', '-')}"]
    word = spelt[0].partition("/")[0]  # --open/--no-open
    if word in SPELLINGS:
        info.param_decls = tuple(dict.fromkeys((*spelt, *SPELLINGS[word], *given)))
        info.default = ...
    info.help = MEANINGS.get(word, info.help)
    if word == "--budget":
        info.help = f"{BUDGETS[budget_of(command)]} {info.help or ''}".rstrip()
    if word in _COMPLETIONS and info.autocompletion is None:
        info.autocompletion = _COMPLETIONS[word]
    return info


def _games(incomplete: str) -> list[str]:
    from pcg.engine.game import builtin_games, builtin_sheets, evolved_games

    names = (*builtin_games(), *evolved_games(), *builtin_sheets())
    return [name for name in names if name.startswith(incomplete)]


def _agents(incomplete: str) -> list[str]:
    from pcg.evaluators.agents.registry import agent_names

    return [name for name in agent_names() if name.startswith(incomplete)]


def _level_generators(incomplete: str) -> list[str]:
    from pcg.generators.levels import GENERATORS

    return [name for name in GENERATORS if name.startswith(incomplete)]


_COMPLETIONS: Mapping[str, Callable[[str], list[str]]] = {
    "--agent": _agents,
    "--agents": _agents,
    "--games": _games,
    "--generator": _level_generators,
}
