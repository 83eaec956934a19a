"""Pages of questionnaires, and of practice."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from pcg.study.answers import PRACTISED
from pcg.study.panels import FAILED, SCREENED
from pcg.study.questionnaire import AFTER, BEFORE, COMPREHENSION, PAIR, PARTS, Ask
from pcg.study.rows import Situation
from pcg.study.server.levels import texts_for
from pcg.study.server.pages import Visit, site_of
from pcg.study.server.participate import (
    NOT_OPEN,
    PLAYER_WORDS,
    admit,
    first_pair,
    for_participants,
    legend_for,
    sprite_picture,
    to_stage,
)
from pcg.study.server.stages import INSTRUCTIONS, PRACTICE, QUESTIONS, has_understood, tries_of
from pcg.web.guard import Refused
from pcg.web.player.server import refuse


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/questions/{part}", questions, methods=["GET"]),
        Route("/questions/{part}", answer, methods=["POST"]),
        Route("/practice", practice, methods=["GET"]),
        Route("/practice/sprite-{place:position}.png", practice_sprite),
        Route("/practice", practised, methods=["POST"]),
        WebSocketRoute("/practice/socket", practice_socket),
    ]


async def _open_part(visit: Visit, situation: Situation, part: str) -> bool:
    """Return True if a participant is to answer this page now."""
    site = visit.site
    stage = site.place(situation)
    if part == COMPREHENSION:
        return stage.kind == INSTRUCTIONS and not has_understood(situation, site.config)
    if part == AFTER:
        stage = await site.stage(situation)
    return stage.kind == QUESTIONS and stage.part == part


@for_participants
async def questions(visit: Visit, situation: Situation) -> Response:
    """A page of questions."""
    part = visit.request.path_params["part"]
    if part not in PARTS:
        raise Refused("there is nothing at this address", 404)
    if not await _open_part(visit, situation, part):
        return await to_stage(visit, situation)
    return _page(visit, part)


def _page(visit: Visit, part: str, fields: dict[str, str] | None = None) -> Response:
    given = fields or {}
    asks = visit.site.config.asked(part)
    missing = {ask.name for ask in asks if fields is not None and ask.read(given) is None}
    return visit.page(
        "questions", 200 if fields is None else 422, part=part, asks=asks, given=given, missing=missing,
        ranges={ask.name: _range(visit, ask) for ask in asks},
    )  # fmt: skip


def _range(visit: Visit, ask: Ask) -> str:
    """The numbers that a question takes, in words."""
    low, high = f"{ask.low:g}", f"{ask.high:g}"
    if ask.kind != "number" or (low, high) == ("-inf", "inf"):
        return ""
    if "inf" in (high, low.strip("-")):
        return visit.say("number_from", low=low) if high == "inf" else visit.say("number_to", high=high)
    return visit.say("number_range", low=low, high=high)


@for_participants
async def answer(visit: Visit, situation: Situation) -> Response:
    """Take the answers of a page. Whatever comes a second time changes nothing and leads on."""
    fields = await visit.form()
    site, part = visit.site, visit.request.path_params["part"]
    if part not in PARTS or not await _open_part(visit, situation, part):
        return await to_stage(visit, situation)
    asks = site.config.asked(part)
    values = {ask.name: value for ask in asks if (value := ask.read(fields)) is not None}
    if len(values) < len(asks):
        return _page(visit, part, fields)
    position = tries_of(situation) if part == COMPREHENSION else situation.pairs[-1].position if part == PAIR else 0
    await site.threads.write(site.store.answers.add, situation.participant.id, part, position, values)
    situation = replace(situation, answers={**situation.answers, (part, position): values})
    if part == BEFORE and (cause := await site.screen(situation.participant, values)):
        person = replace(situation.participant, ended=SCREENED, cause=cause)
        situation = replace(situation, participant=person)
    if part == COMPREHENSION:
        if has_understood(situation, site.config):
            return await first_pair(visit, situation)
        if tries_of(situation) >= site.config.tries:
            situation = await site.end(situation, FAILED, COMPREHENSION)
        else:
            return visit.go("/instructions")
    if part == AFTER and site.config.failed and await site.failures(situation.participant) >= site.config.failed:
        situation = await site.end(situation, FAILED, "attention")
    return await to_stage(visit, situation)


# -- practice ----------------------------------------------------------------------------------------------------------


@for_participants
async def practice(visit: Visit, situation: Situation) -> Response:
    """A level on which a game is tried."""
    site = visit.site
    stage = site.place(situation)
    if stage.kind != PRACTICE:
        return await to_stage(visit, situation)
    playable = site.items[site.practice[stage.game]]
    about = playable.about(visit.language)
    words = {name: visit.words[name] for name in PLAYER_WORDS} | {"time_up": visit.words["over"]}
    return visit.page(
        "practice", game=stage.game, about=about, controls=texts_for(about, visit.words), player_words=words,
        socket=f"{site.root}/practice/socket", in_page=site.engine is not None,
        legend=await legend_for(visit, playable), sprites=f"{site.root}/practice",
    )  # fmt: skip


@for_participants
async def practice_sprite(visit: Visit, situation: Situation) -> Response:
    """The picture of one sprite of the legend."""
    stage = visit.site.place(situation)
    if stage.kind != PRACTICE:
        raise Refused("there is nothing at this address", 404)
    playable = visit.site.items[visit.site.practice[stage.game]]
    return await sprite_picture(visit, playable, visit.request.path_params["place"])


@for_participants
async def practised(visit: Visit, situation: Situation) -> Response:
    """Note that a game was tried."""
    fields = await visit.form()
    site = visit.site
    stage = site.place(situation)
    if stage.kind != PRACTICE or fields.get("game") != stage.game:
        return await to_stage(visit, situation)
    place = sum(part == PRACTISED for part, _ in situation.answers)
    await site.threads.write(site.store.answers.add, situation.participant.id, PRACTISED, place, {stage.game: "tried"})
    answers = {**situation.answers, (PRACTISED, place): {stage.game: "tried"}}
    return await to_stage(visit, replace(situation, answers=answers))


async def practice_socket(socket: WebSocket) -> None:
    """The game that is tried."""
    site = site_of(socket)
    situation = await admit(socket)
    if situation is None:
        return
    stage = site.place(situation)
    if stage.kind != PRACTICE:
        await refuse(socket, NOT_OPEN)
        return
    playable = site.items[site.practice[stage.game]]
    await site.practice_plays.join(situation.participant.id, playable, site.config.seed, socket)
