"""Calls with arguments that a function does not have, told as all bad input is: what would do, and nothing else."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "count": ("n", "num", "number", "k", "size", "num_levels", "n_levels"),
    "evaluations": ("budget", "iterations", "steps", "generations", "n_iter", "max_evaluations"),
    "target": ("want", "wants", "targets", "goal"),
    "out": ("folder", "path", "file", "output", "out_dir", "filename", "save"),
    "language": ("lang", "locale"),
    "workers": ("jobs", "n_jobs", "processes", "threads", "num_workers", "parallel"),
    "seed": ("rng", "random_state", "random_seed"),
    "max_nodes": ("nodes", "budget", "limit", "max_calls"),
    "max_ticks": ("max_steps", "steps", "ticks", "length"),
    "generator": ("method", "algorithm"),
    "fitness": ("objective", "score", "fn"),
    "agents": ("agent", "players"),
    "agent": ("agents", "player"),
    "games": ("game",),
    "game": ("games", "name"),
    "levels": ("level",),
    "level": ("levels", "lvl"),
    "tile": ("cell", "block_size", "scale"),
}
"""Names of an argument elsewhere, by its name here."""


class ArgumentError(PcgError, TypeError):
    """A call with an argument that the function does not have, or without one that it needs."""


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that it does not have with a message that names the one that is meant.

    >>> @named_arguments
    ... def make(game, count=10): ...
    >>> make("boxes", n=1)
    Traceback (most recent call last):
    pcg.engine.arguments.ArgumentError: make() has no argument `n`, did you mean `count`?
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            signature.bind(*args, **keywords)
        except TypeError:
            raise ArgumentError(_what_is_wrong(function.__name__, signature, args, keywords)) from None
        return function(*args, **keywords)

    return checked


def _what_is_wrong(name: str, signature: inspect.Signature, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> str:
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    names = [p.name for p in parameters]
    for word in keywords:
        if word not in names:
            meant = next((own for own in names if word in SYNONYMS.get(own, ())), "")
            near = f", did you mean `{meant}`?" if meant else did_you_mean(word, names, f"; it has {', '.join(names)}")
            return f"{name}() has no argument `{word}`{near}"
    placed = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(placed):
        return (
            f"{name}() takes {' and '.join(placed)} in this order; name what follows: {', '.join(names[len(placed) :])}"
        )
    twice = next((word for word in placed[: len(args)] if word in keywords), "")
    if twice:
        return f"{name}() was given `{twice}` twice, by its place and by its name"
    missing = next(p for p in parameters[len(args) :] if p.default is p.empty and p.name not in keywords)
    return f"{name}() needs `{missing.name}`, as in {name}({_example(parameters)})"


def _example(parameters: list[inspect.Parameter]) -> str:
    needed = (p for p in parameters if p.default is p.empty)
    return ", ".join(f"{p.name}=..." if p.kind is p.KEYWORD_ONLY else p.name for p in needed)
