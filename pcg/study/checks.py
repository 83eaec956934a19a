"""Checks of a study before it goes out, and after the toolkit has changed under it."""

from __future__ import annotations

import time

from pcg.engine.game import Game
from pcg.engine.vgdl import check_game, check_level, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.folders import attention_checks
from pcg.study.rows import StudyItem
from pcg.study.sets import comparable, lonely, set_design
from pcg.study.store import StudyStore


def game_of(item: StudyItem) -> Game:
    """The game of an item, as it was when the study was made.

    Raises:
        PcgError: when the text is not that game any more.
    """
    reading = item.reading or "strict"
    game = Game(read_game(item.rules if "\n" in item.rules else item.rules + "\n", reading=reading), name=item.game,
                reading=reading)  # fmt: skip
    if item.digest and game.digest != item.digest:
        raise PcgError(f"the rules of `{item.name}` are not those that the study was made with")
    return game


def check_study(store: StudyStore) -> tuple[list[str], list[str]]:
    """Return the faults of a study, and what its researcher should know, a line for each."""
    problems: list[str] = []
    notes: list[str] = []
    seen: dict[tuple[str, str], Game | None] = {}
    for item in store.items:
        try:
            key = (item.rules, item.reading)
            if key not in seen:
                seen[key] = None
                found = check_game(item.rules, reading=item.reading or "strict")
                errors = [d for d in found if d.severity == "error"]
                if errors:
                    raise PcgError(str(errors[0]).splitlines()[0])
                seen[key] = game_of(item)
            game = seen[key]
            if game is None:
                continue
            errors = [d for d in check_level(item.level + "\n", game.definition, reading=item.reading or "strict")
                      if d.severity == "error"]  # fmt: skip
            if errors:
                raise PcgError(str(errors[0]).splitlines()[0])
            game.start(item.level, seed=store.config.seed)
        except PcgError as error:
            problems.append(f"{item.name}: {str(error).splitlines()[0]}")
    try:
        attention_checks(store.items)
    except PcgError as error:
        problems.append(str(error))
    judged = [item for item in store.items if not item.check]
    config = store.config
    alone = lonely(judged, config)
    problems += [f"{item.name}: there is nothing that it can be compared with" for item in alone]
    if config.size == 2:
        pairs = sum(comparable(a, b, config) for k, a in enumerate(judged) for b in judged[k + 1 :])
    else:
        pairs = 0 if len(alone) == len(judged) else set_design(judged, config).count(config.pairs)
    if pairs < config.pairs:
        what, again = ("pairs", ": pairs come again") if config.size == 2 else ("sets", ", of which it gets all")
        notes.append(f"there are {pairs} {what}, and a participant judges {config.pairs}{again}")
    now = time.time()
    if config.closing is not None and config.closing < now:
        notes.append(f"it has been closed since {config.closes}")
    elif config.opening is not None and config.opening > now:
        notes.append(f"it opens at {config.opens}")
    if store.state != "open":
        notes.append(f"it is {store.state}")
    if not config.code and not config.redirect:
        notes.append("there is neither a completion code nor an address to go on to at the end")
    return problems, notes
