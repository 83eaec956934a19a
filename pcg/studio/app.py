"""The application of the studio: texts in, findings and a game to play out."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Collection
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pcg.engine.game import Game
from pcg.engine.vgdl import check_game, check_level
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError
from pcg.engine.vgdl.resolver import read_game
from pcg.export.bundle import bundle
from pcg.export.kernels import page_module
from pcg.export.page import SCRIPTS, page, source
from pcg.web.guard import ERRORS, LOCAL_HOSTS, Guard, Refused
from pcg.web.pages import STATIC
from pcg.web.pages import page as show_page

MOST_LEVELS = 20
LONGEST_TEXT = 100_000
"""Characters of a game, and of a level."""
_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
                                 b"img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
                                 b"frame-ancestors 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)  # fmt: skip


def findings_of(text: str, levels: list[str]) -> list[dict[str, Any]]:
    """Return what is wrong with a game and its levels, in the strict reading; `part` is "game" or a level's number."""
    found = [_finding("game", one) for one in check_game(text + "\n", reading="strict")]
    if any(one["severity"] == "error" for one in found):
        return found
    definition = read_game(text + "\n", reading="strict")
    for number, level in enumerate(levels):
        found += [_finding(number, one) for one in check_level(level, definition, reading="strict")]
    return found


def _finding(part: str | int, one: Diagnostic) -> dict[str, Any]:
    message = one.message
    if one.suggestion:
        message += f", did you mean `{one.suggestion}`?"
    if one.expected:
        message += f" (expected {one.expected})"
    return {"part": part, "severity": one.severity, "line": one.line, "column": one.column, "message": message}


def answer_to(text: str, levels: list[str], name: str) -> dict[str, Any]:
    """Return the findings about a game and, without an error among them, `about` and `data` to play it."""
    found = findings_of(text, levels)
    answer: dict[str, Any] = {"findings": found}
    if any(one["severity"] == "error" for one in found):
        return answer
    try:
        made = bundle(_game(text, levels, name))
    except PcgError as error:  # what shows only when a level is laid out
        first = str(error).splitlines()[0]
        return {"findings": [*found, {"part": "game", "severity": "error", "line": 0, "column": 0, "message": first}]}
    return {**answer, "about": made.about, "data": base64.b64encode(made.data).decode()}


def _game(text: str, levels: list[str], name: str) -> Game:
    return Game(read_game(text + "\n", reading="strict"), levels, name=name, reading="strict")


def studio_app(game: Game | None = None, *, hosts: Collection[str] = LOCAL_HOSTS) -> Starlette:
    """An application to write and play games.

    Args:
        game: what the page begins with unless the browser remembers a text of the same game.
        hosts: names by which the server may be addressed.
    """
    first = {
        "name": game.name if game is not None else "new-game",
        "text": game.definition.source if game is not None else "",
        "levels": list(game.levels) if game is not None else [],
    }

    async def show(request: Request) -> Response:
        return show_page(request, "studio", package="pcg.studio", first=first)

    async def check(request: Request) -> Response:
        text, levels, name = _texts(await _json(request))
        return JSONResponse(await asyncio.to_thread(answer_to, text, levels, name))

    async def export(request: Request) -> Response:
        text, levels, name = _texts(await _json(request))
        try:
            made = await asyncio.to_thread(lambda: page(bundle(_game(text, levels, name))))
        except VGDLError as error:
            raise Refused(f"the game has errors: {error.diagnostics[0].message}", 422) from None
        return Response(made, media_type="text/html", headers={"content-disposition": "attachment"})

    async def kernels(request: Request) -> Response:
        code = await asyncio.to_thread(lambda: page_module().code)
        return Response(code, media_type="application/wasm", headers={"cache-control": "no-cache"})

    async def script(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in SCRIPTS and name not in ("player.css", "page.css"):
            raise Refused("there is no such script", 404)
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(source(name), media_type=kind, headers={"cache-control": "no-cache"})

    return Starlette(
        routes=[
            Route("/", show),
            Route("/api/game", check, methods=["POST"]),
            Route("/api/page", export, methods=["POST"]),
            Route("/kernels.wasm", kernels),
            Route("/play/{name}", script),
            Mount("/studio", StaticFiles(packages=[("pcg.studio", "static")])),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=hosts, headers=_HEADERS)],
        exception_handlers=ERRORS,
    )


async def _json(request: Request) -> Any:
    try:
        return await request.json()
    except ValueError:
        raise Refused("the request is no JSON text") from None


def _texts(data: Any) -> tuple[str, list[str], str]:
    """Text, levels and name of a request.

    Raises:
        Refused: when it has another form, or is too large.
    """
    if not isinstance(data, dict):
        raise Refused("expected a JSON object with `text` and `levels`")
    text, levels, name = data.get("text"), data.get("levels"), data.get("name", "game")
    if not isinstance(text, str) or not isinstance(levels, list) or not all(isinstance(k, str) for k in levels):
        raise Refused("expected `text`, a text, and `levels`, a list of texts")
    if not isinstance(name, str) or len(name) > 100:
        raise Refused("expected `name`, a text of at most 100 characters")
    if len(levels) > MOST_LEVELS or max(map(len, [text, *levels])) > LONGEST_TEXT:
        raise Refused(f"expected at most {MOST_LEVELS} levels and {LONGEST_TEXT} characters each", 413)
    return text, levels, name
