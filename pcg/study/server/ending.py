"""Pages at the end of a participation, and a page with the participant's own data."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pcg.study.one_participant import stored_of
from pcg.study.panels import DECLINED, EXPIRED, FAILED, FINISHED, SCREENED, kept_of
from pcg.study.server.one_participant import as_file
from pcg.study.server.pages import Visit
from pcg.study.server.participate import to_stage

_SAID = {FINISHED: "thanks", SCREENED: "screened", FAILED: "failed", EXPIRED: "expired"}
"""Ends -> names of the texts, whose headings end in `_title`."""


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/thanks", thanks),
        Route("/declined", declined),
        Route("/data", my_data),
        Route("/data/file", my_data_file),
        Route("/forget", forget, methods=["POST"]),
    ]


async def thanks(request: Request) -> Response:
    """The last page, with the completion code and the return address of the recruitment panel."""
    visit = await Visit.of(request)
    situation = visit.situation
    if situation is None:
        return visit.go("/")
    person, config = situation.participant, visit.site.config
    if not person.end:
        return await to_stage(visit, situation)
    minutes = f"{config.resume:g}"
    return visit.ending(_SAID[person.end], person.end, person.external, who=person.id, minutes=minutes)


async def declined(request: Request) -> Response:
    """Page for those who decline to take part: nothing is stored, and the panel's code is shown."""
    visit = await Visit.of(request)
    return visit.ending("declined", DECLINED, kept_of(visit.site.config, request.query_params))


# -- one's own data ----------------------------------------------------------------------------------------------------


async def my_data(request: Request) -> Response:
    """The page with what is stored of a participant, and the way to have it deleted."""
    visit = await Visit.of(request)
    if visit.situation is None:
        return visit.go("/")
    person, pairs = visit.situation.participant, visit.situation.pairs
    plays = await visit.site.threads.read(visit.site.store.count_plays, person.id)
    return visit.page(
        "data", person=person, pairs=len(pairs), votes=sum(pair.voted is not None for pair in pairs), plays=plays,
        problem=False,
    )  # fmt: skip


async def my_data_file(request: Request) -> Response:
    """Everything that is stored of a participant, for themselves."""
    visit = await Visit.of(request)
    if visit.situation is None:
        return visit.go("/")
    site = visit.site
    return as_file(await site.threads.read(stored_of, site.store, visit.situation.participant), "my-data.json")


async def forget(request: Request) -> Response:
    """Delete a participant and everything of theirs."""
    visit = await Visit.of(request)
    fields = await visit.form()
    if visit.situation is None:
        return visit.go("/")
    if fields.get("sure") != "yes":
        return visit.go("/data")
    site = visit.site
    await site.forget(visit.situation.participant.id)
    response = visit.ending("data_deleted", DECLINED, visit.situation.participant.external)
    site.jar.drop(request, response, site.jar.participant)
    return response
