"""Conventions of rules: the effects that people write for kinds of sprites, and the meetings they leave without one.

A small model of the games that people made, as GAVEL (Todd, Padula, Stephenson, Piette, Soemers, Togelius: GAVEL,
Generating Games via Evolution and Language Models, 2024) draws on one: counts of rules by kinds (`game_kinds`),
smoothed by what their parts let expect, against chance. It knows nothing of names or of numbers.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pcg.evaluators.effect_semantics import first_number
from pcg.evaluators.judging.game_kinds import EDGE, TIME, GameKinds

Token = tuple[str, str, str]
"""Kind of the first sprite, effect, kind of the second."""

_FILE = Path(__file__).with_name("game_conventions.json")
_JOINT, _HALF = 0.5, 0.4
"""Shares of the counts themselves, and of what two of the three parts let expect; the rest is chance."""
FEW = 2.0
"""Rules that a game is short of, so that few usual ones are worth less than many."""
_PRIOR = 2.0
"""Meetings that count for the mean share before any is seen."""


@dataclass(frozen=True)
class Line:
    """A rule or a termination as conventions see it.

    Attributes:
        token: its kinds and effect; of a termination what is counted, its name, and its outcome.
        effect: index into `GameDefinition.effects`; -1 for a termination.
        text: for a sentence.
        score: of `scoreChange` the sign.
    """

    token: Token
    effect: int
    text: str
    score: int = 0


def rule_lines(kinds: GameKinds) -> Iterator[Line]:
    """The rules of a game, one for each pair of kinds that an effect is written for, then its terminations."""
    definition = kinds.definition
    seen: set[tuple[Token, int]] = set()

    def line(first: str, second: str, index: int, names: str) -> Iterator[Line]:
        effect = definition.effects[index]
        token = (first, effect.name, second)
        if (token, index) not in seen:
            seen.add((token, index))
            points = first_number(effect.params.get("scoreChange"), 0)
            yield Line(token, index, f"{names} > {effect.name}", (points > 0) - (points < 0))

    for pair in definition.pairs:
        names = f"{kinds.name(pair.first)} {kinds.name(pair.second)}"
        for index in pair.effects:
            yield from line(kinds.kinds[pair.first], kinds.kinds[pair.second], index, names)
    for t, indices in definition.eos_effects.items():
        for index in indices:
            yield from line(kinds.kinds[t], EDGE, index, f"{kinds.name(t)} EOS")
    for timed in definition.time_effects:
        bound = kinds.kinds[timed.bound] if timed.bound >= 0 else TIME
        yield from line(bound, TIME, timed.effect, "TIME")
    for ending in kinds.analysis.endings:
        counted = Counter(kinds.kinds[t] for t in ending.types)
        what = counted.most_common(1)[0][0] if counted else TIME
        yield Line((what, ending.kind, ending.outcome), -1, f"{ending.name} {ending.outcome}")


def meetings(kinds: GameKinds) -> Iterator[tuple[tuple[str, str], bool, tuple[int, int]]]:
    """Every two types that can be there, one of which gets about: their kinds, whether any rule is written for them,
    and the types, the one that gets about first.
    """
    ruled = kinds.analysis.meetings
    moving = {t for t in kinds.present if kinds.kinds[t] in _MOBILE or t in kinds.analysis.moved}
    for a in kinds.present:
        for b in kinds.present:
            if a == b or a not in moving or (b in moving and (kinds.kinds[b], b) < (kinds.kinds[a], a)):
                continue
            told = bool(ruled.get((a, b)) or ruled.get((b, a)))
            yield (kinds.kinds[a], kinds.kinds[b]), told, (a, b)
    for a in moving:
        yield (kinds.kinds[a], EDGE), bool(kinds.analysis.edges.get(a)), (a, -1)


_MOBILE = frozenset({"avatar", "chaser", "wanderer", "missile", "walker", "shot"})


@dataclass
class Conventions:
    """Counts of what people write.

    Attributes:
        games: how many games were counted.
        rules: how many of them have a rule (or a termination) of these kinds and this effect.
        met: pairs of kinds -> (meetings with a rule, all meetings), one half of them or more from a game at most 1.
        scores: (kind of the first, effect) -> games with points lost, none, and points won by it.
    """

    games: int = 0
    rules: dict[Token, float] = field(default_factory=dict)
    met: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    scores: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sides: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(6)]
        for (a, e, b), n in self.rules.items():
            for side, key in enumerate(((a,), (e,), (b,), (a, e), (e, b), (a, b))):
                self._sides[side][key] += n  # type: ignore[assignment]
        self._total = math.fsum(self.rules.values())
        said, all_met = (math.fsum(v[k] for v in self.met.values()) for k in (0, 1))
        self._said = said / all_met if all_met else 0.5

    def surprise(self, token: Token) -> float:
        """Bits by which a rule is likelier among what people write than by chance; negative where it is unusual."""
        likely, chance = self._shares(token)
        return math.log2(likely / chance) if chance else 0.0

    def likelihood(self, token: Token) -> float:
        """Share of the rules that people write that are of these kinds and this effect, smoothed, in [0, 1)."""
        return self._shares(token)[0]

    def _shares(self, token: Token) -> tuple[float, float]:
        """The smoothed share of a rule, and the one that chance would let expect; 0 without any counts."""
        total = self._total
        if not total:
            return 0.0, 0.0
        a, e, b = token
        one, two, three, first, last, _ = self._sides

        def share(counts: Mapping[tuple[str, ...], float], key: tuple[str, ...]) -> float:
            return (counts.get(key, 0.0) + 0.25) / (total + 0.25 * (len(counts) + 1))

        chance = share(one, (a,)) * share(two, (e,)) * share(three, (b,))
        halves = 0.5 * share(first, (a, e)) * share(three, (b,)) + 0.5 * share(last, (e, b)) * share(one, (a,))
        joint = self.rules.get(token, 0.0) / total
        return _JOINT * joint + _HALF * halves + (1 - _JOINT - _HALF) * chance, chance

    def expected(self, pair: tuple[str, str]) -> float:
        """Share of the meetings of these kinds for which people write a rule."""
        said, all_met = self.met.get(pair, (0.0, 0.0))
        return (said + _PRIOR * self._said) / (all_met + _PRIOR)

    def usual_score(self, kind: str, effect: str, sign: int) -> float:
        """Share of the rules of this effect on this kind that change the score this way, in (0, 1)."""
        own = self.scores.get((kind, effect), (0.0, 0.0, 0.0))
        every = [math.fsum(v[k] for v in self.scores.values()) + 1.0 for k in range(3)]
        return (own[sign + 1] + 2.0 * every[sign + 1] / math.fsum(every)) / (math.fsum(own) + 2.0)

    def without(self, game: GameKinds) -> Conventions:
        """Return the counts without a game that was counted, so that it can be judged by the others."""
        own = count_conventions([game])
        rules = {token: n - own.rules.get(token, 0.0) for token, n in self.rules.items()}
        met = {pair: (s - o[0], n - o[1]) for pair, (s, n) in self.met.items() for o in [own.met.get(pair, (0.0, 0.0))]}
        scores = {
            key: (x - o[0], y - o[1], z - o[2])
            for key, (x, y, z) in self.scores.items()
            for o in [own.scores.get(key, (0.0, 0.0, 0.0))]
        }
        return Conventions(self.games - 1, {token: n for token, n in rules.items() if n > 0.0}, met, scores)

    def to_json(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "games": self.games,
            "rules": [[*token, round(n, 2)] for token, n in sorted(self.rules.items())],
            "met": [[*pair, *(round(x, 2) for x in n)] for pair, n in sorted(self.met.items())],
            "scores": [[*key, *(round(x, 2) for x in n)] for key, n in sorted(self.scores.items())],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, list[list[object]]]) -> Conventions:
        """The inverse of `to_json`."""
        rows = {name: [tuple(row) for row in data[name]] for name in ("rules", "met", "scores")}
        return cls(
            int(data["games"]),  # type: ignore[call-overload]
            {(a, e, b): n for a, e, b, n in rows["rules"]},  # type: ignore[misc]
            {(a, b): (n, m) for a, b, n, m in rows["met"]},  # type: ignore[misc]
            {(a, e): (x, y, z) for a, e, x, y, z in rows["scores"]},  # type: ignore[misc]
        )


def count_conventions(games: Iterable[GameKinds]) -> Conventions:
    """Count the rules of games that people made; a game counts each kind of rule, and each kind of meeting, once."""
    rules: Counter[Token] = Counter()
    met: dict[tuple[str, str], list[float]] = {}
    scores: dict[tuple[str, str], list[float]] = {}
    number = 0
    for kinds in games:
        number += 1
        lines = list(rule_lines(kinds))
        rules.update({line.token for line in lines})
        for key in {(line.token[0], line.token[1], line.score) for line in lines if line.effect >= 0}:
            scores.setdefault(key[:2], [0.0, 0.0, 0.0])[key[2] + 1] += 1.0
        found: dict[tuple[str, str], list[bool]] = {}
        for pair, told, _ in meetings(kinds):
            found.setdefault(pair, []).append(told)
        for pair, listed in found.items():
            count = met.setdefault(pair, [0.0, 0.0])
            count[0] += sum(listed) / len(listed)
            count[1] += 1.0
    return Conventions(
        number,
        {token: float(n) for token, n in rules.items()},
        {pair: (said, n) for pair, (said, n) in met.items()},
        {key: (x, y, z) for key, (x, y, z) in scores.items()},
    )


@lru_cache(1)
def conventions() -> Conventions:
    """The counts that come with the toolkit; their provenance is in the file beside this module."""
    if not _FILE.is_file():
        return Conventions()
    data: dict[str, list[list[object]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return Conventions.from_json(data)


@dataclass(frozen=True)
class Usage:
    """Likeness of the rules of a game to those that people write.

    Attributes:
        rules: mean over rules and terminations of how usual they are, in [0, 1), less where they are few; one half is
            chance.
        points: the same of the changes of score.
        told: of the meetings for which people write a rule the share that has one, in [0, 1].
        strangest: the line that is least usual, None in a game without lines.
        silent: the two types whose meeting most calls for a rule and has none; the second is -1 for the edge.
    """

    rules: float
    points: float
    told: float
    strangest: Line | None
    silent: tuple[int, int] | None


def usage(kinds: GameKinds, known: Conventions) -> Usage:
    """Compare the rules of a game with conventions."""
    lines = list(rule_lines(kinds))
    bits = [known.surprise(line.token) for line in lines]
    usual = [1.0 / (1.0 + 2.0**-b) for b in bits]
    points = [
        known.usual_score(line.token[0], line.token[1], line.score) for line in lines if line.effect >= 0
    ]  # fmt: skip
    wanted = said = worst = 0.0
    silent: tuple[int, int] | None = None
    for pair, told, types in meetings(kinds):
        weight = known.expected(pair)
        # a meeting that people mostly leave alone says nothing either way
        weight = max(0.0, 2.0 * weight - 1.0) if weight > 0.5 else 0.0
        wanted += weight
        said += weight * told
        if not told and weight > worst:
            worst, silent = weight, types
    return Usage(
        rules=math.fsum(usual) / (len(usual) + FEW),
        points=math.fsum(points) / len(points) if points else 0.0,
        told=said / wanted if wanted else 0.5,
        strangest=min(zip(bits, range(len(lines)), lines, strict=True))[2] if lines else None,
        silent=silent,
    )
