"""One participant on the researcher's page: found by the code that they quote, downloaded, deleted."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.one_participant import find_participant, stored_of
from pcg.study.panels import code_of
from pcg.study.server.security import read_form
from pcg.study.server.watch import NO_STORE, researcher, view


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/researcher/participant", page, methods=["GET"]),
        Route("/researcher/participant/data", data, methods=["GET"]),
        Route("/researcher/participant/delete", delete, methods=["POST"]),
    ]


async def page(request: Request) -> Response:
    """The participant whom `?code=` means, or why it means nobody."""
    site, token = await researcher(request)
    code = request.query_params.get("code", "")[:200]
    stored, problem = None, ""
    try:
        person = await site.threads.read(find_participant, site.store, code)
        stored = await site.threads.read(stored_of, site.store, person)
    except PcgError as error:
        problem = str(error)
    told = code_of(site.config, person.end, site.store.key, person.id) if stored and person.end else ""
    return view(
        request, "participant", token, "/participants", 404 if problem else 200, code=code, problem=problem,
        stored=stored, code_told=told, numbers={item.name: item.id for item in site.store.items},
    )  # fmt: skip


async def data(request: Request) -> Response:
    """Send everything that is stored of them."""
    site, _ = await researcher(request)
    person = await site.threads.read(find_participant, site.store, request.query_params.get("code", "")[:200])
    return as_file(await site.threads.read(stored_of, site.store, person), f"participant-{person.id[:8]}.json")


def as_file(stored: object, name: str) -> Response:
    """A JSON file to be kept."""
    text = json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
    return Response(
        text, media_type="application/json",
        headers={**NO_STORE, "content-disposition": f'attachment; filename="{name}"'},
    )  # fmt: skip


async def delete(request: Request) -> Response:
    """Delete everything that is stored of them."""
    site, token = await researcher(request)
    fields = await read_form(request, token)
    person = await site.threads.read(find_participant, site.store, fields.get("code", "")[:200])
    if fields.get("sure") == "yes":
        await site.forget(person.id)
    return RedirectResponse(f"{site.root}/researcher", 303, headers=NO_STORE)
