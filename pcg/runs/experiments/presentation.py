"""Presentation of the games of a run: without parts that have no effect, and with a comment that says how to play.

Games made by search have rules, groups and sprites that no play needs. These are removed before a game is shown, as by
`pcg minimise`, if the recorded plays stay the same and the judge's value of the game does not fall.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pcg.describe import Description, describe
from pcg.describe.noun_phrases import plural
from pcg.engine.game import Game, load
from pcg.engine.vgdl.checker import check_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent, play, replay
from pcg.evaluators.evaluation import encode_play
from pcg.evaluators.games import GameEvaluation
from pcg.evaluators.games.evaluation import RecordedPlay
from pcg.evaluators.judging.concepts import concept_of
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.pitches import pitch
from pcg.generators.rules.genes import Rule, RuleSet, Shape, shape_of, with_params
from pcg.minimise import minimise
from pcg.runs.experiments.finishing import FinishedGame, finished_game
from pcg.runs.search import check_version

MAX_TICKS = 200
"""Ticks of the recorded plays that are compared."""
LEVELS = 2
"""Number of first levels whose plays are compared."""
WIDTH = 116
"""Width of the comment in characters."""
LOSS = 0.02
"""Largest loss of value that is accepted for a shorter game."""


@dataclass(frozen=True)
class ShownGame:
    """A game as it is shown.

    Attributes:
        text: strict VGDL, without the comment.
        removed: the parts that were removed, in words.
        judgement: of this text, as plain data; None where nothing was removed.
        finished: the game with its course of levels; None where it is shown with the levels on which it was judged.
        weak: a play of a weak agent of the finished game.
    """

    text: str
    removed: tuple[str, ...] = ()
    judgement: Mapping[str, Any] | None = None
    finished: FinishedGame | None = None
    weak: RecordedPlay | None = None

    @property
    def shape(self) -> Shape:
        """Rules without points and under the sprites' own names, by which games that are nearly the same are found."""
        rules = RuleSet.of(self.finished.plain if self.finished is not None else self.text)
        bare = (Rule(*r.pair, r.effect, with_params(r.params, {"scoreChange": None})) for r in rules.rules)
        return shape_of(RuleSet(tuple(bare), rules.terminations))

    def entry(self) -> dict[str, Any]:
        """Return what an index says of it beside what it says of every game."""
        if self.finished is None:
            return {}
        done = self.finished
        return {
            "best": asdict(done.wins[0]), "weak": asdict(self.weak) if self.weak is not None else None,
            "levels": list(done.levels), "wins": [asdict(win) for win in done.wins], "middle": done.middle,
        }  # fmt: skip


def shown_game(
    text: str,
    levels: Sequence[str],
    evaluation: GameEvaluation,
    value: float,
    seed: int,
    effort: float,
    code: str = "",
    finish: bool = False,
    dress: bool = False,
) -> ShownGame:
    """Return a game without parts that have no effect; unchanged where a play or the value would change.

    With `finish` its points are rounded and it gets a course of levels as well (see `finishing`), unless the judge
    refuses it then. Its value is that of the finished game, so one that owed it to clutter makes way for others.

    Args:
        text: of the game.
        levels: its levels.
        evaluation: whose recorded plays have to stay as they are.
        value: what the judge gives the game as it is.
        seed: of plays and judgement.
        effort: of the judgement.
        code: see `code_digest`.
        finish: whether points are rounded and a course of levels is chosen.
        dress: whether the sprites of a finished game get names and colours after their roles.

    Raises:
        PcgError: when this is not the version that `code` names.
    """
    from pcg.evaluators.judging.games import judge_game

    check_version(code)
    if finish:
        done = finished_game(text, levels, seed & 0xFFFF, dress=dress)
        if done is not None:
            game = load(done.text, levels=done.levels)
            judgement = judge_game(game, seed=seed & 0x7FFFFFFF, effort=effort)
            if judgement.feasible:  # what the value loses was due to what nobody would miss
                return ShownGame(done.text, done.removed, judgement.as_dict(), done, _weak_play(game, seed))
    whole = load(text, levels=levels)
    found = minimise(whole, levels=range(min(LEVELS, len(levels))), seeds=1, seed=seed & 0xFFFF, max_ticks=MAX_TICKS)
    if not found.removed or check_game(found.text):
        return ShownGame(text)
    small = load(found.text, levels=levels)
    if not all(_same(whole, small, levels, play) for play in (evaluation.best, evaluation.weak) if play is not None):
        return ShownGame(text)
    judgement = judge_game(small, seed=seed & 0x7FFFFFFF, effort=effort)
    if not judgement.feasible or judgement.value < value - LOSS:
        return ShownGame(text)
    return ShownGame(found.text, tuple(str(removal) for removal in found.removed), judgement.as_dict())


def _weak_play(game: Game, seed: int) -> RecordedPlay:
    """Return the play of a weak agent of the first level."""
    chance = seed & 0xFFFF
    done = play(game, [make_agent("onestep", seed=chance)], level=0, seed=chance, max_ticks=MAX_TICKS)
    return RecordedPlay("onestep", 0, chance, done.winner == 1, float(done.score), encode_play(done.actions))


def _same(one: Game, other: Game, levels: Sequence[str], play: RecordedPlay) -> bool:
    """Return True where a recorded play ends alike in two games."""
    ends = []
    for game in (one, other):
        last = replay(game.start(levels[play.level % len(levels)], seed=play.seed), play.actions)[-1]
        ends.append((last.winner, last.is_over, last.score))
    return ends[0] == ends[1]


def commented(text: str, levels: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return a game with a comment on what it is and how it is played, and its title and pitch.

    Args:
        text: strict VGDL without a comment before its first line.
        levels: its levels.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> text, told = commented(game.definition.source, game.levels)
    >>> text.startswith("# " + told["title"])
    True
    """
    try:
        game = load(text, levels=levels)
        said = describe(game)
        read = [game.read_level(k) for k in range(len(levels))]
        concept = concept_of(game, read)
        names = {thing.type: thing.name for thing in said.things}
        line = pitch(game_kinds(game.definition, read), read, lambda name: names.get(name, name), plural)
    except PcgError:
        return text, {}
    title = concept.title(said.things, plural)
    lines = [f"{title}: {line}", said.summary, f"How to play: {_keys(said)}"]
    comment = "\n".join("\n".join(textwrap.wrap(line, WIDTH, initial_indent="# ", subsequent_indent="# "))
                        for line in lines)  # fmt: skip
    told = {"title": title, "pitch": line, "summary": said.summary, "how_to_play": _keys(said), "goal": concept.goal,
            "concept": concept.text}  # fmt: skip
    return f"{comment}\n{text}", told


def _keys(said: Description) -> str:
    """The keys of the first avatar in one line."""
    keys = said.controls[0].keys if said.controls else ()
    return " ".join(f"{control.keys}: {re.sub(r'[.]$', '', control.does)}." for control in keys) or "there are no keys."
