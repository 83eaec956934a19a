"""The base of all pages: templates, static files, and the assembly of an application."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from pcg.web.guard import ERRORS, LOCAL_HOSTS, Guard
from pcg.web.player import server as player

STATIC = Path(str(resources.files("pcg.web"))) / "static"

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


@cache
def _templates(package: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in dict.fromkeys((package, "pcg.web"))]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(request: Request, name: str, status: int = 200, *, package: str = "pcg.web", **values: Any) -> Response:
    """A page from the template `name` of a package; `root` is where the application lives below its host."""
    root = request.scope.get("root_path", "").rstrip("/")
    text = _templates(package).get_template(f"{name}.html.jinja").render(root=root, **values)
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


class _Files(StaticFiles):
    """Static files that are asked for again each time, so that a page and its scripts are of one version."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


async def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


def application(
    routes: Sequence[BaseRoute], *, hosts: Collection[str] = LOCAL_HOSTS, lifespan: Lifespan | None = None
) -> Starlette:
    """An application of these routes with static files, guarded against other sites."""
    return Starlette(
        routes=[
            *routes,
            Route("/favicon.ico", _no_icon),
            Mount("/static/player", _Files(directory=player.STATIC)),
            Mount("/static", _Files(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers=ERRORS,
        lifespan=lifespan,
    )
