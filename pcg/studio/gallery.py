"""The pages of a run that makes rules or whole games: what was found, best first, each to be read and played.

GET /                       the page
GET /api/games              the games that are kept: key, value, verdict, sentences
GET /api/games/K/game       what a page needs to play one
GET /api/games/K/picture.png
"""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.describe import describe
from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render import render_level
from pcg.runs.store import check_run, read_json
from pcg.web.exported import bundle_json, player_routes
from pcg.web.guard import Refused
from pcg.web.level_editor import Bench
from pcg.web.pages import language_of, page

_TILE = 12


class GameGallery:
    """The handlers of one run's pages.

    Args:
        folder: of the run.

    Raises:
        PcgError: when the folder is no run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = check_run(folder)
        self.bench = Bench(workers=1, waiting=200)

    def close(self) -> None:
        """Let nothing new start."""
        self.bench.close()

    def routes(self) -> list[BaseRoute]:
        """Return every address of the site."""
        return [
            Route("/", self.home),
            Route("/api/games", self.games),
            Route("/api/games/{number:int}/game", self.game),
            Route("/api/games/{number:int}/picture.png", self.picture),
            *player_routes(),
        ]

    async def home(self, request: Request) -> Response:
        return page(request, "gallery", package="pcg.studio", folder=self.folder.resolve().name,
                    kind=str(self.run.get("kind")), seed=self.run.get("seed", 0),
                    generator=str(self.run.get("generator", {}).get("name", "")))  # fmt: skip

    async def games(self, request: Request) -> Response:
        return JSONResponse({"games": await self.bench.run(partial(self._games, language_of(request)))})

    def _entries(self) -> list[dict[str, Any]]:
        index = self.folder / "games" / "index.json"
        found: list[dict[str, Any]] = read_json(index)["games"] if index.is_file() else []
        return found

    def _games(self, language: str) -> list[dict[str, Any]]:
        found = []
        for number, entry in enumerate(self._entries()):
            game = self._game(number)
            try:
                told = describe(game, language=language)
                sentences = [told.summary, *(m.text for m in told.meetings), *told.win, *told.lose]
            except PcgError as error:
                sentences = [str(error)]
            judgement = entry.get("judgement") or {}
            found.append({
                "number": number, "fitness": float(entry.get("fitness") or 0.0), "origin": str(entry.get("origin", "")),
                "sentences": list(dict.fromkeys(sentences)), "text": game.definition.source,
                "levels": list(game.levels), "parts": judgement.get("parts", {}),
            })  # fmt: skip
        return found

    def _game(self, number: int) -> Game:
        entries = self._entries()
        if not 0 <= number < len(entries):
            raise Refused(f"there is no game {number} in this run", 404)
        game: Game = load(self.folder / "games" / Path(str(entries[number]["file"])).name)
        return game

    async def game(self, request: Request) -> Response:
        number = request.path_params["number"]
        return JSONResponse(await self.bench.run(lambda: bundle_json(self._game(number))))

    async def picture(self, request: Request) -> Response:
        return await self.bench.run(lambda: self._picture(request.path_params["number"]))

    def _picture(self, number: int) -> Response:
        game = self._game(number)
        if not game.levels:
            raise Refused(f"game {number} has no level", 404)
        file = io.BytesIO()
        render_level(game, game.levels[0], tile=_TILE).save(file, "PNG")
        return Response(file.getvalue(), media_type="image/png", headers={"cache-control": "no-cache"})
