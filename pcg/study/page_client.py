"""A play in a participant's page without a browser: what it opens, plays and sends (`page_play.js`), in Python.

Simulated participants, tests and benchmarks play with it. It knows of a play only what the server told when it was
opened, and has the game from the study, as a page has its image.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from pcg.engine.game import Game
from pcg.evaluators.evaluation import decode_play, encode_play
from pcg.study.client import Away, Browser, KeySource, Page, Played
from pcg.study.server.page_plays import Claim
from pcg.web.player import Pace, PlaySession


class LocalPlay:
    """A play in a page, without connection and clock.

    Args:
        opened: what the server told when it was opened.
        game: what is played.
        level: text of the level.
    """

    def __init__(self, opened: Mapping[str, Any], game: Game, level: str) -> None:
        self.opened = opened
        pace = opened["pace"]
        self.session = PlaySession(
            game, level, opened["seed"], pace=Pace(float(pace["ticks_per_second"]), bool(pace["by_turn"]))
        )
        self.session.catch_up(decode_play(opened["actions"]))
        self.sent, self.stored = int(opened["ticks"]), int(opened["clock"])
        self.study: dict[str, Any] = opened["study"]
        self.next = float(opened["next"])
        self.clock = self.stored
        """Milliseconds that the clock of the attempt ran."""
        self.presses = 0
        self.times: list[int] = []

    def __repr__(self) -> str:
        return f"<LocalPlay: {len(self.session.actions)} ticks, {self.sent} of them stored>"

    def tick(self) -> dict[str, Any]:
        """Play a tick at the present clock, and return its frame."""
        frame = self.session.tick()
        if frame:
            self.times.append(self.clock)
        return frame

    def batch(self) -> dict[str, Any]:
        """Return what is not stored yet, as a page sends it."""
        times = [after - before for before, after in zip([self.stored, *self.times], self.times, strict=False)]
        presses = self.session.presses[self.presses :]
        return {
            "lease": self.opened["lease"], "attempt": self.opened["attempt"], "from": self.sent,
            "actions": encode_play(self.session.actions[self.sent :]), "times": times, "clock": self.clock,
            "presses": [[p.ticks, encode_play([p.action]), int(p.down)] for p in presses], "by": ["keys"],
            "claim": asdict(Claim.of(self.session.state)),
        }  # fmt: skip

    def acknowledged(self, batch: Mapping[str, Any], told: Mapping[str, Any]) -> None:
        """Note that a batch is stored."""
        self.presses += len(batch["presses"])
        del self.times[: len(batch["actions"])]
        self.sent, self.stored = int(told["ticks"]), int(told["clock"])
        self.study, self.next = told["study"], float(told["next"])


async def play_in_page(
    browser: Browser, page: Page, keys: KeySource, game: Game, level: str, *, most_s: float = 600.0,
    stored: Callable[[str], None] | None = None,
) -> Played:  # fmt: skip
    """Play the game of a page in the page until it was enough.

    Args:
        browser: of the participant.
        page: that of the game.
        keys: who plays.
        game: the game.
        level: text of the level.
        most_s: seconds that it may take.
        stored: called with all actions that the server has acknowledged, whenever it has acknowledged some.

    Raises:
        Away: when the server stays away or does not take the play.
    """
    began = time.perf_counter()
    opened = await browser.ask(f"{page.path}/open", {"token": page.token_of_play})
    play = LocalPlay(opened, game, level)
    played = Played(enough=bool(play.study["enough"]), first_frame=time.perf_counter() - began)
    if played.enough:
        return played
    session, config = play.session, opened["study"]
    keys.begin({"pace": opened["pace"], "frame": session.whole_frame()})
    _press(session, keys.keys(session.whole_frame()))
    start, base = time.monotonic(), play.clock
    period = 1 / session.pace.ticks_per_second
    # Short plays are sent in parts as long ones are.
    every = min(play.next, max(0.2, config["minimum"] / 4))
    due, send = start + period, start + every
    while not played.enough:
        if time.monotonic() - start > most_s:
            raise Away("the play took too long")
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        play.clock = base + int(1000 * (time.monotonic() - start))
        due += period
        frame = play.tick()
        if frame:
            played.frames += 1
            _press(session, keys.keys(frame))
        seconds = play.study["seconds"] + (play.clock - play.stored) / 1000
        if session.is_over or seconds >= config["minimum"] + 0.01 or time.monotonic() >= send:
            batch = play.batch()
            play.acknowledged(batch, await browser.ask(f"{page.path}/actions", batch))
            send = time.monotonic() + every
            if stored is not None:
                stored(encode_play(session.actions))
            played.enough, played.ended = bool(play.study["enough"]), session.is_over
    return played


def _press(session: PlaySession, actions: list[str]) -> None:
    for action in actions:
        session.press(action)
        session.release(action)
