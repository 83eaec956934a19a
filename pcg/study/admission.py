"""Admission of levels and games to a study: every text is checked, measured and described.

Nothing is put before people that the checker warns about, that needs two players, that is over before anything was
done, or that would keep the server from being in time. All that is wrong is told at once, one line for each level.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median
from time import thread_time

import numpy as np

from pcg.describe import LANGUAGES, describe, goals_in
from pcg.engine.game import Game
from pcg.engine.vgdl import check_game, check_level, read_game
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, did_you_mean
from pcg.evaluators.analysis import analyse
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.level_grid import avatar_cells
from pcg.evaluators.level_grid import palette as palette_of
from pcg.study.config import StudyConfig
from pcg.study.folders import attention_checks
from pcg.study.items import GROUPINGS, Found, Source, name_apart
from pcg.study.rows import PRACTICE, StudyItem
from pcg.study.sets import lonely
from pcg.web.palette import LARGEST_SIDE
from pcg.web.tried_levels import numbers

LONGEST_RULES = 100_000
"""Characters of a game text."""
LONGEST_NAME = 200
LONGEST_ABOUT = 4000
"""Characters of a goal or of what the controls are."""
TRIAL_TICKS = 200
SLOW_MS = 2.0
"""A level of whose ticks half take longer than this is told; one of whose ticks half take ten times as long is
refused."""
DESCRIBED = "en"
"""The language of descriptions that are made from the rules."""


class Unfit(PcgError):
    """The error for levels and games that cannot be items of a study; its text has one line for each fault."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        count = f"{len(problems)} items" if len(problems) > 1 else "an item"
        super().__init__(f"{count} cannot be used:\n" + "\n".join(f"  {line}" for line in problems))


@dataclass
class Admitted:
    """Items, and what a person should know of them."""

    items: list[StudyItem]
    notes: list[str] = field(default_factory=list)


def admit(
    found: Sequence[Found],
    config: StudyConfig,
    *,
    group_by: str = "",
    auto_checks: int = 0,
    measure: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Admitted:
    """Check levels and make items of them.

    Args:
        found: the levels, as gathered.
        config: of the study.
        group_by: one of `GROUPINGS`; empty: the generator.
        auto_checks: attention checks to be made of the levels themselves: the level beside one in which the avatar is
            walled in.
        measure: evaluate the levels of which nothing is known yet, so that votes can be put down to measures.
        progress: called with (done, of) after each level.

    Raises:
        Unfit: when anything is wrong with a text.
        PcgError: when the items together make no study.
    """
    by = group_by or "generator"
    if by not in GROUPINGS:
        hint = did_you_mean(by, GROUPINGS, f" (expected {', '.join(GROUPINGS)})")
        raise PcgError(f"items cannot be grouped by `{by}`{hint}")
    office = _Office(config, by, measure)
    named = name_apart(found)
    for done, one in enumerate(named, start=1):
        office.look_at(one)
        if progress is not None:
            progress(done, len(named))
    if office.problems:
        raise Unfit(office.problems)
    items = [*office.items, *office.traps(auto_checks)]
    _check_together(items, config)
    office.notes += _duplicates(items)
    missing = config.checks - len(attention_checks(items))
    if missing > 0:
        office.notes.append(
            f"attention checks: {config.checks} wanted, {config.checks - missing} made of items, the others say which "
            "answer to choose; make them of items with --check auto or by [[item]] sections with `check`"
        )
    return Admitted(items, office.notes)


class _Office:
    """The levels that were looked at so far, by game where that saves work."""

    def __init__(self, config: StudyConfig, by: str, measure: bool) -> None:
        self.config = config
        self.by = by
        self.measure = measure
        self.items: list[StudyItem] = []
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._games: dict[tuple[str, str], Game | None] = {}
        self._evaluators: dict[str, LevelEvaluator | None] = {}
        self._names: dict[str, str] = {}

    def look_at(self, found: Found) -> None:
        """Check a level and make an item of it, or note what is wrong."""
        try:
            item = self._item(found)
        except PcgError as error:
            self.problems.append(f"{found.place}: {str(error).splitlines()[0]}")
            return
        if item is not None:
            self.items.append(item)

    def _item(self, found: Found) -> StudyItem | None:
        if not found.name or len(found.name) > LONGEST_NAME:
            raise PcgError(f"its name has {len(found.name)} characters, expected 1 to {LONGEST_NAME}")
        game = self._game(found)
        if game is None:
            return None  # told already, once for all its levels
        level = _level(found, game)
        self._try(game, level, found)
        about = self._about(found.said, game)
        group = found.said.group or GROUPINGS[self.by][1](found) or found.game
        return StudyItem(
            found.name, group[:LONGEST_NAME], self._name(found.game, game), game.digest, found.rules, level,
            game.reading, about, dict(found.features) or self._features(game, level),
            PRACTICE if found.said.practice else found.said.check,
        )  # fmt: skip

    # -- the game ------------------------------------------------------------------------------------------------------

    def _game(self, found: Found) -> Game | None:
        reading = found.said.reading or "strict"
        key = (found.rules, reading)
        if key not in self._games:
            self._games[key] = None
            self._games[key] = _read_game(found.rules, reading)
        return self._games[key]

    def _name(self, wanted: str, game: Game) -> str:
        """The name of a game; two games that are not the same have different ones."""
        name, number = wanted[: LONGEST_NAME - 5], 2
        while self._names.get(name, game.digest) != game.digest:
            name, number = f"{wanted[: LONGEST_NAME - 5]}-{number}", number + 1
        self._names[name] = game.digest
        return name

    # -- the level -----------------------------------------------------------------------------------------------------

    def _try(self, game: Game, level: str, found: Found) -> None:
        """Play a little, at random, as a person may."""
        state = game.start(level, seed=self.config.seed)
        if state.avatar is None:
            raise PcgError("there is nothing to steer in it: the level has no avatar")
        rng = np.random.default_rng(_seed(self.config.seed, found.name))
        state.advance("NIL")
        if state.is_over:
            raise PcgError("it is over at the first tick, before anything can be done")
        taken: list[float] = []
        while len(taken) < TRIAL_TICKS and not state.is_over:
            actions = state.actions
            action = actions[int(rng.integers(len(actions)))] if actions else "NIL"
            started = thread_time()
            state.advance(action)
            taken.append(thread_time() - started)
        if len(taken) < 20:
            return
        spent = median(taken) * 1000  # one long tick is a pause of this process (garbage, a busy machine), not the game
        if spent > 10 * SLOW_MS:
            raise PcgError(f"a tick takes {spent:.0f} ms, expected at most {10 * SLOW_MS:g} ms: it is too slow to play")
        if spent > SLOW_MS:
            self.notes.append(f"{found.place}: a tick takes {spent:.1f} ms; few can play at once")

    def _about(self, said: Source, game: Game) -> dict[str, dict[str, str]]:
        """Goal and controls by language: those that are given, else a goal from the rules where that can be said.

        Controls that are not given are said by the page, in its own language, from what the avatar can do.
        """
        told = describe(game)
        about = {DESCRIBED: {"goal": " ".join([*told.win, *told.lose])}}
        codes = self.config.language_codes
        if not said.goal:  # a goal of the researcher's may hold something back
            told_in = (code for code in codes if code in LANGUAGES and code != DESCRIBED)
            about |= {code: {"goal": "".join(goals_in(code, game))} for code in told_in}
        for kind, texts in (("goal", said.goal), ("controls", said.controls)):
            for given, text in texts.items():
                code = given or codes[0]
                if code not in codes:
                    hint = did_you_mean(code, codes, f" (expected {', '.join(codes)})")
                    raise PcgError(f"its {kind} is given in the language `{code}`, which the study has not{hint}")
                if len(text) > LONGEST_ABOUT:
                    raise PcgError(f"its {kind} has {len(text)} characters, expected at most {LONGEST_ABOUT}")
                about.setdefault(code, {})[kind] = text.strip()
        return about

    def _features(self, game: Game, level: str) -> dict[str, float]:
        """Measures of a level that came without."""
        if not self.measure:
            return {}
        if game.digest not in self._evaluators:
            self._evaluators[game.digest] = None
            with contextlib.suppress(PcgError):  # not every game is one whose levels can be judged
                self._evaluators[game.digest] = LevelEvaluator(game)
        evaluator = self._evaluators[game.digest]
        if evaluator is None:
            return {}
        evaluation = evaluator.evaluate(level, self.config.seed)
        values = numbers(evaluation.metrics)
        if evaluation.feasible:
            values["fitness"] = float(evaluation.fitness)
        return values

    # -- attention checks ----------------------------------------------------------------------------------------------

    def traps(self, count: int) -> list[StudyItem]:
        """Attention checks made of items: an item as it is, and the same level with the avatar walled in."""
        made: list[StudyItem] = []
        candidates = [item for item in self.items if not item.check]
        for place in _spread(len(candidates)):
            if len(made) >= 2 * count:
                break
            item = candidates[place]
            game = self._games[item.rules, item.reading]
            level = trap(game, item.level, self.config.seed) if game is not None else None
            if level is None:
                continue
            name = f"check-{len(made) // 2 + 1}"
            for title, text in ((f"{name}-good", item.level), (f"{name}-bad", level)):
                made.append(
                    StudyItem(
                        title, "check", item.game, item.digest, item.rules, text, item.reading, item.about, {}, name
                    )
                )
        if len(made) < 2 * count:
            raise PcgError(
                f"only {len(made) // 2} of {count} attention checks can be made of these levels (the avatar must be "
                "one that walls hold); name two levels of your own by [[item]] sections with `check`"
            )
        return made


def code_of(language: str) -> str:
    """The code of a language that is named by its code or by its file.

    >>> code_of("texts/de.toml"), code_of("zh")
    ('de', 'zh')
    """
    return language.replace("\\", "/").rpartition("/")[2].removesuffix(".toml")


def _read_game(rules: str, reading: str) -> Game:
    if len(rules) > LONGEST_RULES:
        raise PcgError(f"the game text has {len(rules)} characters, expected at most {LONGEST_RULES}")
    _refuse(check_game(rules if "\n" in rules else rules + "\n", reading=reading), reading, "the game")
    game = Game(read_game(rules, reading=reading), reading=reading)
    if game.players != 1:
        raise PcgError(f"the game is for {game.players} players, expected one")
    game.tables  # noqa: B018 - made here, where what the kernel does not have can be told
    return game


def _refuse(found: Sequence[Diagnostic], reading: str, what: str) -> None:
    """Raise the first finding: any in the strict reading, errors in the other one, which warns of every oddity."""
    bad = [d for d in found if reading == "strict" or d.severity == "error"]
    if bad:
        first = str(bad[0]).splitlines()[0].removeprefix("<text>:").removeprefix("<level>:")
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise PcgError(f"{what}: {first.strip()}{more}")


def _level(found: Found, game: Game) -> str:
    """The level text, tidied."""
    text = found.level.replace("\r\n", "\n").strip("\n")
    rows = text.split("\n")
    width = max(len(row) for row in rows)
    if width > LARGEST_SIDE or len(rows) > LARGEST_SIDE:
        raise PcgError(f"the level has {width} x {len(rows)} cells, expected at most {LARGEST_SIDE} x {LARGEST_SIDE}")
    _refuse(check_level(text + "\n", game.definition, reading=game.reading), game.reading, "the level")
    return "\n".join(game.read_level(text + "\n").rows)


def trap(game: Game, level: str, seed: int = 0) -> str | None:
    """The level with its avatar walled in; None where walls do not hold it.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> trap(game, game.levels[0]) != game.levels[0]
    True
    """
    with contextlib.suppress(PcgError):
        palette = palette_of(analyse(game.definition))
        if palette.wall is None:
            return None
        grid = palette.parse(level)
        cells = avatar_cells(palette, grid)
        height, width = grid.shape
        for y, x in cells:
            for row in range(max(0, y - 1), min(height, y + 2)):
                for column in range(max(0, x - 1), min(width, x + 2)):
                    if (row, column) not in cells:
                        grid[row, column] = palette.wall
        text = palette.text(grid)
        state = game.start(text, seed=seed)
        rng = np.random.default_rng(seed)
        avatar = state.avatar
        if avatar is None:
            return None
        place = (avatar.x, avatar.y)
        for _ in range(TRIAL_TICKS):
            actions = state.actions
            state.advance(actions[int(rng.integers(len(actions)))] if actions else "NIL")
            avatar = state.avatar
            if state.is_over or avatar is None or (avatar.x, avatar.y) != place:
                return None
        return text
    return None


def _spread(count: int) -> Iterable[int]:
    """All places, in an order whose beginnings are spread over the whole: 0, half, a quarter, ..."""
    bits = max(1, (count - 1).bit_length()) if count else 0
    places = (int(f"{k:0{bits}b}"[::-1], 2) for k in range(1 << bits)) if count else ()
    return [place for place in places if place < count]


def _seed(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "big")


# -- all together ------------------------------------------------------------------------------------------------------


def _check_together(items: Sequence[StudyItem], config: StudyConfig) -> None:
    attention_checks(items)
    judged = [item for item in items if not item.check]
    shown = {item.game for item in items if item.check != PRACTICE}
    tried = [item.game for item in items if item.check == PRACTICE]
    for game in tried:
        if game not in shown:
            raise PcgError(f"there is a level for practice of the game `{game}`, but no item of that game")
        if tried.count(game) > 1:
            raise PcgError(f"the game `{game}` has {tried.count(game)} levels for practice, expected one")
    if len(judged) < 2:
        raise PcgError(f"the study has {len(judged)} items to be judged, expected at least two")
    alone = lonely(judged, config)
    if len(alone) == len(judged):
        reasons = []
        if config.within_game and len({item.game for item in judged}) > 1:
            reasons.append("every item is of another game and design.within_game is on")
        if config.within_level and len({item.level for item in judged}) == len(judged):
            reasons.append("no two items have the same level and design.within_level is on")
        if config.across_groups and len({item.group for item in judged}) == 1:
            reasons.append(f"all items are of the group `{judged[0].group}` and design.across_groups is on")
        told = "; ".join(reasons) or "see the section [design]"
        raise PcgError(f"no {'two' if config.size == 2 else 'four'} items can be compared: {told}")
    if alone:
        names = ", ".join(f"`{item.name}`" for item in alone[:5]) + (" and others" if len(alone) > 5 else "")
        what = "nothing can be compared with" if config.size == 2 else "no set of four can be made with"
        raise PcgError(f"{what} {names}: see within_game and across_groups in the section [design]")


def _duplicates(items: Sequence[StudyItem]) -> list[str]:
    same: dict[tuple[str, str], list[str]] = {}
    for item in items:
        if not item.check:
            same.setdefault((item.digest, item.level), []).append(item.name)
    twins: Mapping[str, Sequence[str]] = {names[0]: names for names in same.values() if len(names) > 1}
    return [
        f"`{one}` and `{two}` are the same level"
        for names in twins.values()
        for one, two in list(combinations(names, 2))[:3]
    ]
