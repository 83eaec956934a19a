"""The researcher's page: how the study is going, live; open, pause, close; downloads.

Whoever has the token may look. It comes in the part of the link behind #, which browsers do not send, is sent once in a
form, and stays in a cookie that no script can read.
"""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.exporting import export_study
from pcg.study.monitoring import StudyStatistics, study_statistics
from pcg.study.server import charts
from pcg.study.server.pages import render, site_of
from pcg.study.server.researcher_translations import LANGUAGES, language_of, translator
from pcg.study.server.security import form_token, read_form
from pcg.study.server.site import Site
from pcg.study.store import STATES
from pcg.web.guard import Refused

FRESH_S = 3.0
"""The numbers are worked out anew when they are older than this."""
MOST_RANKS = 40
NO_STORE = {"cache-control": "no-store"}
PEOPLE = ("real", "simulated", "all")


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/researcher", page, methods=["GET"]),
        Route("/researcher/enter", enter, methods=["POST"]),
        Route("/researcher/leave", leave, methods=["POST"]),
        Route("/researcher/state", change_state, methods=["POST"]),
        Route("/researcher/live", live),
        Route("/researcher/numbers", numbers),
        Route("/researcher/export", export),
    ]


async def researcher(request: Request) -> tuple[Site, str]:
    """The study and the token of whoever asks.

    Raises:
        Refused: for everybody but the researcher.
    """
    site = site_of(request)
    site.gate.request(request, None)
    token = site.jar.get(request, site.jar.researcher)
    if token is None or not await site.is_researcher(request, token):
        raise Refused("only the study's researcher may see this", 403)
    return site, token


async def page(request: Request) -> Response:
    """The whole page, or where to enter the token."""
    try:
        site, token = await researcher(request)
    except Refused as error:
        if error.status != 403:
            raise
        return _entrance(request)
    found = await numbers_of(request, site)
    return view(
        request, "watch", token, "", state=await site.state(), states=STATES, people=PEOPLE,
        body=_body(request, site, found), items=len(site.items),
    )  # fmt: skip


def view(request: Request, name: str, token: str, tab: str, status: int = 200, **values: Any) -> Response:
    """Return one of the researcher's pages in the language that is asked for.

    Args:
        request: the request.
        name: of the template.
        token: of the researcher.
        tab: path of the tab that it belongs to, below `/researcher`.
        status: of the answer.
        values: of the template.
    """
    site = site_of(request)
    text = render(
        name, root=site.root, study=site.config, token=form_token(token), tab=tab, languages=LANGUAGES,
        **_language(request), **values,
    )  # fmt: skip
    return HTMLResponse(text, status, headers=NO_STORE)


def _language(request: Request) -> dict[str, Any]:
    code = language_of(request)
    return {"language": code, "t": translator(code)}


def _entrance(request: Request, status: int = 200, problem: str = "") -> Response:
    site = site_of(request)
    seed = site.jar.get(request, site.jar.visitor)
    fresh = seed is None
    if seed is None:
        seed = site.jar.new_visitor()
    text = render("enter", root=site.root, study=site.config, token=form_token(seed), problem=problem,
                  **_language(request))  # fmt: skip
    response = HTMLResponse(text, status, headers=NO_STORE)
    if fresh:
        site.jar.put(request, response, site.jar.visitor, seed)
    return response


async def enter(request: Request) -> Response:
    """Take the token and keep it in a cookie."""
    site = site_of(request)
    site.gate.request(request, None)
    fields = await read_form(request, site.jar.get(request, site.jar.visitor))
    given = fields.get("researcher", "").strip()
    if not await site.is_researcher(request, given):
        return _entrance(request, 403, "This is not the token of this study.")
    response = RedirectResponse(f"{site.root}/researcher?lang={language_of(request)}", 303, headers=NO_STORE)
    site.jar.put(request, response, site.jar.researcher, given)
    return response


async def leave(request: Request) -> Response:
    """Forget the token in this browser."""
    site, token = await researcher(request)
    await read_form(request, token)
    response = RedirectResponse(f"{site.root}/researcher", 303, headers=NO_STORE)
    site.jar.drop(request, response, site.jar.researcher)
    return response


async def change_state(request: Request) -> Response:
    """Open, pause or close the study."""
    site, token = await researcher(request)
    fields = await read_form(request, token)
    await site.set_state(fields.get("state", ""))
    return RedirectResponse(f"{site.root}/researcher?lang={language_of(request)}", 303, headers=NO_STORE)


# -- what is shown -----------------------------------------------------------------------------------------------------


async def live(request: Request) -> Response:
    """The part of the page that changes."""
    site, _ = await researcher(request)
    return HTMLResponse(_body(request, site, await numbers_of(request, site)), headers=NO_STORE)


async def numbers(request: Request) -> Response:
    """The same as numbers."""
    site, _ = await researcher(request)
    found: dict[str, Any] = dataclasses.asdict(await numbers_of(request, site))
    found.update(state=await site.state(), playing=site.plays.playing)
    return JSONResponse(found, headers=NO_STORE)


async def numbers_of(request: Request, site: Site) -> StudyStatistics:
    """The numbers, worked out once for all who look at them."""
    kept = request.app.state
    if not hasattr(kept, "numbers_lock"):
        kept.numbers_lock, kept.numbers, kept.numbers_at = asyncio.Lock(), None, 0.0
    async with kept.numbers_lock:
        if kept.numbers is None or time.monotonic() - kept.numbers_at > FRESH_S:
            kept.numbers = await site.threads.read(study_statistics, site.store, site.pairing.total)
            kept.numbers_at = time.monotonic()
        found = kept.numbers
    assert isinstance(found, StudyStatistics)
    return found


def _body(request: Request, site: Site, found: StudyStatistics) -> str:
    return render(
        "watch_body", root=site.root, **_language(request), found=found, sets=site.config.size > 2,
        playing=site.plays.playing, most=site.config.most, charts=charts,
        ranks=found.items[:MOST_RANKS], hidden=max(0, len(found.items) - MOST_RANKS), answers=site.config.questions[0],
    )  # fmt: skip


async def export(request: Request) -> Response:
    """Send everything as one archive of tables and a codebook."""
    site, _ = await researcher(request)
    people = request.query_params.get("people", "")
    if people not in ("", *PEOPLE):
        raise PcgError(f"no participants called {people[:40]!r} (expected {', '.join(PEOPLE)})")
    file = await site.threads.read(_archive, site, people)
    name = f"{site.store.name}-{time.strftime('%Y%m%d-%H%M', time.gmtime())}.zip"
    return FileResponse(
        file, media_type="application/zip", filename=name, headers=NO_STORE,
        background=BackgroundTask(file.unlink, missing_ok=True),
    )  # fmt: skip


def _archive(site: Site, people: str) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "export"
        export_study(site.store, out, people=people)
        with tempfile.NamedTemporaryFile(suffix=".zip", delete=False) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(out.rglob("*")):
                    archive.write(path, path.relative_to(out).as_posix())
            return Path(file.name)
