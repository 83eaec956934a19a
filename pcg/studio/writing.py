"""Writing a game: texts in, findings and a game to play out, and a level editor for each version that has no error.

GET  /                    the page
POST /api/game            {text, levels, name}: findings and words, and without errors `about`, `data` and `desk`
POST /api/help            {text, line, column}: what can stand at a place of a game, and what the word there means
POST /api/draft           keep what is written in the workspace
POST /api/page            the exported page of the game
/desk/DESK/api/...        the level editor of a version of the game (`pcg.web.level_routes`)
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.vgdl import check_game, check_level
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError
from pcg.engine.vgdl.resolver import read_game
from pcg.export.bundle import bundle
from pcg.export.page import page
from pcg.language.vgdl_help import complete, explain
from pcg.language.vgdl_words import blank_at, words
from pcg.studio.workspace import Workspace
from pcg.web.exported import bundle_json
from pcg.web.guard import Refused, read_object
from pcg.web.level_editor import MOST_SUGGESTIONS, Bench, LevelEditor
from pcg.web.level_routes import LevelRoutes
from pcg.web.pages import page as show_page
from pcg.web.solving import LevelSolver

MOST_LEVELS = 20
LONGEST_TEXT = 100_000
"""Characters of a game, and of a level."""
MOST_DESKS = 6
"""Versions of games whose level editors are kept; the least recently used are closed."""


def findings_of(text: str, levels: list[str]) -> tuple[list[dict[str, Any]], GameDefinition | None]:
    """Return what is wrong with a game and its levels, in the strict reading, and the game, None where it has errors.

    `part` is "game" or a level's number.
    """
    try:
        definition = read_game(text + "\n", reading="strict")
    except VGDLError:
        return [_finding("game", one) for one in check_game(text + "\n", reading="strict")], None
    found = [_finding("game", one) for one in definition.diagnostics]
    for number, level in enumerate(levels):
        found += [_finding(number, one) for one in check_level(level, definition, reading="strict")]
    return found, definition


def _finding(part: str | int, one: Diagnostic) -> dict[str, Any]:
    message = one.message
    if one.suggestion:
        message += f", did you mean `{one.suggestion}`?"
    if one.expected:
        message += f" (expected {one.expected})"
    return {"part": part, "severity": one.severity, "line": one.line, "column": one.column, "message": message}


def game_of(text: str, levels: list[str], name: str) -> Game:
    """Return the game that texts are.

    Raises:
        PcgError: when they have errors.
    """
    return Game(read_game(text + "\n", reading="strict"), levels, name=name, reading="strict")


def answer_to(text: str, levels: list[str], name: str) -> dict[str, Any]:
    """Return the findings about a game, its words and, without an error among them, `about` and `data` to play it."""
    found, definition = findings_of(text, levels)
    answer: dict[str, Any] = {"findings": found, "words": words_of(text)}
    if definition is None or any(one["severity"] == "error" for one in found):
        return answer
    try:
        return {**answer, **bundle_json(Game(definition, levels, name=name, reading="strict"))}
    except PcgError as error:  # some errors show only when a level is compiled
        first = str(error).splitlines()[0]
        return {
            **answer,
            "findings": [*found, {"part": "game", "severity": "error", "line": 0, "column": 0, "message": first}],
        }


def words_of(text: str) -> list[tuple[int, int, str, str]]:
    r"""Return (line, column, word, role) of each word of a game, lines and columns from 0; colours go by it.

    >>> words_of("BasicGame\n  SpriteSet")
    [(0, 0, 'BasicGame', 'game'), (1, 2, 'SpriteSet', 'set')]
    """
    return [(word.at.line, word.at.start, word.text, word.role) for word in words(text)]


def help_at(text: str, line: int, column: int) -> dict[str, Any]:
    """Return what can stand at a place of a game, and what the word there means.

    Returns:
        `written`, what is there of a word up to the place; `proposals` [{`text`, `kind`, `detail`, `help`}];
        `explained`, None or {`text` (Markdown), `start` (column)}.
    """
    found = explain(text, line, column)
    return {
        "written": blank_at(text, line, column).written,
        "proposals": [asdict(one) for one in complete(text, line, column)],
        "explained": None if found is None else {"text": found[0], "start": found[1].start},
    }


class Desks:
    """Level editors for the last versions of the game that is written, each at an address of its own: its *desk*."""

    def __init__(self, bench: Bench, solver: LevelSolver) -> None:
        self.bench, self.solver = bench, solver
        self._texts: OrderedDict[str, tuple[str, str, list[str]]] = OrderedDict()
        self._desks: dict[str, Router] = {}
        self._lock = threading.Lock()

    def add(self, text: str, name: str, levels: list[str]) -> str:
        """Return the name of the desk for a version of a game without errors.

        A desk keeps the levels that its version first came with: levels are judged by their standards, and generators
        learn from them. Levels that are edited later do not make another desk.
        """
        desk = sha256(f"{name}\0{text}".encode()).hexdigest()[:12]
        with self._lock:
            self._texts.setdefault(desk, (text, name, levels))
            self._texts.move_to_end(desk)
            while len(self._texts) > MOST_DESKS:
                old, _ = self._texts.popitem(last=False)
                self._desks.pop(old, None)
        return desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._desk(scope["path_params"]["desk"])(scope, receive, send)

    def _desk(self, name: str) -> Router:
        with self._lock:
            if name not in self._texts:
                raise Refused("the server was started again, or many other versions came between; change the game", 410)
            if name not in self._desks:
                text, title, levels = self._texts[name]
                made: list[LevelEditor] = []
                lock = threading.Lock()

                def editor() -> LevelEditor:
                    with lock:
                        if not made:
                            made.append(LevelEditor(game_of(text, levels, title)))
                        return made[0]

                self._desks[name] = Router(LevelRoutes(editor, self.bench, self.solver).routes())
            return self._desks[name]


class WritingSite:
    """The handlers of the page on which games are written.

    Args:
        game: what the page begins with unless something newer of the same name was written.
        workspace: where what is written is kept.
    """

    def __init__(self, game: Game | None, workspace: Workspace) -> None:
        self.workspace = workspace
        # all studios have the same address, so pages put this into the names of what they store in the browser
        self.place = sha256(str(workspace.folder.resolve()).encode()).hexdigest()[:8]
        self.bench = Bench()
        self.solver = LevelSolver()
        self.desks = Desks(self.bench, self.solver)
        self.first = {
            "name": game.name if game is not None else "new-game",
            "text": game.definition.source if game is not None else "",
            "levels": list(game.levels) if game is not None else [],
        }

    def close(self) -> None:
        """Let nothing new start."""
        self.bench.close()
        self.solver.close()

    def routes(self) -> list[BaseRoute]:
        """Return every address of the site."""
        return [
            Route("/", self.show),
            Route("/api/game", self.check, methods=["POST"]),
            Route("/api/help", self.help, methods=["POST"]),
            Route("/api/draft", self.draft, methods=["POST"]),
            Route("/api/page", self.export, methods=["POST"]),
            Mount("/desk/{desk}", app=self.desks),
        ]

    async def show(self, request: Request) -> Response:
        name = request.query_params.get("game", "")
        first = self._first(name) if name else self.first
        kept = self.workspace.read_game(str(first["name"]))
        return show_page(request, "write", package="pcg.studio", most=MOST_SUGGESTIONS,
                         first={**first, "kept": kept, "place": self.place})  # fmt: skip

    def _first(self, name: str) -> dict[str, Any]:
        """A game that is written here, or one of the toolkit's."""
        if name in builtin_games():
            game = load(name)
            return {"name": name, "text": game.definition.source, "levels": list(game.levels)}
        if self.workspace.read_game(name) is None and name != self.first["name"]:
            raise Refused(f"there is no game {name[:60]!r} here", 404)
        return {"name": name, "text": "", "levels": []} if name != self.first["name"] else self.first

    async def check(self, request: Request) -> Response:
        text, levels, name = texts_of(await read_object(request))
        answer = await asyncio.to_thread(answer_to, text, levels, name)
        if "about" in answer:
            answer["desk"] = self.desks.add(text, name, levels)
        return JSONResponse(answer)

    async def help(self, request: Request) -> Response:
        data = await read_object(request)
        text, line, column = data.get("text"), data.get("line"), data.get("column")
        if not isinstance(text, str) or type(line) is not int or type(column) is not int or min(line, column) < 0:
            raise Refused("expected `text`, a text, and `line` and `column`, numbers from 0")
        if len(text) > LONGEST_TEXT:
            raise Refused(f"expected at most {LONGEST_TEXT} characters", 413)
        return JSONResponse(await asyncio.to_thread(help_at, text, line, column))

    async def draft(self, request: Request) -> Response:
        text, levels, name = texts_of(await read_object(request))
        path = await asyncio.to_thread(self.workspace.write_game, name, text, levels)
        return JSONResponse({"file": str(path)})

    async def export(self, request: Request) -> Response:
        text, levels, name = texts_of(await read_object(request))
        try:
            made = await asyncio.to_thread(lambda: page(bundle(game_of(text, levels, name))))
        except VGDLError as error:
            raise Refused(f"the game has errors: {error.diagnostics[0].message}", 422) from None
        return Response(made, media_type="text/html", headers={"content-disposition": "attachment"})


def texts_of(data: dict[str, Any]) -> tuple[str, list[str], str]:
    """Return text, levels and name of a request.

    Raises:
        Refused: when it has another form, or is too large.
    """
    text, levels, name = data.get("text"), data.get("levels"), data.get("name", "game")
    if not isinstance(text, str) or not isinstance(levels, list) or not all(isinstance(k, str) for k in levels):
        raise Refused("expected `text`, a text, and `levels`, a list of texts")
    if not isinstance(name, str) or len(name) > 100:
        raise Refused("expected `name`, a text of at most 100 characters")
    if len(levels) > MOST_LEVELS or max(map(len, [text, *levels])) > LONGEST_TEXT:
        raise Refused(f"expected at most {MOST_LEVELS} levels and {LONGEST_TEXT} characters each", 413)
    return text, levels, name
