"""Items that are shown together, pairs or sets of four, and votes on sets of four as choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.choices import Choice
from pcg.evaluators.preferences.sets import SetDesign
from pcg.study.config import StudyConfig
from pcg.study.rows import SIDES, StudyItem


def lonely(judged: Sequence[StudyItem], config: StudyConfig) -> list[StudyItem]:
    """Return the items that no pair, or set of four, can be made with.

    Args:
        judged: all items that are judged.
        config: of the study.
    """
    if config.size == 2:
        return [item for item in judged if not any(comparable(item, other, config) for other in judged)]
    try:
        design = set_design(judged, config)
    except PcgError:
        return list(judged)
    return [item for item in judged if not design.can_show(item.name)]


def set_design(judged: Sequence[StudyItem], config: StudyConfig) -> SetDesign:
    """Return the design of the sets of a study.

    Raises:
        PcgError: when there are none.
    """
    allowed = [(a.name, b.name) for a, b in combinations(judged, 2) if comparable(a, b, config)]
    names = [item.name for item in judged]
    return SetDesign(config.pairing, names, config.size, config.seed, pairs=allowed)


def comparable(one: StudyItem, two: StudyItem, config: StudyConfig) -> bool:
    """Return True if two items may be shown together."""
    if one.name == two.name or one.check or two.check:
        return False
    if config.within_game and one.game != two.game:
        return False
    if config.within_level and one.level != two.level:
        return False
    return not config.across_groups or one.group != two.group


def choices_of(
    rows: Iterable[Mapping[str, Any]], config: StudyConfig, names: Mapping[Any, str] | None = None, question: str = ""
) -> list[Choice]:
    """Return the choices that votes are, attention checks left out.

    Args:
        rows: votes, as the store or an export has them.
        config: of the study.
        names: of items by what the rows call them; without it they are names.
        question: which one; the first without it, and with that the one that asks for the worst, if there is one.
    """
    question = question or config.questions[0].name
    worst = config.worst if question == config.questions[0].name else ""
    found: dict[Any, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        if not row["check"] and row["question"] in (question, worst):
            found.setdefault(row["pair"], {})[row["question"]] = row
    choices = []
    for answered in found.values():
        if question in answered:
            row = answered[question]
            shown = {side: row[side] if names is None else names[row[side]] for side in SIDES}
            last = answered.get(worst)
            choices.append(
                Choice(row["participant"], tuple(shown.values()), shown[row["answer"]],
                       shown[last["answer"]] if last is not None else "", float(row["seconds"]))
            )  # fmt: skip
    return choices
