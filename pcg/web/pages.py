"""The base of all pages: templates, static files, their language, and the assembly of an application.

Pages are in English or Chinese. What they say is written in English in the templates and scripts, and `static/zh.json`
has the Chinese for it; a text that it lacks stays in English. The choice is kept by the browser in a cookie, and is the
one of the player on exported pages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from pcg.web.guard import ERRORS, HEADERS, LOCAL_HOSTS, Guard, Header
from pcg.web.player import server as player
from pcg.web.templating import template

STATIC = Path(str(resources.files("pcg.web"))) / "static"

LANGUAGE_COOKIE = "pcg-language"
STUDIO = "pcg.studio"
"""Key of a request's scope for pages of the studio: {`root`: where the studio lives, `page`: its part}."""

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


@cache
def translations(language: str) -> Mapping[str, str]:
    """Return what pages say in a language, by what they say in English; nothing for English itself."""
    file = STATIC / f"{language}.json"
    if language == "en" or not file.is_file():
        return {}
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def language_of(request: Request) -> str:
    """Return the language of a page, "en" or "zh": the one that was chosen, else the one that the browser prefers."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    first = request.headers.get("accept-language", "").strip().lower()
    return "zh" if chosen == "zh" or (chosen != "en" and first.startswith("zh")) else "en"


def page(request: Request, name: str, status: int = 200, *, package: str = "pcg.web", **values: Any) -> Response:
    """A page from the template `name` of a package; `root` is where the application lives below its host."""
    root = request.scope.get("root_path", "").rstrip("/")
    language = language_of(request)
    words = translations(language)

    def say(text: str, *filled: object) -> str:
        told = words.get(text, text)
        for k, value in enumerate(filled):
            told = told.replace(f"{{{k}}}", str(value))
        return told

    text = template(name, package).render(
        root=root, t=say, language=language, words=words, studio=request.scope.get(STUDIO), **values
    )
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


class _Files(StaticFiles):
    """Static files that are asked for again each time, so that a page and its scripts are of one version."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def files(folder: Path | str) -> StaticFiles:
    """Serve the static files of a folder."""
    return _Files(directory=folder)


async def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


def static_routes() -> list[BaseRoute]:
    """Return the addresses of the static files that all pages use."""
    return [
        Route("/favicon.ico", _no_icon),
        Mount("/static/player", files(player.STATIC)),
        Mount("/static", files(STATIC)),
    ]


def application(
    routes: Sequence[BaseRoute],
    *,
    hosts: Collection[str] = LOCAL_HOSTS,
    lifespan: Lifespan | None = None,
    headers: Sequence[Header] = HEADERS,
) -> Starlette:
    """An application of these routes with static files, guarded against other sites."""
    return Starlette(
        routes=[*routes, *static_routes()],
        middleware=[Middleware(Guard, hosts=hosts, headers=headers)],
        exception_handlers=ERRORS,
        lifespan=lifespan,
    )
