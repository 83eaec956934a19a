"""The page of one level to play, and the application that is nothing but that page."""

from __future__ import annotations

from collections.abc import Collection

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pcg.engine.game import Game
from pcg.web.guard import LOCAL_HOSTS, Refused
from pcg.web.pages import application, page
from pcg.web.player import Pace, PlayServer, PlaySession
from pcg.web.player.server import MOST_PLAYS


def play_route(plays: PlayServer) -> Route:
    """`/play/TOKEN`: the page on which a play is played."""

    async def show(request: Request) -> Response:
        token = request.path_params["token"]
        try:
            session = plays.session(token)
        except Refused as error:
            return page(request, "message", error.status, title="Not found", message=str(error))
        return page(request, "play", game=session.game.name, token=token)

    return Route("/play/{token}", show)


def play_app(
    game: Game,
    level: str | int = 0,
    seed: int = 0,
    *,
    pace: Pace | None = None,
    hosts: Collection[str] = LOCAL_HOSTS,
    most: int = MOST_PLAYS,
) -> Starlette:
    """An application to play one level.

    Every visit of `/` begins a play of its own, so several people can play side by side.

    Args:
        game: a game with one player.
        level: level text, or the number of one of the game's levels.
        seed: of the plays.
        pace: how fast; by default what suits the game.
        hosts: names by which the server may be addressed.
        most: plays at once.

    Raises:
        PcgError: for games of two players and levels that the game cannot read.
    """
    PlaySession(game, level, seed, pace=pace)  # every mistake shows before the server starts
    plays = PlayServer(most=most)

    async def begin(request: Request) -> Response:
        token = plays.create(PlaySession(game, level, seed, pace=pace))
        root = request.scope.get("root_path", "").rstrip("/")
        return RedirectResponse(f"{root}/play/{token}", 303)

    return application([Route("/", begin), play_route(plays), *plays.routes()], hosts=hosts)
