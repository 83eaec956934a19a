"""Objectives: what a game should be like in play, as a number in [0, 1] to be made large.

A target is a measure of plays with the agents that play and, for most, the value or band that is wanted:
``win_rate:mcts=0.5``, ``duration:mcts=150..300``, ``skill_depth:random,onestep,mcts``; or a function of one's own,
``file.py:function``. Several are joined to their weighted mean. Every value comes with its standard error, from the
plays themselves: of shares of plays won the binomial one, of everything else the jackknife over plays (Efron, Stein:
The Jackknife Estimate of Variance, 1981), all agents' k-th plays being left out together because they share their luck.
"""

from __future__ import annotations

import hashlib
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.metrics.profile import AGENTS
from pcg.evaluators.tournament import split_agents, wilson
from pcg.generators.tuning.plays import PlayRecord, Plays, check_agent

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BAND = re.compile(rf"({_NUMBER})(?:\.\.({_NUMBER}))?")
_FUNCTION = re.compile(r"(?P<file>.+?\.py):(?P<name>[A-Za-z_]\w*)(?::(?P<agents>.+))?")


@dataclass(frozen=True, slots=True)
class Result:
    """Value of plays for a target: `value` in [0, 1], its standard error, and the `measure` it comes from."""

    value: float
    error: float
    measure: float


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of target. `banded` ones need a value or band; `scale` says how far off counts as all wrong."""

    name: str
    help: str
    measure: Callable[[Sequence[Sequence[PlayRecord]]], float]
    """Of the plays of each agent, weakest first."""
    banded: bool
    several: bool
    """True if it compares agents; the others take one."""
    scale: Callable[[float, float], float] = lambda low, high: 1.0
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf


def _one(measure: Callable[[PlayRecord], float]) -> Callable[[Sequence[Sequence[PlayRecord]]], float]:
    return lambda plays: math.fsum(map(measure, plays[0])) / len(plays[0])


def _spread(plays: Sequence[Sequence[PlayRecord]]) -> float:
    scores = [play.score for play in plays[0]]
    deviation = statistics.pstdev(scores)
    return deviation / (deviation + abs(statistics.fmean(scores))) if deviation else 0.0


def skill_depth(plays: Sequence[Sequence[PlayRecord]]) -> float:
    """Return how well a game tells skill apart, in [0, 1]: half the gap between the strongest and the others, half
    their order.

    The gap is the difference of mean values of plays (Nielsen et al. 2015: relative algorithm performance profiles), 0
    if the strongest is no better; the order is the share of pairs of agents of which the one named later does better,
    equal ones counting half.
    """
    values = [statistics.fmean(play.value for play in agent) for agent in plays]
    gap = values[-1] - statistics.fmean(values[:-1])
    pairs = [1.0 if b > a else 0.5 if a == b else 0.0 for a, b in combinations(values, 2)]
    return 0.5 * max(0.0, gap) + 0.5 * statistics.fmean(pairs)


def _reference(plays: Sequence[Sequence[PlayRecord]]) -> float:
    mean = statistics.fmean(play.score for play in plays[0])
    squashed = 1.0 / (1.0 + math.exp(-max(-500.0, min(500.0, 4.0 * (mean / 10.0 - 1.0)))))
    return 0.9 * statistics.fmean(play.won for play in plays[0]) + 0.1 * squashed


def _relative(low: float, high: float) -> float:
    return max(abs(low), abs(high), 1e-9)


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("win_rate", "share of plays that the agent wins", _one(lambda p: float(p.won)), True, False,
             lambda low, high: max(low, 1.0 - high, 1e-9), low=0.0, high=1.0),
        Kind("duration", "mean length of the agent's plays", _one(lambda p: float(p.ticks)), True, False, _relative,
             "ticks", low=0.0),
        Kind("score", "mean final score of the agent", _one(lambda p: p.score), True, False, _relative, "points"),
        Kind("score_spread", "how much the agent's scores differ: deviation / (deviation + mean)", _spread, False,
             False),
        Kind("skill_depth", "how much better stronger agents do, and whether they do so in order; weakest first",
             skill_depth, False, True),
        Kind("fitness", "0.9 of the share won, 0.1 of the squashed mean score", _reference, False,
             False),
    )
}  # fmt: skip
"""All kinds of targets but functions of one's own, by name."""


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes:
        text: as it is written again.
        agents: who plays, weakest first.
        weight: share in a mean of several, before division by all weights.
    """

    text: str
    agents: tuple[str, ...]
    weight: float
    kind: Kind | None = None
    low: float = -math.inf
    high: float = math.inf
    function: Callable[[Plays], Any] | None = None
    file: str = ""
    """Of a function, as it was named."""
    source: str = ""
    """Text of that file."""

    @property
    def name(self) -> str:
        """Without weight and band."""
        return self.kind.name if self.kind else self.text

    def evaluate(self, plays: Plays) -> Result:
        """Return the value of the plays of all agents.

        Raises:
            PcgError: a function of one's own fails.
        """
        mine = [plays[agent] for agent in self.agents]
        measure = self._measure(mine)
        value = self._value(measure)
        count = len(mine[0])
        if count < 2:
            return Result(value, 0.5, measure)  # one play tells nothing about chance
        if self.kind is not None and self.kind.name == "win_rate":
            # of so many plays all won the share is not known for certain: one more win and loss (Agresti, Coull 1998)
            share = (measure * count + 1.0) / (count + 2.0)
            return Result(
                value, math.sqrt(share * (1.0 - share) / count) / self.kind.scale(self.low, self.high), measure
            )
        parts = [self._value(self._measure([[*a[:k], *a[k + 1 :]] for a in mine])) for k in range(count)]
        mean = math.fsum(parts) / count
        error = math.sqrt((count - 1) / count * math.fsum((part - mean) ** 2 for part in parts))
        return Result(value, error, measure)

    def met(self, low: float, high: float) -> bool | None:
        """Return whether a measure is where it is wanted, as far as its interval tells; None where no band is wanted.

        Args:
            low: lower bound of the interval of the measure.
            high: its upper bound.
        """
        if self.kind is None or (math.isinf(self.low) and math.isinf(self.high)):
            return None
        return low <= self.high and high >= self.low

    def interval(self, plays: Plays) -> tuple[float, float]:
        """The 95 % interval of the measure: Wilson's of a share of plays won, else by the jackknife."""
        mine = [plays[agent] for agent in self.agents]
        count = len(mine[0])
        if self.kind is not None and self.kind.name == "win_rate":
            return wilson(sum(play.won for play in mine[0]), count)
        measure = self._measure(mine)
        if count < 2:
            return -math.inf, math.inf
        parts = [self._measure([[*a[:k], *a[k + 1 :]] for a in mine]) for k in range(count)]
        mean = math.fsum(parts) / count
        error = math.sqrt((count - 1) / count * math.fsum((part - mean) ** 2 for part in parts))
        return measure - 1.96 * error, measure + 1.96 * error

    def _measure(self, plays: Sequence[Sequence[PlayRecord]]) -> float:
        if self.kind is not None:
            return self.kind.measure(plays)
        assert self.function is not None
        try:
            value = self.function(dict(zip(self.agents, plays, strict=True)))
        except Exception as error:
            line = _line_in(self.file, error)
            raise PcgError(
                f"{self.file}{line}: the objective `{self.text}` raised {type(error).__name__}: {error}"
            ) from None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
            raise PcgError(f"{self.file}: the objective `{self.text}` is {value!r}, expected a number from 0 to 1")
        return float(value)

    def _value(self, measure: float) -> float:
        if self.kind is None or not self.kind.banded:
            return min(1.0, max(0.0, measure))
        off = max(self.low - measure, measure - self.high, 0.0)
        return max(0.0, 1.0 - off / self.kind.scale(self.low, self.high))

    def __str__(self) -> str:
        return self.text


class Objective:
    """The weighted mean of targets.

    Args:
        texts: targets; several in one text have a semicolon between them, and ``2*`` before one is its weight.
        sources: Python files by name, as `files` has them, where they are not to be read from the disk.

    Raises:
        PcgError: for something that is no target, agents that do not exist, and functions that cannot be loaded.

    >>> objective = Objective("win_rate:mcts=0.5; 2*skill_depth:random,mcts")
    >>> objective.agents
    ('mcts', 'random')
    >>> str(objective)
    'win_rate:mcts=0.5; 2*skill_depth:random,mcts'
    """

    def __init__(self, texts: str | Iterable[str], *, sources: Mapping[str, str] | None = None) -> None:
        given = [texts] if isinstance(texts, str) else list(texts)
        parts = [part.strip() for text in given for part in text.split(";") if part.strip()]
        if not parts:
            raise PcgError(f"no target: expected for example win_rate:mcts=0.5, or one of {', '.join(KINDS)}")
        self.targets = tuple(_read(part, sources) for part in parts)
        twice = next((t for t in self.targets if sum(t.text == other.text for other in self.targets) > 1), None)
        if twice is not None:
            raise PcgError(f"the target `{twice}` is named twice")
        self.agents = tuple(dict.fromkeys(agent for target in self.targets for agent in target.agents))

    @property
    def files(self) -> dict[str, str]:
        """Texts of the Python files that functions come from, by the names they have in the targets."""
        return {target.file: target.source for target in self.targets if target.file}

    def evaluate(self, plays: Plays) -> tuple[Result, tuple[Result, ...]]:
        """Return the value of plays for all targets together, and for each.

        Returns:
            The mean as a `Result` whose error is the weighted mean of the errors, the largest it can be, for the
            targets may share their plays.
        """
        parts = tuple(target.evaluate(plays) for target in self.targets)
        total = math.fsum(target.weight for target in self.targets)
        shares = [target.weight / total for target in self.targets]
        value = math.fsum(s * part.value for s, part in zip(shares, parts, strict=True))
        error = math.fsum(s * part.error for s, part in zip(shares, parts, strict=True))
        return Result(value, error, value), parts

    def __str__(self) -> str:
        return "; ".join(map(str, self.targets))


def _read(text: str, sources: Mapping[str, str] | None) -> Target:
    """The target that a text describes."""
    weight, body = 1.0, text
    match = re.match(rf"\s*({_NUMBER})\s*\*\s*(.+)", text)
    if match:
        weight, body = float(match[1]), match[2]
        if not weight > 0 or not math.isfinite(weight):
            raise PcgError(f"target `{text}`: the weight is {match[1]}, expected more than 0")
    own = _FUNCTION.fullmatch(body)
    if own:
        return _function(text, own, weight, sources)
    name, _, rest = body.partition(":")
    kind = KINDS.get(name.partition("=")[0].strip())
    if kind is None:
        known = [*KINDS]
        hint = did_you_mean(name.strip(), known, f" (there are: {', '.join(known)}, and file.py:function)")
        raise PcgError(f"target `{text}`: unknown measure `{name.strip()}`{hint}")
    example = f"{kind.name}:mcts=" + {"win_rate": "0.5", "duration": "150..300"}.get(kind.name, "10..20")
    low, high = -math.inf, math.inf
    agents = rest
    if kind.banded:
        agents, equals, band = rest.rpartition("=")
        found = _BAND.fullmatch(band.strip())
        if not equals or found is None or not agents.strip():
            raise PcgError(f"target `{text}`: expected an agent and a value or a band, as in {example}")
        low = float(found[1])
        high = float(found[2]) if found[2] else low
        if high < low:
            raise PcgError(
                f"target `{text}`: the band goes from {low:g} down to {high:g}, expected the smaller number first"
            )
        if low < kind.low or high > kind.high:
            raise PcgError(f"target `{text}`: {kind.name} lies from {kind.low:g} to {kind.high:g}")
    if not agents.strip() and kind.several:
        agents = ",".join(AGENTS)
    names = tuple(check_agent(agent) for agent in split_agents([agents])) if agents.strip() else ()
    if kind.several and len(names) < 2:
        raise PcgError(f"target `{text}`: expected at least two agents, weakest first, as in {kind.name}:random,mcts")
    if not kind.several and len(names) != 1:
        listed = example if kind.banded else f"{kind.name}:mcts"
        raise PcgError(f"target `{text}`: {len(names)} agents, expected one, as in {listed}")
    return Target(text, names, weight, kind, low, high)


def _function(text: str, match: re.Match[str], weight: float, sources: Mapping[str, str] | None) -> Target:
    """A target by a function of the user's."""
    path = match["file"]
    source = sources[path] if sources is not None and path in sources else _text_of(Path(path))
    module = load_module(path, source)
    function = module.get(match["name"])
    if not callable(function):
        known = [key for key, value in module.items() if callable(value) and not key.startswith("_")]
        hint = did_you_mean(match["name"], known, f" (it has: {', '.join(known) or 'no functions'})")
        raise PcgError(f"{path} has no function `{match['name']}`{hint}")
    agents = tuple(check_agent(agent) for agent in split_agents([match["agents"] or "mcts"]))
    return Target(text, agents, weight, function=function, file=path, source=source)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PcgError(f"cannot read the objective in {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PcgError(f"{path} is no text in UTF-8, expected a Python file") from None


def load_module(path: str, source: str) -> dict[str, Any]:
    """The names that a Python text defines.

    Raises:
        PcgError: when it cannot be run; `path` names it.
    """
    names: dict[str, Any] = {"__name__": f"pcg_objective_{hashlib.sha256(source.encode()).hexdigest()[:12]}"}
    try:
        exec(compile(source, path, "exec"), names)
    except SyntaxError as error:
        raise PcgError(f"{path}:{error.lineno}:{error.offset}: {error.msg}: {(error.text or '').strip()}") from None
    except Exception as error:
        raise PcgError(f"{path}{_line_in(path, error)}: {type(error).__name__}: {error}") from None
    return names


def _line_in(file: str, error: BaseException) -> str:
    """Colon and line of the place in a file where an error came up, if it is known."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return found


__all__ = ["KINDS", "Kind", "Objective", "Result", "Target", "load_module", "skill_depth"]
