"""The parameters of a generator as a vector in [0, 1]^n, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.parameters import Parameter, Setting
from pcg.generators.cma_es import mirrored
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.registry import GENERATORS


class ParameterSpace:
    """The parameters of a generator that can be searched: numbers with both bounds, and choices; sizes are not.

    A number takes its range from end to end, whole numbers in equal parts; a choice is an equal part for each of its
    values.

    Args:
        base: name of a generator that does not learn.
        where: what names it, for messages.

    Raises:
        PcgError: for an unknown or unsuitable generator.

    >>> space = ParameterSpace("minimal", "base")
    >>> [parameter.name for parameter in space.parameters]
    ['walls', 'kinds']
    >>> space.settings([0.5, 0.25])
    {'walls': 1.5, 'kinds': 0.25}
    """

    def __init__(self, base: str, where: str) -> None:
        if base not in GENERATORS:
            hint = did_you_mean(base, GENERATORS, f" (there are: {', '.join(GENERATORS)})")
            raise PcgError(f"{where} is {base!r}: there is no such level generator{hint}")
        kind = GENERATORS[base]
        sizes = {p.name for p in SIZE_PARAMETERS}
        self.base = base
        self.parameters: tuple[Parameter, ...] = tuple(
            p for p in kind.parameters if p.name not in sizes and (p.choices or _bounded(p))
        )
        if kind.learns:
            raise PcgError(f"{where} is {base!r}, which learns by itself; expected a generator that does not")
        if not self.parameters:
            raise PcgError(f"{where} is {base!r}, which has no parameters to search; expected one that has")

    def __len__(self) -> int:
        return len(self.parameters)

    def start(self) -> list[float]:
        """The vector of the defaults."""
        return [self._share(p) for p in self.parameters]

    def settings(self, vector: Sequence[float]) -> dict[str, Setting]:
        """The settings that a vector stands for.

        Args:
            vector: a number per parameter; those outside [0, 1] are mirrored into it at the bounds.
        """
        inside = [float(v) for v in mirrored(np.asarray(vector, float))]
        return {p.name: _setting(p, share) for p, share in zip(self.parameters, inside, strict=True)}

    @staticmethod
    def _share(parameter: Parameter) -> float:
        if parameter.choices:
            return (parameter.choices.index(str(parameter.default)) + 0.5) / len(parameter.choices)
        low, high = float(parameter.low or 0.0), float(parameter.high or 0.0)
        if parameter.kind == "int":
            return (float(parameter.default) - low + 0.5) / (high - low + 1.0)
        return (float(parameter.default) - low) / (high - low)


def _bounded(parameter: Parameter) -> bool:
    number = parameter.kind in ("int", "float")
    return number and parameter.low is not None and parameter.high is not None and parameter.high > parameter.low


def _setting(parameter: Parameter, share: float) -> Setting:
    if parameter.choices:
        return parameter.choices[min(len(parameter.choices) - 1, int(share * len(parameter.choices)))]
    low, high = float(parameter.low or 0.0), float(parameter.high or 0.0)
    if parameter.kind == "int":
        return int(low) + min(int(high - low), int(share * (high - low + 1.0)))
    return low + share * (high - low)
