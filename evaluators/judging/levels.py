"""The judge of levels: a quality made of seven named parts, each with a sentence about the level.

- *skill*: whether better players fare better (a difference, not the largest);
- *pacing*: room and calm at the start, points and danger along the way;
- *purpose*: whether what counts can be reached, and whether everything there matters to some play;
- *composition*: frame, walls, rooms, doors, symmetry and groups as in the game's own levels;
- *conventions*: sizes, numbers, places and patterns of tiles as there;
- *clarity*: as regular and as crowded as these;
- *difficulty*: near the wanted one.

Parts of the text are about being like the game's own levels, as far as these are like each other and no further; where
there are none, like those of all games the judge was fitted on; being more typical than they are is worth nothing
(`level_model.enough`). Parts of plays are absolute. The value is the weighted mean of the parts.
After Summerville, Mariño, Snodgrass, Ontañón and Lelis (Understanding Mario: An Evaluation of Design Metrics for
Platformers, 2017), who fit such metrics to judgements; weights: `level_model`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging.judgement import Part
from pcg.evaluators.judging.level_features import FEATURES, LevelView
from pcg.evaluators.judging.level_habits import BARRING
from pcg.evaluators.judging.level_model import NAMES, PART_OF, Floats, LevelModel, default_model, enough
from pcg.evaluators.judging.level_parts import PARTS, SOURCES
from pcg.evaluators.judging.level_play import PLAY_MEASURES, PlayMeasure
from pcg.evaluators.judging.level_reference import GameReference, LevelProfile
from pcg.evaluators.metrics.text import LevelText, TextMetrics

NOTABLE = 0.27
"""Value of a measure below which a sentence speaks of it."""
MENTIONED = 2
"""Most measures that one sentence speaks of."""
_SHOWN: Mapping[str, Callable[[float], float]] = {"danger": math.expm1, "winding": math.exp, "runs": math.exp}
"""Features that are logarithms, and what makes cells or multiples of them."""
_LIKENESS_PHRASES: Mapping[str, tuple[str, str]] = {
    "windows": ("more of the patterns that occur there than they share themselves", "patterns that do not occur there"),
    "blocks": ("commoner patterns", "rarer patterns"),
    "pairs": ("commoner neighbours", "tiles beside each other that rarely are"),
    "surroundings": ("things where they most often stand", "things among walls otherwise than there"),
    "counts": ("unusual numbers of things", "more usual numbers of things"),
    "exact": ("other numbers of what they all have equally often", ""),
    "beyond": ("numbers of things that they never have", ""),
    "places": ("things where they most often are", "things at unusual places"),
    "ways": ("things nearer to the start or farther from it", ""),
    "forms": ("commoner forms of walls", "forms of walls that are rare there"),
    "foreign": ("tiles that they lack, or none of what they all have", ""),
    "roles": ("numbers of enemies, goals or things to gather that they never have", ""),
    "habits": ("things that stand as they never do", ""),
}


_OF_PART: Mapping[str, NDArray[np.bool_]] = {part: np.array([PART_OF[n] == part for n in NAMES]) for part in PARTS}


class LevelJudge:
    """Judges levels of one game. Safe to use from several threads at once.

    Args:
        tables: what is known of the game's levels.
        levels: the game's own; those that cannot be read are left out.
        difficulty: that is judged best, in [0, 1].
        model: spreads and weights; the toolkit's own by default.

    >>> import pcg
    >>> from pcg.evaluators.fitness import LevelEvaluator
    >>> judge = LevelEvaluator(pcg.load("boxes")).judge
    >>> [part.name for part in judge.parts(judge.view(judge.levels[0]))]
    ['pacing', 'purpose', 'composition', 'conventions', 'clarity']
    """

    def __init__(
        self, tables: TextMetrics, levels: Sequence[str], difficulty: float = 0.6, model: LevelModel | None = None
    ) -> None:
        self.tables = tables
        self.difficulty = difficulty
        self.model = model if model is not None else default_model()
        self.levels: tuple[str, ...] = tuple(text for text in levels if _readable(tables, text))
        """The game's own levels that can be read."""
        views = [self.view(text) for text in self.levels]
        self.reference = GameReference(views, len(tables.palette.tiles), self.model.wanted)
        own = [self.reference.features, self.reference.own_likeness]
        self.own: Floats = np.hstack(own) if len(self.reference) else np.zeros((0, len(NAMES)))
        """Measures of these, each against the others, shape (levels, measures)."""

    def view(self, level: str | LevelText) -> LevelView:
        """Return a level as the judge sees it.

        Raises:
            PcgError: for a text that is no level of the game.
        """
        if isinstance(level, str):
            level = self.tables.level(self.tables.palette.parse(level))
        return LevelView(level)

    def measures(self, view: LevelView) -> tuple[Floats, Floats, LevelProfile]:
        """Return the measures of a level's text, those of the levels it is compared with (shape (levels, measures)),
        and its profile.
        """
        values, others, profile = self._compared(view)
        return values, self.own[others], profile

    def _compared(self, view: LevelView) -> tuple[Floats, list[int], LevelProfile]:
        """The measures of a level's text, the own levels it is compared with, and its profile."""
        profile = self.reference.profile(view)
        left_out = self.reference.nearest(profile)
        values = np.concatenate([profile.features, self.reference.likeness(profile, left_out)])
        return values, self.reference.others(left_out), profile

    @cached_property
    def own_values(self) -> Floats:
        """Values of the texts of the game's own levels, each against the others, shape (levels,)."""
        return self.model.own_values(self.own)

    def parts(self, view: LevelView, played: Sequence[PlayMeasure] = ()) -> tuple[Part, ...]:
        """Return the parts of the judgement of a level; their weights sum to 1.

        Args:
            view: the level.
            played: measures of its plays; without them only what the text tells is judged, and the other parts are
                left out.
        """
        model = self.model
        values, others, profile = self._compared(view)
        own = self.own[others]
        scores = model.scores(model.deviations(values, own))
        weights = model.weights if len(own) else model.alone
        reached = float((weights * scores).sum())
        scale = min(1.0, enough(self.own_values[others]) / reached) if reached > 0.0 else 1.0
        share = model.share if played else 0.0
        found = []
        for part in PARTS:
            of_part = _OF_PART[part]
            text_weight = (1.0 - share) * float(weights[:, of_part].sum())
            text_value = (1.0 - share) * scale * float((weights * scores)[:, of_part].sum())
            mine = [m for m in played if m.part == part]
            weight = text_weight + share * math.fsum(model.play[m.name] for m in mine)
            if weight <= 0.0 and not mine:
                continue
            value = text_value + share * math.fsum(model.play[m.name] * m.value for m in mine)
            ratio = value / weight if weight > 0.0 else math.fsum(m.value for m in mine) / len(mine)
            sentence = self._sentence(part, scores, weights, values, own, profile, mine)
            found.append(Part(part, min(1.0, max(0.0, ratio)), sentence, weight, SOURCES[part]))
        return tuple(found)

    # -- sentences -----------------------------------------------------------------------------------------------------

    def _sentence(
        self, part: str, scores: Floats, weights: Floats, values: Floats, own: Floats,
        profile: LevelProfile, played: Sequence[PlayMeasure],
    ) -> str:  # fmt: skip
        """One or two sentences: what sets the level apart from its kin in this part, and what plays show."""
        lost = weights * (1.0 - scores) * (scores < NOTABLE) * _OF_PART[part]
        most = lost.max(axis=0)
        worst: list[str] = []
        for k in np.argsort(-most, kind="stable").tolist():
            if most[k] <= 0.0 or len(worst) == MENTIONED:
                break
            phrase = self._phrase(NAMES[k], int(lost[1, k] > lost[0, k]), values[k], own[:, k], profile)
            if phrase and phrase not in worst:
                worst.append(phrase)
        sentences = []
        kin = "the game's own levels" if len(own) else "levels of other games"
        if worst:
            sentences.append(f"Unlike {kin}: {', '.join(worst)}.")
        elif weights[:, _OF_PART[part]].any():
            sentences.append(f"In {part} it is like {kin}.")
        return " ".join([*sentences, *(m.sentence for m in played if m.sentence)])

    def _phrase(self, name: str, side: int, value: float, own: Floats, profile: LevelProfile) -> str:
        """Return the words for a measure that is off to one side."""
        if name in ("counts", "exact", "beyond", "foreign") and len(self.reference):
            found = self.reference.strangest_count(profile)
            if found is not None:
                tile, *numbers = found
                return _of_usual(f"of {self._contents(tile)}", *numbers)
        if name == "roles" and (strangest := self.reference.strangest_role(profile)) is not None:
            return _of_usual(*strangest)
        if name == "habits" and (broken := self.reference.worst_habit(profile)) is not None:
            has, usual = ("with", "never") if broken.has else ("without", "always")
            usual = "nearly always" if broken.standing == BARRING else usual
            return f"{broken.number} of {self._contents(broken.tile)} {has} {broken.standing} ({usual} there)"
        if name in FEATURES:
            text = FEATURES[name].less if side else FEATURES[name].more
            known = own[np.isfinite(own)]
            if math.isnan(value) or not known.size or name in ("height", "width"):
                return text
            number = _SHOWN.get(name, float)
            return f"{text} ({number(value):.2g}, usually {number(float(known.mean())):.2g})"
        return _LIKENESS_PHRASES[name][side]

    def _contents(self, tile: int) -> str:
        """Return the names of what a tile holds."""
        palette = self.tables.palette
        shown = palette.tiles[tile].content or palette.tiles[tile].types
        return "+".join(palette.analysis.names(shown)) or "bare ground"


def _of_usual(what: str, count: int, low: int, high: int) -> str:
    return f"{count} {what} (usually {low if low == high else f'{low} to {high}'})"


def value_of(parts: Sequence[Part]) -> float:
    """Return the weighted mean of parts, in [0, 1].

    >>> value_of([Part("clarity", 1.0, "", 3.0), Part("skill", 0.0, "", 1.0)])
    0.75
    """
    total = math.fsum(part.weight for part in parts)
    return math.fsum(part.weight * part.value for part in parts) / total if total > 0 else 0.0


def bounded_parts(parts: Sequence[Part], most: float) -> tuple[Part, ...]:
    """Return the parts of a judgement whose value is to be `most` at most, as of a level that may not be winnable.

    All count less, and the part *skill*, which says why, has what they lose as weight without value.

    Args:
        parts: of the judgement of a level.
        most: highest value, in [0, 1].

    >>> skill, text = Part("skill", 0.5, "Not shown to be winnable.", 0.25), Part("clarity", 1.0, "", 0.75)
    >>> found = bounded_parts((skill, text), 0.7)
    >>> round(value_of(found), 9), found[1].value, round(sum(part.weight for part in found), 9)
    (0.7, 1.0, 1.0)
    >>> bounded_parts((skill, text), 0.9) == (skill, text)
    True
    """
    value, total = value_of(parts), math.fsum(part.weight for part in parts)
    if value <= most:
        return tuple(parts)
    kept = most / value
    found = []
    for part in parts:
        weight = kept * part.weight
        if part.name == "skill":
            worth, weight = weight * part.value, weight + (1.0 - kept) * total
            part = replace(part, value=worth / weight)
        found.append(replace(part, weight=weight))
    return tuple(found)


def part_weights(own_levels: bool, model: LevelModel | None = None) -> dict[str, float]:
    """Return the weight of each part in the value of a level that was played; they sum to 1.

    Args:
        own_levels: whether the game has levels of its own to compare with.
        model: spreads and weights; the toolkit's own by default.
    """
    model = model if model is not None else default_model()
    weights = (model.weights if own_levels else model.alone).sum(axis=0)
    found = dict.fromkeys(PARTS, 0.0)
    for k, name in enumerate(NAMES):
        found[PART_OF[name]] += (1.0 - model.share) * float(weights[k])
    for name, part in PLAY_MEASURES.items():
        found[part] += model.share * model.play[name]
    return found


def _readable(tables: TextMetrics, text: str) -> bool:
    try:
        tables.palette.parse(text)
    except PcgError:
        return False
    return True
