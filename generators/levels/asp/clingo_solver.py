"""Running clingo: one thread, a seed, limits, and a small set of constraints that clash when there is no answer.

Constraints that a person may want to know about are guarded by atoms `on(i)` and assumed to hold. When they cannot
all hold, clingo names some that cannot hold together; leaving out one after the other makes that set as small as
possible (deletion-based minimal unsatisfiable subsets; Marques-Silva 2010). The answer depends on the program and the
seed alone, unless the time runs out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError

INSTALL = 'pip install "pcg-toolkit[asp]"'
"""Command that installs clingo."""


def clingo() -> Any:
    """The clingo package.

    Raises:
        PcgError: it is not installed.
    """
    try:
        import clingo as found
    except ImportError:
        raise PcgError(f"this needs clingo, which is not installed: {INSTALL}") from None
    return found


def has_clingo() -> bool:
    """Return whether clingo is installed."""
    try:
        clingo()
    except PcgError:
        return False
    return True


def program_text(name: str) -> str:
    """The text of one of the programs beside this module."""
    return resources.files("pcg.generators.levels.asp").joinpath(name).read_text(encoding="utf-8")


class OutOfTimeError(PcgError):
    """A solve ended without an answer."""


@dataclass(frozen=True)
class Answer:
    """An answer set: the shown atoms, as (name, arguments)."""

    atoms: tuple[tuple[str, tuple[int, ...]], ...]
    cost: int = 0
    """Minimised sum of costs; 0 without one."""
    optimal: bool = True
    """True if it is known that no answer costs less."""

    def of(self, name: str) -> list[tuple[int, ...]]:
        """The arguments of all atoms with a name, sorted."""
        return sorted(arguments for found, arguments in self.atoms if found == name)


@dataclass
class Limits:
    """Budget of one solve; a limit on conflicts gives up at the same place on every machine, time does not."""

    seconds: float = 30.0
    conflicts: int = 2_000_000
    deadline: float = field(default=0.0)

    def started(self) -> Limits:
        """The same limits with the clock running; a clock that runs goes on."""
        if self.deadline:
            return self
        return Limits(self.seconds, self.conflicts, time.monotonic() + self.seconds)

    def part(self, conflicts: int) -> Limits:
        """The same clock with no more than so many conflicts."""
        return Limits(self.seconds, min(conflicts, self.conflicts), self.deadline)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.deadline - time.monotonic()


class Solver:
    """A program being solved, to which parts can be added between solves.

    Args:
        text: the program.
        seed: of all choices that are left open.
        options: further options of clingo.

    Raises:
        PcgError: clingo is not installed.
    """

    def __init__(self, text: str, *, seed: int, options: Sequence[str] = ()) -> None:
        library = clingo()
        self._library = library
        self.messages: list[str] = []
        arguments = ["--parallel-mode=1", f"--seed={seed % 2**31}", "--warn=none", *options]
        self.control = library.Control(arguments, logger=self._log, message_limit=5)
        try:
            self.control.add("base", [], text)
        except RuntimeError as error:
            raise RuntimeError("; ".join(self.messages)) from error
        self._added = 0
        self._waiting = True

    def _log(self, code: Any, message: str) -> None:
        self.messages.append(message)

    def add(self, text: str) -> None:
        """More rules."""
        self._added += 1
        name = f"more{self._added}"
        self.control.add(name, [], text)
        self.ground(name)

    def ground(self, *parts: str | tuple[str, tuple[int, ...]]) -> None:
        """Ground parts of the program: names, or names with arguments. What depends on each other goes in one call."""
        number = self._library.Number
        wanted = [(p, []) if isinstance(p, str) else (p[0], [number(n) for n in p[1]]) for p in parts]
        if self._waiting:
            wanted.insert(0, ("base", []))
            self._waiting = False
        if wanted:
            self.control.ground(wanted)

    def solve(self, constraints: Iterable[int], limits: Limits) -> Answer | tuple[int, ...]:
        """Return an answer in which all `constraints` hold (the cheapest one found, where costs are minimised), or the
        constraints of a clash.

        Raises:
            OutOfTimeError: neither was found within the limits.
        """
        self.ground()
        function, number = self._library.Function, self._library.Number
        wanted = list(constraints)
        assumed = [(function("on", [number(i)]), True) for i in wanted]
        self.control.configuration.solve.solve_limit = f"{limits.conflicts},umax"
        best: Answer | None = None
        with self.control.solve(assumptions=assumed, yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                if not handle.wait(max(0.0, limits.left)):
                    handle.cancel()
                    break
                model = handle.model()
                if model is None:
                    break
                shown = tuple((s.name, tuple(a.number for a in s.arguments)) for s in model.symbols(shown=True))
                best = Answer(shown, sum(model.cost), optimal=not model.cost)
                if not model.cost:
                    handle.cancel()
                    return best
            result = handle.get()
            if best is not None:
                return Answer(best.atoms, best.cost, bool(result.exhausted))
            if result.unsatisfiable:
                core = set(handle.core())
                known = self.control.symbolic_atoms
                return tuple(i for (atom, _), i in zip(assumed, wanted, strict=True) if known[atom].literal in core)
        raise OutOfTimeError(
            f"the solver found neither a level nor a reason why there is none within {limits.seconds:g} s"
            f" ({limits.conflicts} conflicts)"
        )

    def smallest_clash(self, core: Sequence[int], always: Sequence[int], limits: Limits) -> tuple[int, ...]:
        """A part of `core` that cannot hold together with `always`, and of which nothing can be left out.

        When the time runs out, the part reached so far.
        """
        kept = list(core)
        for constraint in list(core):
            rest = [d for d in kept if d != constraint]
            try:
                found = self.solve([*always, *rest], limits)
            except OutOfTimeError:
                break
            if not isinstance(found, Answer):
                kept = [d for d in rest if d in found]
        return tuple(kept)
