"""The addresses of the level editor, below whatever has one: a run, or a game that is being written.

GET  /api/tiles                    the palette, a list of tiles
GET  /api/tiles.png                pictures of the tiles
GET  /api/blank?width=&height=     an empty level
POST /api/check {level}            what the level check finds
POST /api/evaluate {level, wants}  the verdict
POST /api/complete {level, locked, count, wants, seed}
POST /api/repair {level, wants}    the level with few edits that make it sound
POST /api/solve {level, asker}     the shortest win; a later question of the same asker ends the search for the first
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.web.guard import Refused, read_object, take
from pcg.web.level_editor import Bench, LevelEditor
from pcg.web.palette import LARGEST_SIDE, tile_pictures, tiles_of
from pcg.web.solving import LevelSolver


class LevelRoutes:
    """The handlers of one game's level editor.

    Args:
        editor: gives the editor; called when it is first needed, as making one takes a moment.
        bench: does the long work.
        solver: does the searches.
    """

    def __init__(self, editor: Callable[[], LevelEditor], bench: Bench, solver: LevelSolver) -> None:
        self._editor = editor
        self.bench = bench
        self.solver = solver

    def routes(self) -> list[BaseRoute]:
        """Return every address."""
        return [
            Route("/api/tiles", self.palette),
            Route("/api/tiles.png", self.tiles),
            Route("/api/blank", self.blank),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/evaluate", self.evaluate, methods=["POST"]),
            Route("/api/complete", self.complete, methods=["POST"]),
            Route("/api/repair", self.repair, methods=["POST"]),
            Route("/api/solve", self.solve, methods=["POST"]),
        ]

    async def palette(self, request: Request) -> Response:
        return JSONResponse(await self.bench.run(lambda: self._palette(self._editor())))

    @staticmethod
    def _palette(editor: LevelEditor) -> dict[str, Any]:
        game = editor.game
        start = editor.tidy(game.levels[0]) if game.levels else editor.blank(12, 10)
        return {
            "tiles": tiles_of(editor.context),
            "start": start,
            "least": editor.context.smallest,
            "largest": LARGEST_SIDE,
            "sources": {name: completer.help for name, completer in editor.completers.items()},
        }

    async def tiles(self, request: Request) -> Response:
        content = await self.bench.run(lambda: tile_pictures(self._editor().game, self._editor().context))
        return Response(content, media_type="image/png", headers={"cache-control": "no-cache"})

    async def blank(self, request: Request) -> Response:
        sides = []
        for name in ("width", "height"):
            text = request.query_params.get(name, "")
            if not (text.isascii() and text.isdigit() and len(text) < 6):
                raise Refused(f"`{name}` is {text[:20]!r}, expected a whole number")
            sides.append(int(text))
        return JSONResponse({"level": await self.bench.run(lambda: self._editor().blank(*sides))})

    async def check(self, request: Request) -> Response:
        level = take(await read_object(request), "level", str)
        return JSONResponse({"found": await self.bench.run(lambda: self._editor().check(level))})

    async def evaluate(self, request: Request) -> Response:
        data = await read_object(request)
        level, wants = take(data, "level", str), take(data, "wants", str, "", most=1000)
        return JSONResponse(await self.bench.run(lambda: self._editor().judge(level, wants)))

    async def complete(self, request: Request) -> Response:
        data = await read_object(request)
        work = partial(
            self._complete,
            take(data, "level", str),
            take(data, "locked", list, most=LARGEST_SIDE),
            count=take(data, "count", int, 6),
            wants=take(data, "wants", str, "", most=1000),
            seed=take(data, "seed", int, 0),
        )
        return JSONResponse(await self.bench.run(work))

    def _complete(self, level: str, locked: list[str], **options: Any) -> Any:
        return self._editor().complete(level, locked, **options)

    async def repair(self, request: Request) -> Response:
        data = await read_object(request)
        level, wants = take(data, "level", str), take(data, "wants", str, "", most=1000)
        return JSONResponse(await self.bench.run(lambda: self._editor().repair(level, wants)))

    async def solve(self, request: Request) -> Response:
        data = await read_object(request)
        level, asker = take(data, "level", str), take(data, "asker", str, "", most=60)
        return JSONResponse(await self.solver.answer(self._editor, level, asker))
