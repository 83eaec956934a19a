"""Fitness functions of feasible levels: from what was measured to a number in [0, 1].

An evaluation (`pcg.evaluators.fitness`) first finds out whether a level is feasible; its parameter `fitness` names the
function that then tells good levels from bad ones. Users add their own with `fitness_function`, in a program or in a
file named with ``--load``, or as entry points of the group ``pcg.fitness`` in an installed package.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from pcg.engine.registry import Registry, part_registrar
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.metrics.registry import METRICS
from pcg.evaluators.parameters import Setting

FitnessFunction = Callable[[Mapping[str, float], Mapping[str, Setting]], float]
"""Metrics of a feasible level and the settings of its evaluation -> fitness in [0, 1]."""

FITNESS_FUNCTIONS = Registry[FitnessFunction]("fitness function", group="pcg.fitness")
"""All fitness functions by name."""


def fitness_function(name: str) -> Callable[[FitnessFunction], FitnessFunction]:
    """Register the function below as a fitness function.

    The function is given the metrics of the text, of the winning play and of agents by name, and the settings of the
    evaluation; it returns a number in [0, 1].

    Raises:
        PcgError: when there is one of that name already.

    >>> @fitness_function("tidy")
    ... def tidy(metrics, settings):
    ...     return (metrics["symmetry"] + metrics["balance"]) / 2
    >>> FITNESS_FUNCTIONS["tidy"]({"symmetry": 1.0, "balance": 0.5}, {})
    0.75
    >>> FITNESS_FUNCTIONS.unregister("tidy")
    """

    def declare(function: FitnessFunction) -> FitnessFunction:
        return FITNESS_FUNCTIONS.register(name, function)

    return declare


@part_registrar("fitness")
def adopt(name: str, function: Callable[..., float]) -> None:
    """Register a plain function of a user: of the metrics of a level, and of the settings if it takes two arguments.

    Raises:
        PcgError: it is no such function, or another one has that name.

    >>> adopt("airy", lambda metrics: 1.0 - metrics["cover"])
    >>> FITNESS_FUNCTIONS["airy"]({"cover": 0.25}, {})
    0.75
    >>> FITNESS_FUNCTIONS.unregister("airy")
    """
    if not callable(function) or isinstance(function, type):
        raise PcgError(f"`{name}` is no fitness function: expected a function of a level's metrics")
    known = FITNESS_FUNCTIONS.loaded(name)
    if known is not None and getattr(known, "__wrapped__", known) is function:
        return
    if len(inspect.signature(function).parameters) == 1:

        @functools.wraps(function)
        def with_settings(metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
            return function(metrics)

        FITNESS_FUNCTIONS.register(name, with_settings)
    else:
        FITNESS_FUNCTIONS.register(name, function)


def fitness_of(name: str, metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
    """Return what a fitness function gives a feasible level.

    Raises:
        PcgError: for an unknown name, or a value that is no number in [0, 1].
    """
    value = FITNESS_FUNCTIONS.find(name)(metrics, settings)
    if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise PcgError(f"fitness function `{name}` gave {value!r}, expected a number in [0, 1]")
    return float(value)


def users_code() -> str:
    """Return a digest of the code of all metrics and fitness functions that are not the toolkit's, "" without any.

    Evaluations made with other code must not be taken for those of this one: caches make it a part of their keys.
    """
    functions: list[tuple[str, Callable[..., object]]] = [
        *((name, one.compute) for name, one in METRICS.items()),
        *FITNESS_FUNCTIONS.items(),
    ]
    own = [(name, function) for name, function in functions if not function.__module__.startswith("pcg.")]
    if not own:
        return ""
    digest = sha256()
    for name, function in own:
        file = inspect.getsourcefile(function)
        code = Path(file).read_bytes() if file is not None and Path(file).is_file() else _code_of(function)
        digest.update(name.encode() + b"\0" + code)
    return digest.hexdigest()[:32]


def _code_of(function: Callable[..., object]) -> bytes:
    """Return what a function without a file does, the same in every process."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return type(function).__qualname__.encode()
    constants = [_code_of_constant(one) for one in code.co_consts]
    return b"\0".join([code.co_code, repr(code.co_names).encode(), *constants])


def _code_of_constant(constant: object) -> bytes:
    code = getattr(constant, "co_code", None)
    return repr(constant).encode() if code is None else bytes(code)


@fitness_function("quality")
def quality(metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
    """The value of the judge of levels (`pcg.evaluators.judging.levels`)."""
    return metrics["quality"]


@fitness_function("skill")
def skill(metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
    """The weighted mean of the gap between capable and weak players, the length and variety of the winning play, and
    the share of the level that it visits.
    """
    measures = {
        "gap": metrics["gap"],
        "length": min(1.0, metrics["solution_length"] / int(settings["target_length"])),
        "variety": metrics["variety"],
        "coverage": metrics["coverage"],
    }
    weights = {name: float(settings[f"weight_{name}"]) for name in measures}
    total = math.fsum(weights.values())
    return math.fsum(weights[n] * measures[n] for n in measures) / total if total else 0.0
