"""The table of optimisers, and making one by name. A module is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.generators.tuning.contract import Tuner
from pcg.generators.tuning.space import GameSpace

_PLACES: Mapping[str, str] = {
    "random": "baselines:RandomTuner",
    "grid": "baselines:GridTuner",
    "rmhc": "rmhc:HillClimber",
    "ntbea": "ntbea:NTupleBandit",
    "cmaes": "cmaes:CovarianceTuner",
    "ucb": "ucb:BanditTuner",
}
"""Name of an optimiser -> module of this package, and the class in it."""


class _Table(Mapping[str, type[Tuner]]):
    """Reads like a dictionary of classes and imports them one by one."""

    def __getitem__(self, name: str) -> type[Tuner]:
        module, kind = _PLACES[name].split(":")
        found: type[Tuner] = getattr(import_module(f"pcg.generators.tuning.{module}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __contains__(self, name: object) -> bool:
        return name in _PLACES


OPTIMISERS: Mapping[str, type[Tuner]] = _Table()
"""All optimisers by name. Each class tells `name`, `help`, `papers` and `parameters`."""


def make_tuner(name: str, space: GameSpace, *, seed: int, **params: object) -> Tuner:
    """An optimiser of a game space by name.

    Args:
        name: a key of `OPTIMISERS`.
        space: what is searched; the search begins at the game as it is.
        seed: equal seeds give equal points.
        params: parameters of the optimiser; see its `parameters`.

    Raises:
        PcgError: for unknown names and bad values.
    """
    if name not in OPTIMISERS:
        near = nearest(name, OPTIMISERS)
        hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(OPTIMISERS)})"
        raise PcgError(f"unknown optimiser `{name}`{hint}")
    ordered = [parameter.ordered for parameter in space.parameters]
    return OPTIMISERS[name](space.sizes, ordered=ordered, start=space.start, seed=seed, **params)
