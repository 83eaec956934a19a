"""A play in a participant's page for tests, through starlette's client: opened, played in Python, sent in batches."""

from __future__ import annotations

from typing import Any

import httpx2
from study_walks import Walker

from pcg.study.client import Page
from pcg.study.page_client import LocalPlay
from pcg.study.players import game_for
from pcg.web.player.session import WAIT

KEYS = {"U": "UP", "D": "DOWN", "L": "LEFT", "R": "RIGHT", "X": "USE"}


class PageOf:
    """The page of the game where a walker is."""

    def __init__(self, walker: Walker, path: str = "") -> None:
        self.walker = walker
        self.path = path or walker.at
        self.token = Page(self.path, 200, walker.page.text).token_of_play

    def ask(self, what: str, data: Any, **more: Any) -> httpx2.Response:
        """Send an object as the script of the page does."""
        return self.walker.client.post(f"{self.path}/{what}", json=data, headers={"accept": "application/json"}, **more)

    def open(self, **more: Any) -> LocalPlay:
        """Open the play."""
        answer = self.ask("open", {"token": self.token, **more})
        assert answer.status_code == 200, answer.text
        store = self.walker.store
        number = int(self.path.split("/")[2]) - 1
        pair = next(p for p in store.pairs_of(self.walker.person.id) if p.position == number)
        item = store.item[pair.item(int(self.path.endswith("second")))]
        return LocalPlay(answer.json(), game_for(item.rules, item.reading, item.game), item.level)

    def send(self, play: LocalPlay, **changed: Any) -> httpx2.Response:
        """Send what is not stored yet; of an answer that says so, take what it says."""
        batch = {**play.batch(), **changed}
        answer = self.ask("actions", batch)
        if answer.status_code == 200:
            play.acknowledged(batch, answer.json())
        return answer


def press(play: LocalPlay, keys: str, ms: int = 1) -> None:
    """Press keys, a tick and so many milliseconds each; a point waits (in games that go on by themselves)."""
    for letter in keys:
        action = KEYS.get(letter, WAIT)
        if action != WAIT:
            play.session.press(action)
        play.clock += ms
        play.tick()
        if action != WAIT:
            play.session.release(action)
