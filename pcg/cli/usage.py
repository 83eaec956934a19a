"""Errors in how a command is written: one line each, with the nearest option or command, as for all other bad input.

The parser of the command line words its errors in its own way, in several lines. `usage_error` says the same as the
rest of the toolkit says it: what was written, what was expected, what would do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer

UsageErrors: type[Exception] = next(cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException")
"""The class of all errors that the parser of the command line raises; typer exports the leaves only."""

ARGUMENTS: Mapping[str, str] = {
    "game": "`pcg list games` names those built in, and a file will do",
    "games": "`pcg list games` names those built in, and files will do",
    "source": "a game (`pcg list games`), a file, or the folder of a run",
    "level": "a file, or the number of one of the game's levels, from 0",
    "levels": "files, or numbers of the game's levels, from 0",
    "folder": "the folder of a run, which `pcg levels` and others make with `--out`",
    "first": "`pcg connectx agents` names those built in, and a file will do",
    "second": "`pcg connectx agents` names those built in, and a file will do",
    "sheet": "`pcg list board-games` names those built in, and a file will do",
}
"""Sentences on what may stand for an argument that is missing, by its name."""

_EXPECTED: Sequence[tuple[str, str]] = (
    (r"valid integer|not a valid int", "an integer"),
    (r"valid number|not a valid float", "a number"),
    (r"greater than or equal to (?P<n>\S+)", "at least {n}"),
    (r"less than or equal to (?P<n>\S+)", "at most {n}"),
)
"""Patterns in the parser's messages about values, and what they expect."""


def usage_error(error: Any, words: Sequence[str], root: Any) -> str:
    """Return the one line that says what is wrong with a command, and what would do.

    Args:
        error: one of `UsageErrors`.
        words: the words behind `pcg`, as they were typed.
        root: the group of all commands.
    """
    from pcg.engine.vgdl.diagnostics import did_you_mean

    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else _named(words, root)
    kind = type(error).__name__
    if kind == "NoSuchOption":
        return _no_option(error.option_name, command, context, words)
    if kind == "MissingParameter":
        return _missing(error.param, command)
    if kind == "BadOptionUsage" and "requires an argument" in error.message:
        return f"`{error.option_name}` needs a value{_see(command)}"
    if kind == "BadParameter" and error.param is not None:
        return _bad_value(error, words)
    if context is not None and "No such command" in error.message:
        word = _quoted(error.message)
        names = [name for name, one in context.command.commands.items() if not one.hidden]
        hint = did_you_mean(word, names, f"; `{command} --help` lists them")
        return f"`{command}` has no command `{word}`{hint}"
    if context is not None and "extra argument" in error.message:
        extra = error.message.rpartition("(")[2].rstrip(").")
        many = "is one word" if " " not in extra else f"are {len(extra.split())} words"
        return f"`{extra}` {many} too many for `{command}`{_see(command)}"
    if context is not None and "Missing command" in error.message:
        return f"`{command}` needs a command; `{command} --help` lists them"
    message = " ".join(error.format_message().split()).rstrip(".").replace("'", "`")
    return f"{message[:1].lower()}{message[1:]}{_see(command)}"


def _named(words: Sequence[str], root: Any) -> str:
    """Return the command that words name, as far as they do."""
    path, group = ["pcg"], root
    for word in words:
        group = getattr(group, "commands", {}).get(word)
        if group is None:
            break
        path.append(word)
    return " ".join(path)


def _see(command: str) -> str:
    return f"; see `{command} --help`"


def _quoted(message: str) -> str:
    found = re.search(r"'(.*?)'", message) or re.search(r'"(.*?)"', message)
    return found[1] if found else ""


def _options(command: Any) -> list[str]:
    return [] if command is None else [name for param in command.params for name in param.opts]


def _no_option(option: str, command: str, context: Any, words: Sequence[str]) -> str:
    from pcg.engine.vgdl.diagnostics import did_you_mean

    asked = None if context is None else context.command
    group: Mapping[str, Any] = getattr(asked, "commands", {})
    for word in words:
        if option in _options(group.get(word)):
            return f"`{option}` stands behind the command: `{command} {word} ... {option}`"
    known = _options(asked)
    hint = did_you_mean(option, [name for name in known if name.startswith("--")]) if option.startswith("--") else ""
    return f"`{command}` has no option `{option}`{hint or _see(command)}"


def _missing(param: Any, command: str) -> str:
    name = str(param.name)
    if param.param_type_name != "argument":
        return f"`{command}` needs the option `{max(param.opts, key=len)}`: {_sentence(param)}"
    return f"`{command}` needs {_article(name)}: {ARGUMENTS.get(name) or _sentence(param)}"


def _sentence(param: Any) -> str:
    text = str(getattr(param, "help", "") or "").rstrip(".")
    return f"{text[:1].lower()}{text[1:]}"


def _article(name: str) -> str:
    return name if name.endswith("s") else f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _bad_value(error: Any, words: Sequence[str]) -> str:
    """Return the line for a value that does not fit, with the value where it can be told."""
    from pcg.engine.vgdl.diagnostics import did_you_mean

    param = error.param
    option = max(param.opts, key=len)
    given = _value(words, param.opts)
    where = f"`{option}`" if param.param_type_name == "argument" else f"{option} {given}".rstrip()
    message = " ".join(str(error.message).split()).rstrip(".")
    chosen = re.search(r"'([^']*)' is not one of (.*)", message)
    if chosen:
        choices = re.findall(r"'([^']*)'", chosen[2])
        hint = did_you_mean(chosen[1], choices)
        return f"{option} {chosen[1]}: expected {', '.join(choices[:-1])} or {choices[-1]}{hint}"
    for pattern, expected in _EXPECTED:
        found = re.search(pattern, message)
        if found:
            return f"{where}: expected {expected.format(**found.groupdict())}"
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _value(words: Sequence[str], options: Sequence[str]) -> str:
    """Return the value that an option has among words, "" when it has none.

    >>> _value(["levels", "boxes", "-n", "x"], ["-n", "--count"]), _value(["levels", "--count=y"], ["--count"])
    ('x', 'y')
    """
    for k, word in enumerate(words):
        if word in options:
            return words[k + 1] if k + 1 < len(words) else ""
        name, equals, value = word.partition("=")
        if equals and name in options:
            return value
        short = next((one for one in options if len(one) == 2 and word.startswith(one)), None)
        if short:
            return word[2:]
    return ""
