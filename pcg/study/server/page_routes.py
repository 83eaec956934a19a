"""Addresses of plays in participants' browsers.

POST /pair/N/SIDE/open     open a play: lease, seed, what was played so far, addresses of image and engine
POST /pair/N/SIDE/actions  a batch of actions (`page_plays`)
POST /practice/open        a level for practice; nothing of it is sent
GET  /images/NAME.json     the image of a level, under a name that is only told with a play of it
GET  /engine/NAME/FILE     kernels and scripts
"""

from __future__ import annotations

import gzip
import hmac
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.evaluators.evaluation import LETTERS
from pcg.study.rows import Situation
from pcg.study.server.levels import Playable, play_seed
from pcg.study.server.page_engine import KERNELS
from pcg.study.server.page_plays import Batch, Behind, Elsewhere, PagePlay, image_name, read_batch
from pcg.study.server.pages import Visit, site_of
from pcg.study.server.participate import SIDES, for_participants, wanted_of
from pcg.study.server.plays import Side
from pcg.study.server.security import OldForm, form_token
from pcg.study.server.site import Site
from pcg.study.server.stages import PLAY, PRACTICE, may_see
from pcg.web.guard import Refused, read_object, take
from pcg.web.player.pace import analysis_of
from pcg.web.player.sprite_sheet import sheet_for

NO_STORE = {"cache-control": "no-store"}
FOR_GOOD = {"cache-control": "private, max-age=31536000, immutable"}
FOR_ALL = {"cache-control": "public, max-age=31536000, immutable"}
_KINDS = {"js": "text/javascript", "mjs": "text/javascript", "wasm": "application/wasm"}


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/pair/{number:position}/{side}/open", open_play, methods=["POST"]),
        Route("/pair/{number:position}/{side}/actions", actions, methods=["POST"]),
        Route("/practice/open", open_practice, methods=["POST"]),
        Route("/images/{name}.json", image),
        Route("/engine/{version}/{name}", engine),
    ]


async def _asked(visit: Visit) -> dict[str, Any]:
    """The object that one of our pages sent with the token of its forms.

    Raises:
        OldForm: when another page did.
    """
    data = await read_object(visit.request)
    token = take(data, "token", str, "", most=100)
    if not any(hmac.compare_digest(form_token(secret), token) for secret in (visit.secret, visit.visitor) if secret):
        raise OldForm
    return data


@for_participants
async def open_play(visit: Visit, situation: Situation) -> Response:
    """Open a play for the page that asks."""
    data = await _asked(visit)
    site = visit.site
    side = _side(site, situation, visit.request)
    if side is None or visit.secret is None:
        raise Refused("this game is not open to you any more", 410)
    about = await _about(site, side.playable)
    again = None if data.get("again") is None else take(data, "again", int, most=1001)
    opened = await site.page_plays.open(side, visit.secret, again)
    return JSONResponse({**about, **opened}, headers=NO_STORE)


@for_participants
async def open_practice(visit: Visit, situation: Situation) -> Response:
    """Open a level for practice."""
    await _asked(visit)
    site = visit.site
    stage = site.place(situation)
    if stage.kind != PRACTICE:
        raise Refused("this game is not open to you any more", 410)
    about = await _about(site, site.items[site.practice[stage.game]])
    return JSONResponse({**about, "seed": site.config.seed, "letters": dict(LETTERS)}, headers=NO_STORE)


async def _about(site: Site, playable: Playable) -> dict[str, Any]:
    """The description of a level for a page.

    Raises:
        Refused: for games that run on the server.
    """
    found = await site.threads.read(lambda: playable.image) if site.engine is not None else None
    if found is None or site.engine is None:
        raise Refused("this game runs on the server", 404)
    name = image_name(site.store.key, playable.item.id, found)
    sheet = await site.threads.read(sheet_for, playable.game)
    return {
        "game": playable.game.name,
        "goal": list(analysis_of(playable.game).how_to_win),
        "pace": {"ticks_per_second": playable.pace.ticks_per_second, "by_turn": playable.pace.by_turn},
        "sheet": {"url": f"{site.root}{site.plays.add_sheet(sheet)}", **sheet.describe()},
        "image": f"{site.root}/images/{name}.json",
        "engine": f"{site.root}/engine/{site.engine.name}",
        "kernels": KERNELS,
    }


def _side(site: Site, situation: Situation, request: Request) -> Side | None:
    """The side that an address names, if the participant may play it."""
    side = SIDES.get(request.path_params["side"])
    wanted = wanted_of(situation, request.path_params["number"], PLAY, side if side is not None else 0)
    if side is None or wanted is None or wanted.pair is None:
        return None
    if not may_see(site.place(situation), wanted, site.config):
        return None
    person = situation.participant
    words = site.texts.get(person.language) or next(iter(site.texts.values()))
    seed = play_seed(site.config, wanted.pair, person.number)
    return Side(wanted.pair, side, seed, site.items[wanted.pair.item(side)], words)


async def actions(request: Request) -> Response:
    """Take a batch of actions.

    The usual one asks nothing of the database but to be stored: the play is in memory under its lease, which only the
    page has that opened it, and belongs to the cookie that comes along.
    """
    site = site_of(request)
    secret = site.jar.get(request, site.jar.participant)
    site.gate.request(request, secret)
    if secret is None:
        raise Elsewhere
    batch = read_batch(await read_object(request))
    seat = await _seat(site, request, batch, secret)
    try:
        told = await site.page_plays.take(seat, batch)
    except Behind as error:
        return JSONResponse({"error": str(error), **error.known}, 409, headers=NO_STORE)
    except Refused as error:
        return JSONResponse({"error": str(error)}, error.status, headers=NO_STORE)
    return JSONResponse(told, headers=NO_STORE)


async def _seat(site: Site, request: Request, batch: Batch, secret: str) -> PagePlay:
    """The play that a batch is of.

    Raises:
        Elsewhere: when it is not this page's.
    """
    side, number = SIDES.get(request.path_params["side"]), request.path_params["number"]
    seat = site.page_plays.leased(batch.lease, secret)
    if seat is not None:
        if (seat.side.side, seat.side.pair.position + 1) != (side, number):
            raise Elsewhere
        return seat
    situation = await site.situation(secret)
    if situation is None:
        raise Elsewhere
    found = _side(site, situation, request)
    if found is None:
        raise Elsewhere
    return await site.page_plays.bring_back(found, batch, secret)


async def image(request: Request) -> Response:
    """The image of a level."""
    site = site_of(request)
    site.gate.request(request, site.jar.get(request, site.jar.participant))
    name = request.path_params["name"]
    number = name.partition("-")[0]
    playable = site.items.get(int(number)) if number.isdecimal() and len(number) < 10 else None
    if playable is None or site.engine is None:
        raise Refused("there is nothing at this address", 404)
    found = await site.threads.read(lambda: playable.image)
    if found is None or not hmac.compare_digest(name.encode(), image_name(site.store.key, int(number), found).encode()):
        raise Refused("there is nothing at this address", 404)
    return _packed(request, found, "application/json", FOR_GOOD)


def _packed(request: Request, content: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """An answer that is kept for good, compressed for browsers that take it so: less than half as many bytes."""
    headers = {**headers, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_gzip(content), media_type=kind, headers={**headers, "content-encoding": "gzip"})
    return Response(content, media_type=kind, headers=headers)


@lru_cache(256)
def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


async def engine(request: Request) -> Response:
    """The kernels, or a script."""
    site = site_of(request)
    site.gate.request(request, site.jar.get(request, site.jar.participant))
    name, known = request.path_params["name"], site.engine
    if known is None or request.path_params["version"] != known.name or name not in known.files:
        raise Refused("there is nothing at this address", 404)
    kind = _KINDS[name.rpartition(".")[2]]
    return _packed(request, known.files[name], kind, FOR_ALL)
