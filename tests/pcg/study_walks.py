"""A participant for tests: reads pages, sends forms, and plays over the websocket, through starlette's client."""

from __future__ import annotations

import html
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
from starlette.testclient import TestClient
from studies import make

from pcg.study.folders import open_study
from pcg.study.server import Limits, study_app
from pcg.study.store import StudyStore

TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


@contextmanager
def served(store: StudyStore, **options: Any) -> Iterator[Callable[[], Walker]]:
    """A running application; calling it gives another participant with a browser of their own."""
    app = study_app(store, **{"limits": Limits.none(), **options})
    with TestClient(app, base_url="http://localhost") as running:

        def another(language: str = "en") -> Walker:
            client = TestClient(app, base_url="http://localhost", follow_redirects=False, raise_server_exceptions=False)
            client.portal = running.portal  # one loop for all, as in a server
            return Walker(client, store, language)

        yield another


def small_study(folder: Path, database: str | None = None, **settings: Any) -> StudyStore:
    """A study of the levels of `boxes`: no checks, no minimum time, unless `settings` (section__key) say otherwise."""
    sections: dict[str, dict[str, Any]] = {"design": {"checks": 0, "pairs": 2}, "play": {"minimum": 0}}
    for name, value in settings.items():
        section, _, key = name.partition("__")
        sections.setdefault(section, {})[key] = value
    if database is None:
        shutil.copytree(_template(folder.name, json.dumps(sections, sort_keys=True)), folder)
    else:
        make(folder, settings=sections, database=database)
    return open_study(folder, database)


@cache
def _template(name: str, sections: str) -> Path:
    """The folder of a study as it was made, to be copied: to make one anew takes ten times as long."""
    folder = Path(tempfile.mkdtemp(dir=_templates().name), name)
    make(folder, settings=json.loads(sections))
    return folder


@cache
def _templates() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pcg-studies-")


class Walker:
    """One browser. `page` is the last page that was read."""

    def __init__(self, client: TestClient, store: StudyStore, language: str = "en") -> None:
        self.client, self.store = client, store
        self.client.headers["accept-language"] = language
        self.page: httpx2.Response

    def get(self, path: str, **more: Any) -> httpx2.Response:
        """Read a page, wherever that leads."""
        self.page = self.client.get(path, follow_redirects=True, **more)
        return self.page

    @property
    def at(self) -> str:
        """Path of the last page."""
        return str(self.page.url.path)

    @property
    def token(self) -> str:
        """Return the token that the forms of the last page bring along."""
        found = TOKEN.search(self.page.text)
        assert found, self.page.text
        return found[1]

    def send(self, path: str, follow: bool = True, **fields: str) -> httpx2.Response:
        """Send a form of the last page."""
        self.page = self.client.post(path, data={"token": self.token, **fields}, follow_redirects=follow)
        return self.page

    def hidden(self) -> dict[str, str]:
        """Hidden fields of the last page."""
        return {
            html.unescape(name): html.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', self.page.text)
        }

    def join(self, query: str = "") -> Walker:
        """Agree to take part; at the instructions then."""
        self.get(f"/{query}")
        self.send("/join", consent="yes", **{k: v for k, v in self.hidden().items() if k not in ("token", "back")})
        assert self.at == "/instructions", self.page.text
        return self

    def begin(self) -> Walker:
        """On to the first pair."""
        self.send("/begin")
        return self

    def socket(self, path: str = "") -> Any:
        """The websocket of a game; of the one of the last page, if no other is named."""
        return self.client.websocket_connect(f"ws://localhost{path or self.at}/socket")

    def play(self, keys: str = "", *, until: str = "enough") -> dict[str, Any]:
        """Play the game of the last page for as long as is asked for, pressing keys; what was told of the play last."""
        with self.socket() as socket:
            message = socket.receive_json()
            assert message["type"] == "welcome", message
            told = dict(message["study"])
            tick = message["frame"].get("tick", 0)
            socket.send_json({"type": "resume"})
            for letter in keys:
                action = {"U": "UP", "D": "DOWN", "L": "LEFT", "R": "RIGHT", "X": "USE"}[letter]
                socket.send_json({"type": "down", "action": action})
                # A frame may be on its way that shows the game before the key.
                while (message := socket.receive_json()).get("tick", tick) <= tick and message["type"] != "end":
                    told.update(message if message["type"] == "study" else {})
                tick = message.get("tick", tick)
                socket.send_json({"type": "up", "action": action})
            while not told[until]:
                message = socket.receive_json()
                told.update(message if message["type"] == "study" else {})
        # This client takes the handler away as soon as the connection is closed; a server lets it save.
        assert self.client.portal is not None
        self.client.portal.call(self.client.app.state.site.plays.save_all)  # type: ignore[attr-defined]
        return told

    def play_both(self, keys: str = "") -> None:
        """Play both games of a pair; at the vote then."""
        for side in ("first", "second"):
            self.get("/")
            assert self.at.endswith(f"/{side}"), self.at
            self.play(keys)
        self.get("/")
        assert self.at.endswith("/vote"), self.at

    def vote(self, answer: str = "first", **more: str) -> httpx2.Response:
        """Answer the question of the last page."""
        return self.send(self.at, **{"q-prefer": answer}, **more)

    @property
    def person(self) -> Any:
        """The participant in the database."""
        secret = self.client.cookies.get(f"pcg-{self.store.name}")
        found = self.store.participant(secret or "")
        assert found is not None
        return found
