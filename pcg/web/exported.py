"""The player of exported pages inside the pages of a server: games as bundles, the kernels, and the scripts.

A page asks for a bundle as JSON, and for the kernels and the player's scripts once; from then on the browser plays by
itself (`pcg.export`).
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pcg.engine.game import Game
from pcg.export.bundle import RecordedPlay, bundle
from pcg.export.kernels import page_module
from pcg.export.page import SCRIPTS, source
from pcg.web.guard import Refused

STYLES = ("player.css", "page.css")


def bundle_json(
    game: Game, *, titles: Sequence[str] = (), plays: Mapping[int, RecordedPlay] | None = None
) -> dict[str, Any]:
    """Return a game as a page takes it: `about`, plain data, and `data`, the bytes of its pieces in base64.

    Args:
        game: with its levels.
        titles: of the levels.
        plays: recorded plays by number of the level, to be watched.

    Raises:
        PcgError: for games that cannot be played in a page.
    """
    made = bundle(game, titles=titles, plays=plays, planes=False)
    return {"about": made.about, "data": base64.b64encode(made.data).decode()}


async def _kernels(request: Request) -> Response:
    code = await asyncio.to_thread(lambda: page_module().code)
    return Response(code, media_type="application/wasm", headers={"cache-control": "no-cache"})


async def _script(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in SCRIPTS and name not in STYLES:
        raise Refused("there is no such script", 404)
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return Response(source(name), media_type=kind, headers={"cache-control": "no-cache"})


def player_routes() -> list[BaseRoute]:
    """Return `/kernels.wasm` and `/exported/NAME`, the scripts and styles of the player."""
    return [Route("/kernels.wasm", _kernels), Route("/exported/{name}", _script)]
