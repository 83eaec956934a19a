"""Stages of a participant's way, computed for every request from what is in the database, and from nothing else.

So reloading, going back, coming back days later, another browser tab, and a server that was killed all lead to where
the participant really is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pcg.study.answers import PRACTISED
from pcg.study.config import StudyConfig
from pcg.study.questionnaire import BEFORE, COMPREHENSION, PAIR
from pcg.study.rows import FIRST, SIDES, Pair, Situation, Standing

INSTRUCTED = "instructed"
"""Name of the attention check that asks for a certain answer; there is nothing to be played in it."""

INSTRUCTIONS, NEXT, PLAY, VOTE, THANKS = "instructions", "next", "play", "vote", "thanks"
QUESTIONS, PRACTICE = "questions", "practice"


@dataclass(frozen=True, slots=True)
class Stage:
    """A page: `kind` is one of the words above. `pair` and `side` say which play or vote, `part` which questions, and
    `game` which one is tried.
    """

    kind: str
    pair: Pair | None = None
    side: int = FIRST
    part: str = ""
    game: str = ""

    @property
    def path(self) -> str:
        """Address of the page, below the application."""
        if self.kind == PLAY and self.pair is not None:
            return f"/pair/{self.pair.position + 1}/{SIDES[self.side]}"
        if self.kind == VOTE and self.pair is not None:
            return f"/pair/{self.pair.position + 1}/vote"
        if self.kind == QUESTIONS:
            return f"/questions/{self.part}"
        return "/" if self.kind == NEXT else f"/{self.kind}"


def is_enough(standing: Standing, config: StudyConfig) -> bool:
    """Return True if a side was played for long enough to judge it."""
    if not standing.attempts:
        return False
    return standing.finished > 0 or standing.seconds >= config.minimum


def is_spent(standing: Standing, config: StudyConfig) -> bool:
    """Return True when the time for a side is up."""
    return bool(config.maximum) and standing.seconds >= config.maximum


def restarts_left(standing: Standing, config: StudyConfig) -> int:
    """Return the number of times the level may still be restarted."""
    return max(0, config.restarts + 1 - max(1, standing.attempts))


def has_understood(situation: Situation, config: StudyConfig) -> bool:
    """Return True if the questions of comprehension were answered rightly, or there are none."""
    asks = config.asked(COMPREHENSION)
    tries = [given for (part, _), given in situation.answers.items() if part == COMPREHENSION]
    return not asks or any(all(ask.is_right(given.get(ask.name, "")) for ask in asks) for given in tries)


def tries_of(situation: Situation) -> int:
    """Return how often the questions of comprehension were answered."""
    return sum(part == COMPREHENSION for part, _ in situation.answers)


def stage_of(situation: Situation, config: StudyConfig, games: Collection[str] = ()) -> Stage:
    """The page of a participant.

    Args:
        situation: of the participant.
        config: of the study.
        games: those of the items of the last pair that have a level for practice.
    """
    if situation.participant.end:
        return Stage(THANKS)
    if config.asked(BEFORE) and (BEFORE, 0) not in situation.answers:
        return Stage(QUESTIONS, part=BEFORE)
    if not situation.pairs:
        return Stage(INSTRUCTIONS)
    pair = situation.pairs[-1]
    instructed = pair.check == INSTRUCTED
    if pair.voted is not None:
        if config.asked(PAIR) and not instructed and (PAIR, pair.position) not in situation.answers:
            return Stage(QUESTIONS, pair, part=PAIR)
        return Stage(NEXT)
    if instructed or config.pictures:
        return Stage(VOTE, pair)
    for game in sorted(games):
        if not any(part == PRACTISED and game in given for (part, _), given in situation.answers.items()):
            return Stage(PRACTICE, pair, game=game)
    for side in range(len(pair.items)):
        if not is_enough(situation.standings[side], config):
            return Stage(PLAY, pair, side)
    return Stage(VOTE, pair)


def may_see(stage: Stage, wanted: Stage, config: StudyConfig) -> bool:
    """Return True if a participant at `stage` may look at `wanted` as well: games of the pair played already."""
    if wanted == stage:
        return True
    if config.pictures:
        return False
    if wanted.kind != PLAY or stage.pair is None or wanted.pair != stage.pair or stage.pair.check == INSTRUCTED:
        return False
    return stage.kind == VOTE or (stage.kind == PLAY and wanted.side <= stage.side)
