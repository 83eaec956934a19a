"""Measures of the plays of a level: who wins it, when something happens on the way, and what is there for nothing.

Each measure is an absolute one, in [0, 1], for the levels of a game need not be won to be its own, and there is no
reference to compare plays with. None rewards the largest value: a difference between players is wanted, not the
largest one; a beginning without danger, not a play without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pcg.evaluators.agents import Playout
from pcg.evaluators.judging.level_features import LevelView
from pcg.evaluators.mechanics import MECHANIC
from pcg.evaluators.metrics.play import NEAR, Trace
from pcg.evaluators.metrics.sources import KHALIFA, NIELSEN, SURVIVAL

WANTED_GAP = 0.5
"""Difference between the winning play and those of weak players that is enough."""
WEAK_WINS = 0.25
"""Share of their plays that weak players may win for nothing."""
CALM = 8
"""Ticks at the start in which danger had better not come near."""
LULL = 0.35
"""Longest stretch of the winning play in which nothing happens that is as good as none, as a share of the play."""
USUAL = 0.83
"""Value of the plays of a level that was won: the mean of 561 levels of all sources in games that are not held out."""
TOLERANCE = 0.6
"""Distance from the wanted difficulty at which nothing of its value is left."""


@dataclass(frozen=True)
class LevelPlays:
    """The plays of a level that was won."""

    won: Playout
    """The winning play."""
    trace: Trace
    """Things seen on it."""
    weak: Sequence[Playout]
    """Plays of weak agents."""
    metrics: Mapping[str, float]
    """Numbers measured of them: `gap` and `difficulty`."""


@dataclass(frozen=True, slots=True)
class PlayMeasure:
    """One measure of the plays of a level: the part that it belongs to, its value in [0, 1], and what to say."""

    name: str
    part: str
    value: float
    sentence: str
    source: str = ""


def measure_plays(view: LevelView, plays: LevelPlays, wanted: float) -> tuple[PlayMeasure, ...]:
    """Return what plays say of a level.

    Args:
        view: the level.
        plays: of it.
        wanted: difficulty that is judged best, in [0, 1].
    """
    return (_skill(plays), _start(plays), _beats(plays), _used(view, plays), _difficulty(plays, wanted))


def _skill(plays: LevelPlays) -> PlayMeasure:
    wins = sum(p.winner == 1 for p in plays.weak)
    share = wins / len(plays.weak) if plays.weak else 0.0
    gap = plays.metrics["gap"]
    value = min(1.0, gap / WANTED_GAP) * (1.0 - max(0.0, share - WEAK_WINS) / (1.0 - WEAK_WINS))
    better = "far better than" if gap >= WANTED_GAP else "better than" if gap > 0.2 else "hardly better than"
    sentence = (
        f"The winning play is {better} those of players who look one step ahead or none, who win {wins} of "
        f"{len(plays.weak)}."
    )
    return PlayMeasure("gap", "skill", value, sentence, NIELSEN)


def _start(plays: LevelPlays) -> PlayMeasure:
    """Ticks until danger is near, as a share of `CALM`."""
    near = next((k for k, distance in enumerate(plays.trace.dangers) if distance <= NEAR), None)
    value = 1.0 if near is None else min(1.0, near / CALM)
    sentence = (
        "No danger comes near on the way to the win." if near is None
        else "Danger is beside the avatar from the start." if near == 0
        else f"Danger first comes near at tick {near}."
    )  # fmt: skip
    return PlayMeasure("start", "pacing", value, sentence, SURVIVAL)


def beats(trace: Trace) -> list[int]:
    """Return the ticks at which something happens: points are won or lost, or danger comes near.

    >>> beats(Trace((None,) * 5, (9.0, 9.0, 1.0, 1.0, 9.0), (), (0.0, 0.0, 0.0, 2.0, 2.0)))
    [2, 3]
    """
    found = []
    for k in range(1, len(trace.dangers)):
        scored = bool(trace.scores) and trace.scores[k] != trace.scores[k - 1]
        if scored or (trace.dangers[k] <= NEAR < trace.dangers[k - 1]):
            found.append(k)
    return found


def _beats(plays: LevelPlays) -> PlayMeasure:
    """Rate the winning play by its longest stretch without an event."""
    length = max(1, len(plays.trace.dangers) - 1)
    marks = [0, *beats(plays.trace), length]
    lull = max(b - a for a, b in pairwise(marks)) / length
    value = min(1.0, (1.0 - lull) / (1.0 - LULL))
    count = len(marks) - 2
    sentence = (
        f"Points or danger come {count} times in {length} ticks; the longest stretch without takes {lull:.0%} of them."
        if count else f"Nothing happens in the {length} ticks of the winning play before it is won."
    )  # fmt: skip
    return PlayMeasure("beats", "pacing", value, sentence)


def _used(view: LevelView, plays: LevelPlays) -> PlayMeasure:
    """Share of the kinds of sprites in the level, walls aside, with which something happens in some play."""
    analysis, definition = view.tables.analysis, view.tables.analysis.definition
    met = {t for play in (plays.won, *plays.weak) for pair in play.events for t in pair}
    met |= {t for m in met if 0 <= m < len(definition.types) for t in definition.types[m].path}
    # rules that took effect without the avatar, as a box that reaches its mark
    named = {word for rule in plays.trace.mechanics for word in rule.removeprefix(MECHANIC).split(".")[:-1]}
    present = [
        family for family in view.tables.families
        if any(view.level.sprites.get(t) for t in family) and not any(analysis.has(t, "wall") for t in family)
    ]  # fmt: skip
    idle = [
        family for family in present
        if not met & family
        and not any(definition.types[p].name in named for t in family for p in definition.types[t].path)
    ]  # fmt: skip
    if not present:
        return PlayMeasure("used", "purpose", 0.0, "There is nothing in the level to deal with.", KHALIFA)
    value = 1.0 - len(idle) / len(present)
    names = ", ".join(f"`{definition.types[min(t for t in f if view.level.sprites.get(t))].name}`" for f in idle)
    sentence = "All that stands there matters in some play." if not idle else f"No play does anything with {names}."
    return PlayMeasure("used", "purpose", value, sentence, KHALIFA)


def _difficulty(plays: LevelPlays, wanted: float) -> PlayMeasure:
    found = plays.metrics["difficulty"]
    value = max(0.0, 1.0 - (abs(found - wanted) / TOLERANCE) ** 2)
    words = "as hard as" if abs(found - wanted) < 0.15 else "harder than" if found > wanted else "easier than"
    lost = sum(p.winner == 0 for p in plays.weak)
    sentence = (
        f"It is {words} wanted ({found:.2f}, wanted {wanted:.2f}): weak players are lost in {lost} of "
        f"{len(plays.weak)} plays, and winning takes {plays.won.ticks} ticks."
    )
    return PlayMeasure("difficulty", "difficulty", value, sentence)


PLAY_MEASURES: Mapping[str, str] = {
    "gap": "skill", "start": "pacing", "beats": "pacing", "used": "purpose", "difficulty": "difficulty",
}  # fmt: skip
"""Measures of plays, in order, with the part that each belongs to."""


def unseen_plays(chance: float, own_won: int, own: int) -> tuple[PlayMeasure, ...]:
    """Return what is to be expected of the plays of a level of which no win was found: what those of won levels are
    usually worth if it can be won, and nothing if it cannot.

    So not to be won pays for few levels: of one won level in ten the plays are worth less than at a chance of 0.8.

    Args:
        chance: that it can be won, in [0, 1].
        own_won: own levels of the game, out of `own`, of which the same search has found a win.
        own: those that it was made for.
    """
    many = "nor are the game's own levels" if own_won == 0 else f"of {own} of the game's own levels {own_won} are"
    sentence = f"Not shown to be winnable ({many}); the chance that it is: {chance:.0%}."
    sentences = {"skill": sentence, "difficulty": "Nobody has won it, so its difficulty is not known."}
    value = USUAL * chance
    return tuple(PlayMeasure(name, part, value, sentences.get(part, "")) for name, part in PLAY_MEASURES.items())
