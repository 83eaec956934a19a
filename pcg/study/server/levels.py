"""The items of a study, ready to be played: games read, sheets drawn, and what is said about each."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pcg.describe import describe
from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.picture import render_level
from pcg.study.checks import game_of
from pcg.study.config import StudyConfig
from pcg.study.rows import Pair, StudyItem
from pcg.study.server.legend import Entry, legend_of, sprite_picture
from pcg.study.server.page_engine import level_image
from pcg.web.player import Pace, PlaySession, natural_pace, sheet_for

PICTURE_TILE = 32
"""Pixels of a cell in the pictures of levels that are not played."""
DESCRIBED = "en"
"""The language of descriptions made from the rules."""

_UPRIGHT, _SIDES = {"UP", "DOWN"}, {"LEFT", "RIGHT"}


@dataclass(frozen=True)
class About:
    """Description of a game for participants. `language` is that of the goal, which may not be the page's."""

    goal: str
    language: str
    controls: str
    """As the researcher gave them; empty: said by `keys`."""
    keys: tuple[str, ...]
    """Names of texts."""


@dataclass(frozen=True)
class Playable:
    """An item that can be played."""

    item: StudyItem
    game: Game = field(repr=False)
    pace: Pace
    described: str = field(repr=False)
    """Goal in `DESCRIBED`, where the item says none."""
    keys: tuple[str, ...] = ()

    def session(self, seed: int) -> PlaySession:
        """A play from its first frame on."""
        return PlaySession(self.game, self.item.level, seed, pace=self.pace)

    @cached_property
    def picture(self) -> bytes:
        """Picture of the level as it begins, as PNG, without a word about where it comes from."""
        out = io.BytesIO()
        render_level(self.game, self.item.level, tile=PICTURE_TILE).save(out, format="PNG")
        return out.getvalue()

    @cached_property
    def image(self) -> bytes | None:
        """The level as a participant's browser takes it; None where it cannot play the game."""
        return level_image(self.game, self.item.level)

    def legend(self, language: str) -> tuple[Entry, ...]:
        """Return the sprites that a participant should know, in a language."""
        return legend_of(self.game, self.item.level, language)

    def sprite_picture(self, kind: str) -> bytes:
        """Return the picture of a sprite type, as PNG."""
        return sprite_picture(self.game, kind)

    def about(self, language: str) -> About:
        """Return the description of the item in a language."""
        given = self.item.about
        goal, spoken = self.described, DESCRIBED
        for code in (language, *given):  # said in another language is better than not at all
            if given.get(code, {}).get("goal"):
                goal, spoken = given[code]["goal"], code
                break
        return About(goal, spoken, given.get(language, {}).get("controls", ""), self.keys)


def load_items(items: Sequence[StudyItem], config: StudyConfig) -> dict[int, Playable]:
    """All items by id, and each played for a moment, so that no participant waits for something that is done once.

    Raises:
        PcgError: when a text cannot be played by this version.
    """
    games: dict[tuple[str, str], Game] = {}
    found: dict[int, Playable] = {}
    for item in items:
        key = (item.rules, item.reading)
        try:
            if key not in games:
                games[key] = game_of(item)
            game = games[key]
            said = any(about.get("goal") for about in item.about.values())
            described = "" if said else describe(game).summary
            pace = natural_pace(game)
            if config.speed:
                pace = Pace(config.speed, pace.by_turn)
            sheet_for(game)
            playable = Playable(item, game, pace, described)
            session = playable.session(1)
            keys = _keys(set(session.state.actions))
            session.press("LEFT")
            session.tick()
            session.tick()
            session.recording()
        except PcgError as error:
            raise PcgError(f"item `{item.name}`: {error}") from None
        found[item.id] = Playable(item, game, pace, described, keys)
    return found


def _keys(actions: set[str]) -> tuple[str, ...]:
    """Names of the texts that tell the keys of an avatar."""
    moves = actions & (_UPRIGHT | _SIDES)
    told = []
    if moves:
        told.append("key_sides" if moves <= _SIDES else "key_upright" if moves <= _UPRIGHT else "key_move")
    if "USE" in actions:
        told.append("key_use")
    return (*told, "key_touch")


def play_seed(config: StudyConfig, pair: Pair, number: int) -> int:
    """The seed of the plays of a pair: the same for everybody who gets these items, or one for each participant.

    All sides have the same seed, and a level that is started anew has it again.
    """
    items = "/".join(str(item) for item in sorted(pair.items))
    who = f"/{number}/{pair.position}" if config.seeds == "participant" else ""
    text = f"{config.seed}/{items}{who}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") & 0x7FFFFFFF


def texts_for(about: About, words: Mapping[str, str]) -> list[str]:
    """The lines that tell the controls."""
    if about.controls:
        return [line for line in about.controls.splitlines() if line.strip()]
    return [words[name] for name in about.keys]
