"""Parameters that people set: declared once with type, default, range and help, checked in one place.

Generators and evaluations declare theirs as tuples of `Parameter`; the command line's help, the configuration file
and the error messages all read these declarations. Parameters of VGDL itself are declared in the ontology, not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

Setting = int | float | bool | str
"""The value of a parameter."""


class NamesOf(Sequence[str]):
    """The names in a registry as choices of a parameter, those that are registered later among them.

    >>> colours = {"red": 1}
    >>> shade = Parameter("shade", "red", "colour of the sky", choices=NamesOf(colours))
    >>> colours["blue"] = 2
    >>> shade.accept("blue", "sky"), list(shade.choices)
    ('blue', ['red', 'blue'])
    """

    def __init__(self, registry: Mapping[str, object]) -> None:
        self._registry = registry

    def __len__(self) -> int:
        return len(self._registry)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self._registry)[index]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `low` and `high` bound numbers (inclusive); `choices` lists the texts allowed (see `NamesOf`)."""

    name: str
    default: Setting
    help: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choices: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """Name of the type: "bool", "int", "float" or "str"."""
        return type(self.default).__name__

    def accept(self, value: object, owner: str) -> Setting:
        """`value` as a value of this parameter; text is converted (as from a command line).

        Raises:
            PcgError: when it has the wrong type or lies out of range.
        """
        converted = self._convert(value)
        if converted is None:
            raise PcgError(f"{owner}: parameter `{self.name}` is {value!r}, expected {self._expected()}")
        if isinstance(converted, int | float) and not isinstance(converted, bool):
            below = self.low is not None and converted < self.low
            above = self.high is not None and converted > self.high
            if below or above or converted != converted:
                raise PcgError(f"{owner}: parameter `{self.name}` is {value!r}, expected {self._expected()}")
        if self.choices and converted not in self.choices:
            hint = did_you_mean(str(converted), self.choices)
            raise PcgError(f"{owner}: parameter `{self.name}` is {value!r}, expected {self._expected()}{hint}")
        return converted

    def _convert(self, value: object) -> Setting | None:
        kind = type(self.default)
        if kind is bool:
            if isinstance(value, bool):
                return value
            text = str(value).lower()
            return text in ("true", "yes", "1") if text in ("true", "yes", "1", "false", "no", "0") else None
        if isinstance(value, bool):
            return None
        if kind is str:
            return value if isinstance(value, str) else None
        try:
            if kind is int:
                number = float(value) if isinstance(value, float) else int(value)  # type: ignore[call-overload]
                return int(number) if number == int(number) else None
            return float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return None

    def _expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        noun = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}[self.kind]
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{noun} of at least {self.low:g}"
        if self.high is not None:
            return f"{noun} of at most {self.high:g}"
        return noun


def resolve(declared: Iterable[Parameter], given: Mapping[str, object], owner: str) -> dict[str, Setting]:
    """All declared parameters with the given values put in, in order of declaration.

    Raises:
        PcgError: for an unknown name (with the nearest known one) or a bad value; `owner` says whose parameters they
        are.
    """
    known = {p.name: p for p in declared}
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known, f" (it has: {', '.join(known) or 'none'})")
            raise PcgError(f"{owner} has no parameter `{name}`{hint}")
    return {name: p.accept(given[name], owner) if name in given else p.default for name, p in known.items()}
