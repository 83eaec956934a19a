"""Further pages of the researcher: participants with their IDs and flags, items with pictures, and comments.

An item can be taken out of new pairs while the study runs, and in again: pairs that were shown stay as they are.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.study.answers import failed_checks
from pcg.study.panels import code_of
from pcg.study.rows import SIDES
from pcg.study.server.replays import replay_answer
from pcg.study.server.researcher_translations import language_of
from pcg.study.server.security import read_form
from pcg.study.server.site import Site
from pcg.study.server.watch import NO_STORE, numbers_of, researcher, view
from pcg.web.guard import Refused

MOST_ROWS = 1000


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/researcher/participants", participants),
        Route("/researcher/comments", comments),
        Route("/researcher/items", items, methods=["GET"]),
        Route("/researcher/items", pause_item, methods=["POST"]),
        Route("/researcher/items/{item:key}.png", thumbnail),
        Route("/researcher/replay/{play:key}.json", replay),
    ]


async def participants(request: Request) -> Response:
    """Page of participants, the newest first, with their flags."""
    site, token = await researcher(request)
    found = await numbers_of(request, site)
    remarks = {one.participant: one.reasons for one in found.suspects}
    rows = await site.threads.read(participant_rows, site, remarks)
    return view(request, "watch_participants", token, "/participants", rows=rows[:MOST_ROWS])


def participant_rows(site: Site, remarks: dict[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Return a row for each participant.

    Args:
        site: the study.
        remarks: participant -> what is to be looked at.
    """
    store = site.store
    first = store.config.questions[0].name
    votes: dict[str, int] = {}
    failed: dict[str, int] = {}
    for row in store.vote_rows():
        who = row["participant"]
        votes[who] = votes.get(who, 0) + (row["question"] == first)
        failed[who] = failed.get(who, 0) + bool(
            row["question"] == first and row["check"] and row["answer"] != row["expected"]
        )
    given: dict[str, list[dict[str, Any]]] = {}
    for answer in store.answers.rows():
        given.setdefault(answer["participant"], []).append(answer)
    begun = {pair.participant for pair in store.pairs()}
    return [
        {"id": p.id, "number": p.number, "identity": p.identity or ", ".join(p.external.values()),
         "simulated": p.simulated, "state": p.end or ("begun" if p.id in begun else "agreed"), "cause": p.cause,
         "votes": votes.get(p.id, 0),
         "failed": failed.get(p.id, 0) + failed_checks(given.get(p.id, ()), store.config.asks), "device": p.device,
         "seen": datetime.fromtimestamp(p.seen, UTC).strftime("%Y-%m-%d %H:%M"),
         "code": code_of(store.config, p.end, store.key, p.id) if p.end else "", "remarks": remarks.get(p.id, ())}
        for p in reversed(store.participants())
    ]  # fmt: skip


async def comments(request: Request) -> Response:
    """Page of comments of participants, the newest first."""
    site, token = await researcher(request)
    rows = await site.threads.read(comment_rows, site)
    return view(request, "watch_comments", token, "/comments", rows=rows[:MOST_ROWS])


def comment_rows(site: Site) -> list[dict[str, Any]]:
    """Return the reasons of votes and the free-text answers."""
    name = {item.id: item.name for item in site.store.items}
    texts = {ask.name for ask in site.config.asks if ask.kind == "text"}
    found = [
        {"participant": row["participant"], "text": row["reason"], "time": row["time"],
         "about": f"{' · '.join(name[row[side]] for side in SIDES if row[side] is not None)}: {row['answer']}"}
        for row in site.store.vote_rows() if row["reason"] and row["question"] == site.config.questions[0].name
    ]  # fmt: skip
    found += [
        {"participant": row["participant"], "text": row["value"], "time": row["time"], "about": row["question"]}
        for row in site.store.answers.rows() if row["question"] in texts and row["value"]
    ]  # fmt: skip
    return sorted(found, key=lambda row: -row["time"])


async def items(request: Request) -> Response:
    """Page of items with pictures, and a button to pause each."""
    site, token = await researcher(request)
    return await _items(request, site, token)


async def _items(request: Request, site: Site, token: str, problem: str = "") -> Response:
    found = await numbers_of(request, site)
    ranks = {rank.name: rank for rank in found.items}
    paused = await site.threads.read(site.store.answers.paused_items)
    rows = [
        {"id": item.id, "name": item.name, "group": item.group, "check": item.check, "paused": item.id in paused,
         "rank": ranks.get(item.name) if not item.check else None}
        for item in site.store.items
    ]  # fmt: skip
    return view(request, "watch_items", token, "/items", 409 if problem else 200, rows=rows, problem=problem)


async def pause_item(request: Request) -> Response:
    """Pause an item, or resume it: paused items are in no new pairs."""
    site, token = await researcher(request)
    fields = await read_form(request, token)
    item = next((item for item in site.store.items if str(item.id) == fields.get("item", "") and not item.check), None)
    if item is None:
        raise Refused("there is no such item", 404)
    taken_out = fields.get("paused") == "yes"
    if taken_out:
        paused = await site.threads.read(site.store.answers.paused_items)
        if not site.pairing.can_do_without({*paused, item.id}):
            return await _items(request, site, token, "At least two items that can be compared must stay.")
    await site.threads.write(site.store.answers.pause_item, item.id, taken_out)
    return RedirectResponse(f"{site.root}/researcher/items?lang={language_of(request)}", 303, headers=NO_STORE)


async def thumbnail(request: Request) -> Response:
    """The picture of an item."""
    site, _ = await researcher(request)
    playable = site.items.get(request.path_params["item"])
    if playable is None:
        raise Refused("there is no such item", 404)
    shown = await site.threads.read(lambda: playable.picture)
    return Response(shown, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


async def replay(request: Request) -> Response:
    """A play as frames."""
    site, _ = await researcher(request)
    found = await site.threads.read(site.store.play, request.path_params["play"])
    if found is None:
        raise Refused("there is no such play", 404)
    play, item = found
    return await replay_answer(site, site.items[item], play)
