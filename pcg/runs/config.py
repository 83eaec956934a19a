"""Configurations of runs, as dataclasses and as TOML files: what the kinds of runs have in common.

A configuration says everything that decides the result and nothing else: not how many workers there are, nor where
the folder is. Names of games, generators and parameters are checked when the run starts.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pcg.engine.registry import plugin_path
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean, nearest
from pcg.evaluators.parameters import Parameter, Setting
from pcg.own_parts import load_part

LOAD = Parameter(
    "load", "", "Python files that register generators and the like, with blanks between them, quoted as in a shell"
)
"""Key of every run; it is left out of the file of a run that loads nothing."""


class RunConfig:
    """Base of the configurations of runs: frozen dataclasses whose fields are the keys of `sections` and, for each name
    in `free`, a mapping `NAME_parameters`.

    At least one of `seconds` and `evaluations` limits a run (0: no limit). With `evaluations` alone the result is the
    same on every machine and with any number of workers. The files that `load` names are imported when the
    configuration is made, in whatever process that is.
    """

    kind: ClassVar[str]
    """The kind of run that it configures."""
    sections: ClassVar[Mapping[str, tuple[Parameter, ...]]]
    """The sections of the file whose keys are fixed."""
    free: ClassVar[tuple[str, ...]] = ("generator", "evaluation")
    """Sections whose keys are checked elsewhere."""
    subject: ClassVar[str] = "game"
    """The key without which there is nothing to do."""

    if TYPE_CHECKING:  # fields of the dataclasses
        seed: int
        seconds: float
        evaluations: int
        window: int
        checkpoint: int
        load: str

    def __post_init__(self) -> None:
        for section, parameters in self.sections.items():
            for parameter in parameters:
                value = parameter.accept(getattr(self, parameter.name), f"section [{section}]")
                object.__setattr__(self, parameter.name, value)
        object.__setattr__(self, "load", load_plugins(self.load))
        self._check()
        if not self.seconds and not self.evaluations:
            raise PcgError(
                "the run has no budget: expected a time (`seconds`) or a number of evaluations (`evaluations`)"
            )

    def _check(self) -> None:
        """Check what the parameters themselves do not rule out.

        Raises:
            PcgError: for values that contradict each other.
        """
        if not getattr(self, self.subject):
            raise PcgError("the run has no game: expected a built-in name or a file")

    def with_budget(self, *, seconds: float | None = None, evaluations: int | None = None) -> Self:
        """Return the same run with another budget; what is None stays."""
        changes = {"seconds": seconds, "evaluations": evaluations}
        return dataclasses.replace(self, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[type-var]

    def to_toml(self) -> str:
        """Return the text of a configuration file."""
        fixed = [
            (name, {p.name: getattr(self, p.name) for p in ps if p is not LOAD or self.load})
            for name, ps in self.sections.items()
        ]
        return toml_text([*fixed, *((name, dict(getattr(self, f"{name}_parameters"))) for name in self.free)])

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a configuration file.

        Raises:
            PcgError: when it cannot be read, is no TOML, or says something unknown.
        """
        return cls.from_mapping(read_toml(path), str(path))

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: str = "configuration") -> Self:
        """Return the configuration in the parsed form of a file.

        Raises:
            PcgError: for unknown sections or keys (with the nearest known one) and for bad values.
        """
        fixed = read_sections(data, cls.sections, cls.free, source)
        free = {f"{name}_parameters": dict(data.get(name, {})) for name in cls.free}
        return cls(**{cls.subject: "", **fixed, **free})


def load_plugins(files: str) -> str:
    """Import the Python files that a text names, with blanks between them; return it with full paths.

    Raises:
        PcgError: when one cannot be found or imported, or quotes do not match.
    """
    try:
        paths = [plugin_path(file) for file in shlex.split(files)]
    except ValueError as error:
        raise PcgError(f"load `{files}`: {error}, expected names of files with blanks between them") from None
    for path in paths:
        load_part(path)
    return shlex.join(paths)


def read_toml(path: Path | str) -> dict[str, Any]:
    """Parse a configuration file.

    Raises:
        PcgError: when it cannot be read or is no TOML.
    """
    path = Path(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PcgError(f"cannot read the configuration {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PcgError(f"{path} is not a TOML file: {error}") from None


def read_sections(
    data: Mapping[str, Any], sections: Mapping[str, tuple[Parameter, ...]], free: Sequence[str], source: str
) -> dict[str, Any]:
    """Return the values of all sections whose keys are fixed, by key.

    Args:
        data: the parsed form of a file.
        sections: their keys.
        free: names of the other sections, whose keys are checked elsewhere.
        source: what names the file, for messages.

    Raises:
        PcgError: for unknown sections or keys, with the nearest known one.
    """
    known = (*sections, *free)
    for section, values in data.items():
        if section not in known:
            near = nearest(section, known)
            hint = f", did you mean [{near}]?" if near else f" (expected {', '.join(f'[{k}]' for k in known)})"
            raise PcgError(f"{source}: unknown section [{section}]{hint}")
        if not isinstance(values, Mapping):
            raise PcgError(f"{source}: `{section}` is {values!r}, expected a section [{section}]")
    fixed: dict[str, Any] = {}
    for section, parameters in sections.items():
        names = [p.name for p in parameters]
        for key, value in data.get(section, {}).items():
            if key not in names:
                hint = did_you_mean(key, names, f" (expected {', '.join(names)})")
                raise PcgError(f"{source}: section [{section}] has no key `{key}`{hint}")
            fixed[key] = value
    return fixed


def toml_text(sections: Iterable[tuple[str, Mapping[str, Setting]]]) -> str:
    """Return the text of a configuration file."""
    text = ""
    for name, values in sections:
        text += f"[{name}]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in values.items()) + "\n"
    return text.rstrip("\n") + "\n"


def parse_seconds(text: str) -> float:
    """Read a time such as "60s", "2m", "1.5h" or "90" in seconds.

    Raises:
        PcgError: for anything else.

    >>> parse_seconds("2m")
    120.0
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|h|)\s*", text)
    value = float(match[1]) * {"s": 1, "": 1, "m": 60, "h": 3600}[match[2]] if match else 0.0
    if not value:
        raise PcgError(f"`{text}` is no time, expected for example 60s, 5m or 1h")
    return value


def _toml(value: Setting) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
    return repr(value)
