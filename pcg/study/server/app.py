"""The application of one study, put together."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Collection
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from pcg.study.server import (
    ending,
    one_participant,
    page_routes,
    pages,
    participate,
    questions,
    replays,
    watch,
    watch_tables,
)
from pcg.study.server.security import HEADERS, LARGEST_FORM, PAGE_HEADERS, STRICT_TRANSPORT, Limits
from pcg.study.server.site import MOST_PLAYS, Site
from pcg.study.store import StudyStore
from pcg.web.guard import LOCAL_HOSTS, Guard
from pcg.web.player import server as player

SWITCH_S = 0.0002
"""Seconds for which a thread may keep the others waiting. The loop that plays gives way with everything it sends; with
Python's own 5 ms a play that is being checked would hold up hundreds of others (300 plays: 98.3 % of ticks less than
25 ms late with 1 ms, 99.8 % with this)."""


class Below:
    """Serves the application under a path, whether or not the proxy before it takes the path away.

    Args:
        app: the application.
        root: the path, without a slash at its end; empty: none.
    """

    def __init__(self, app: ASGIApp, root: str = "") -> None:
        self.app, self.root = app, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.root and scope["type"] in ("http", "websocket"):
            path = scope["path"]
            inside = path == self.root or path.startswith(f"{self.root}/")
            scope = {**scope, "root_path": self.root, "path": path if inside else f"{self.root}{path}"}
        await self.app(scope, receive, send)


def study_app(
    store: StudyStore,
    *,
    hosts: Collection[str] = LOCAL_HOSTS,
    root: str = "",
    secure: bool | None = None,
    limits: Limits | None = None,
    most: int = MOST_PLAYS,
) -> Starlette:
    """The web application of a study.

    Args:
        store: of the study.
        hosts: names by which the server may be addressed; "*" allows all.
        root: path under which a proxy shows the study, as in "/studies/one".
        secure: cookies over https only; None: where the request came over https.
        limits: on how much one may ask for.
        most: plays at once.

    Raises:
        PcgError: when an item cannot be played, or no two can be compared.
    """
    root = f"/{root.strip('/')}" if root.strip("/") else ""
    site = Site(store, root=root, secure=secure, limits=limits or Limits(), most=most)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        await site.threads.write(store.keep_retention)
        tasks = [asyncio.create_task(site.plays.keep_saving()), asyncio.create_task(site.keep_retention())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            await site.plays.save_all()
            site.page_plays.close()
            site.threads.close()
            sys.setswitchinterval(before)

    async def no_icon(request: Request) -> Response:
        return RedirectResponse(f"{root}/static/icon.svg", 301)

    headers = [*(HEADERS if site.engine is None else PAGE_HEADERS), *([STRICT_TRANSPORT] if secure else [])]
    app = Starlette(
        routes=[
            *participate.routes(),
            *page_routes.routes(),
            *questions.routes(),
            *replays.routes(),
            *ending.routes(),
            *watch.routes(),
            *watch_tables.routes(),
            *one_participant.routes(),
            *site.plays.routes(),
            Route("/favicon.ico", no_icon),
            Mount("/static/player", _Files(directory=player.STATIC)),
            Mount("/static", _Files(directory=pages.STATIC)),
        ],
        middleware=[
            Middleware(Below, root=root),
            Middleware(Guard, hosts=hosts, headers=headers, largest=LARGEST_FORM),
        ],
        exception_handlers=pages.ERRORS,
        lifespan=lifespan,
    )
    app.state.site = site
    return app


class _Files(StaticFiles):
    """Static files, kept by browsers for an hour: a study's pages do not change while it runs."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=3600"
        return response
