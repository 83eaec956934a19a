"""Pages of the participants: consent, instructions, playing, voting, thanks; and their data."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import StudyConfig
from pcg.study.panels import SCREENED, kept_of, lacks_identity
from pcg.study.questionnaire import BEFORE, COMPREHENSION
from pcg.study.rows import FIRST, Pair, Participant, Situation
from pcg.study.rows import SIDES as SIDE_NAMES
from pcg.study.server.legend import Entry
from pcg.study.server.levels import Playable, play_seed, texts_for
from pcg.study.server.pages import Visit, site_of
from pcg.study.server.plays import Side
from pcg.study.server.security import address_of, participant_secret
from pcg.study.server.stages import (
    INSTRUCTED,
    INSTRUCTIONS,
    PLAY,
    QUESTIONS,
    VOTE,
    Stage,
    has_understood,
    may_see,
    tries_of,
)
from pcg.study.store import KnownIdentity
from pcg.web.guard import Refused
from pcg.web.player.server import refuse

LONGEST_REASON = 2000
PLAYED_S, VOTED_S = 45.0, 15.0
"""Minutes that a play and a vote take, guessed for "about so many minutes"."""

NOT_OPEN = "this game is not open to you"

SIDES = {name: side for side, name in enumerate(SIDE_NAMES)}
"""Places of the sides by their names in addresses."""

_PAGE = re.compile(
    r"/(instructions|thanks|data|declined|practice|questions/(before|comprehension|pair|after)|"
    r"pair/[0-9]{1,4}/(first|second|third|fourth|vote))"
)
"""Pages to which one may come back after a change of language; others lead to where one is."""

Page = Callable[[Visit, Situation], Awaitable[Response]]
"""A page for participants, from their visit and how far they have come."""

PLAYER_WORDS = (
    "score", "time", "turn", "health", "start", "pause", "go_on", "restart", "connecting", "ready", "paused",
    "key_starts", "key_goes_on", "tap_starts", "tap_goes_on", "won", "lost", "plays_again", "result", "connection_lost",
    "trying_again", "elsewhere", "click_here", "gone", "board", "pad", "up", "left", "down", "right", "use",
)  # fmt: skip
"""Texts of the player in the browser."""


class Position(Convertor[int]):
    """Position of a pair in an address: as few digits as there can be pairs."""

    regex = "[0-9]{1,4}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the digits."""
        return str(value)


class Key(Position):
    """Number of a row in an address: as few digits as a database counts to."""

    regex = "[0-9]{1,9}"


register_url_convertor("position", Position())
register_url_convertor("key", Key())


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [
        Route("/", welcome),
        Route("/join", join, methods=["POST"]),
        Route("/language", change_language, methods=["POST"]),
        Route("/instructions", instructions),
        Route("/begin", begin, methods=["POST"]),
        Route("/pair/{number:position}/vote", vote_page, methods=["GET"]),
        Route("/pair/{number:position}/vote", vote, methods=["POST"]),
        Route("/pair/{number:position}/{side}.png", picture),
        Route("/pair/{number:position}/{side}/sprite-{place:position}.png", sprite),
        Route("/pair/{number:position}/{side}", play_page),
        WebSocketRoute("/pair/{number:position}/{side}/socket", play_socket),
        Route("/healthy", healthy),
    ]


async def healthy(request: Request) -> Response:
    """Health check for proxies: the server answers, and its database takes what is written."""
    site = site_of(request)
    site.gate.request(request, None)
    good = await site.can_write()
    text = "ok\n" if good else "nothing can be written to the database\n"
    return Response(text, 200 if good else 503, media_type="text/plain", headers={"cache-control": "no-store"})


# -- coming in ---------------------------------------------------------------------------------------------------------


async def welcome(request: Request) -> Response:
    """The first page, or for those who have begun the one where they are."""
    visit = await Visit.of(request)
    config = visit.site.config
    kept = kept_of(config, request.query_params)
    if visit.is_another(config.identity_in(kept)):
        visit = visit.as_visitor()
    if visit.situation is not None:
        return await to_stage(visit, visit.situation)
    return await _closed(visit, kept) or _wrong_device(visit) or _welcome(visit, kept)


def _wrong_device(visit: Visit) -> Response | None:
    """The page for those whose device the study does not want."""
    wanted, here = visit.site.config.device, device_of(visit.request.headers.get("user-agent", ""))
    if wanted == "any" or (here == "computer") == (wanted == "computer"):
        return None
    return visit.message("device_title", f"device_{wanted}", 403)


def device_of(browser: str) -> str:
    """Kind of a device by what its browser says of itself, of which nothing else is stored: phone, tablet or computer.

    Tablets that pass themselves off as computers, as iPads do, count as such; `input` of the plays says more.

    >>> device_of("Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36")
    'phone'
    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'computer'
    """
    if re.search(r"iPad|Tablet|Android(?!.*Mobi)", browser):
        return "tablet"
    return "phone" if "Mobi" in browser else "computer"


def _welcome(visit: Visit, kept: dict[str, str], *, problem: bool = False) -> Response:
    config, pairing = visit.site.config, visit.site.pairing
    total = pairing.total - max(0, config.checks - len(pairing.checks))  # instructed checks are not played
    played = 0.0 if config.pictures else config.size * max(config.minimum, min(PLAYED_S, config.maximum or PLAYED_S))
    seconds = total * (played + VOTED_S)
    return visit.page(
        "welcome",
        422 if problem else 200,
        kept=kept,
        total=total,
        minutes=max(1, round(seconds / 60)),
        problem=problem,
        consent=visit.site.consent(visit.language),
    )


async def join(request: Request) -> Response:
    """Consent was given: from now on there is a participant."""
    visit = await Visit.of(request)
    fields = await visit.form()
    kept = kept_of(visit.site.config, fields)
    identity = visit.site.config.identity_in(kept)
    if visit.is_another(identity):
        visit = visit.as_visitor()
    if visit.situation is not None:
        return await to_stage(visit, visit.situation)
    if fields.get("language") in visit.site.texts:
        visit.language = fields["language"]
    shut = await _closed(visit, kept)
    shut = shut if shut is not None or "simulated" in fields else _wrong_device(visit)
    if shut is not None:
        return shut
    if fields.get("consent") != "yes":
        return _welcome(visit, kept, problem=True)
    site = visit.site
    site.gate.pass_("joining", address_of(request))
    simulated = "simulated" in fields
    device = "" if simulated else device_of(request.headers.get("user-agent", ""))
    if simulated and not await site.is_researcher(request, fields["simulated"]):
        raise Refused("only the study's researcher can send simulated participants", 403)
    version = await site.threads.write(site.store.answers.consent_version, visit.language, site.consent(visit.language))
    try:
        person, secret = await site.threads.write(
            site.store.join, visit.language, kept, simulated=simulated, consented=True,
            secret=participant_secret(site.store.key, visit.visitor, identity),
            device=device, consent=version,
        )  # fmt: skip
    except KnownIdentity:
        return visit.message("again_title", "again", 403)
    except PcgError:
        return visit.ending("closed", SCREENED, kept, 403)  # others were faster
    begins = "/questions/before" if site.config.asked(BEFORE) else "/instructions"
    if not person.returns and await site.screen(person, {}):
        begins = "/thanks"
    response = visit.go("/" if person.returns else begins)
    site.jar.put(request, response, site.jar.participant, secret)
    # The next person in this browser is another visitor, from whom this participant's secret cannot be made.
    site.jar.put(request, response, site.jar.visitor, site.jar.new_visitor())
    return response


async def change_language(request: Request) -> Response:
    """Read on in another language."""
    visit = await Visit.of(request)
    fields = await visit.form()
    wanted = fields.get("language", "")
    if wanted not in visit.site.texts:
        raise Refused("this study is not available in that language")
    back = fields.get("back", "/")
    path = back if _PAGE.fullmatch(back) else "/"
    kept = kept_of(visit.site.config, fields)
    if visit.is_another(visit.site.config.identity_in(kept)):
        visit = visit.as_visitor()
    if visit.situation is not None:
        who = visit.situation.participant.id
        await visit.site.threads.write(lambda: visit.site.store.update_participant(who, language=wanted))
        return visit.go(path)
    query = "&".join(
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in {**kept, "lang": wanted}.items()
    )
    return visit.go(f"{path}?{query}")


async def _closed(visit: Visit, kept: Mapping[str, str]) -> Response | None:
    """The page for those who cannot begin now, or whose link does not say who they are.

    Who comes back, known by the ID of the link, has begun already.
    """
    site, config = visit.site, visit.site.config
    if lacks_identity(config, kept):
        return visit.message("no_id_title", "no_id", 400, parameter=config.identity)
    doors = await site.doors()
    if doors.kind in ("open", "closed") and await site.threads.read(site.store.rejoins, config.identity_in(kept)):
        return None
    if doors.kind == "open":
        full = await site.threads.read(site.store.is_full)
        return visit.ending("closed", SCREENED, kept, 403) if full else None
    if doors.kind == "not_yet":
        when = datetime.fromtimestamp(doors.when, UTC).strftime("%Y-%m-%d %H:%M")
        return visit.message("not_yet_title", "not_yet", 403, when=when)
    return visit.message(f"{doors.kind}_title", "paused_text" if doors.kind == "paused" else "closed", 403)


# -- where a participant is --------------------------------------------------------------------------------------------


def for_participants(page: Page) -> Callable[[Request], Awaitable[Response]]:
    """Turn a page for participants into an endpoint, which sends everybody else to the first page.

    While the study is paused, participants who have not come to an end are told so.
    """

    @functools.wraps(page)
    async def endpoint(request: Request) -> Response:
        visit = await Visit.of(request)
        situation = visit.situation
        if situation is None:
            return visit.go("/")
        if _is_paused(situation):
            return visit.message("paused_title", "paused_text", 403)
        return await page(visit, situation)

    return endpoint


def _is_paused(situation: Situation) -> bool:
    return not situation.participant.end and situation.state == "paused"


async def to_stage(visit: Visit, situation: Situation) -> Response:
    """On to the page of a participant."""
    if _is_paused(situation):
        return visit.message("paused_title", "paused_text", 403)
    stage = await visit.site.stage(situation)
    return visit.go(stage.path)


@for_participants
async def instructions(visit: Visit, situation: Situation) -> Response:
    """The page of instructions."""
    stage = visit.site.place(situation)
    if stage.kind == QUESTIONS and stage.part == BEFORE:
        return visit.go(stage.path)
    wrong = bool(tries_of(situation)) and not has_understood(situation, visit.site.config)
    return visit.page("instructions", total=visit.site.pairing.total, begun=stage.kind != INSTRUCTIONS, again=wrong)


@for_participants
async def begin(visit: Visit, situation: Situation) -> Response:
    """On from the instructions."""
    await visit.form()
    if visit.site.place(situation).kind != INSTRUCTIONS:
        return await to_stage(visit, situation)
    if not has_understood(situation, visit.site.config):
        return visit.go(Stage(QUESTIONS, part=COMPREHENSION).path)
    return await first_pair(visit, situation)


async def first_pair(visit: Visit, situation: Situation) -> Response:
    """On to the first pair, where there is still a place."""
    person = situation.participant
    if not person.simulated and await visit.site.threads.read(visit.site.store.is_full):
        # others were faster: agreeing takes no place yet
        return visit.ending("closed", SCREENED, person.external, 403, who=person.id)
    stage = await visit.site.advance(situation)
    return visit.go(stage.path)


def wanted_of(situation: Situation, number: int, kind: str, side: int = FIRST) -> Stage | None:
    """The page that an address means, if the participant has got that far."""
    if not 1 <= number <= len(situation.pairs) or side >= len(situation.pairs[number - 1].items):
        return None
    return Stage(kind, situation.pairs[number - 1], side)


def side_to_vote(visit: Visit, situation: Situation) -> tuple[Pair, int]:
    """Return the pair that is to be voted on and the side of it that the address names.

    Raises:
        Refused: for addresses of other pairs, and of no side.
    """
    side = SIDES.get(visit.request.path_params["side"])
    wanted = wanted_of(situation, visit.request.path_params["number"], VOTE)
    if side is None or wanted is None or wanted.pair is None or wanted != visit.site.place(situation):
        raise Refused("there is nothing at this address", 404)
    if side >= len(wanted.pair.items):
        raise Refused("there is nothing at this address", 404)
    return wanted.pair, side


# -- playing -----------------------------------------------------------------------------------------------------------


@for_participants
async def play_page(visit: Visit, situation: Situation) -> Response:
    """A game to play."""
    site, config = visit.site, visit.site.config
    name = visit.request.path_params["side"]
    if name not in SIDES:
        raise Refused("there is nothing at this address", 404)
    side = SIDES[name]
    stage = site.place(situation)
    wanted = wanted_of(situation, visit.request.path_params["number"], PLAY, side)
    if wanted is None or wanted.pair is None or not may_see(stage, wanted, config):
        return await to_stage(visit, situation)
    playable = site.items[wanted.pair.item(side)]
    about = playable.about(visit.language)
    sides = SIDE_NAMES[: len(wanted.pair.items)]
    following = (*sides, "vote")[side + 1]
    onward = f"/pair/{wanted.pair.position + 1}/{following}"
    words = {name: visit.words[name] for name in PLAYER_WORDS}
    words["time_up"] = visit.words["over"]
    words["restarts_left"] = visit.words["restarts_left"]
    words["wait_seconds"] = visit.words["wait_seconds"]
    words["time_is_up"] = visit.words["time_is_up"]
    return visit.page(
        "play", pair=wanted.pair, position=wanted.pair.position + 1, total=site.pairing.total, side=side,
        sides=sides, following=following, about=about, controls=texts_for(about, visit.words),
        onward=onward, player_words=words,
        socket=f"{site.root}/pair/{wanted.pair.position + 1}/{name}/socket",
        in_page=site.engine is not None, legend=await legend_for(visit, playable),
        sprites=f"{site.root}/pair/{wanted.pair.position + 1}/{name}",
    )  # fmt: skip


async def legend_for(visit: Visit, playable: Playable) -> tuple[Entry, ...]:
    """Return the sprites that the page of a game names; none where the study shows no legend."""
    if not visit.site.config.legend:
        return ()
    return await visit.site.threads.read(playable.legend, visit.language)


async def sprite_picture(visit: Visit, playable: Playable, place: int) -> Response:
    """Return the picture of one sprite of the legend."""
    legend = await legend_for(visit, playable)
    if not 0 <= place < len(legend):
        raise Refused("there is nothing at this address", 404)
    shown = await visit.site.threads.read(playable.sprite_picture, legend[place].type)
    return Response(shown, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


@for_participants
async def sprite(visit: Visit, situation: Situation) -> Response:
    """The picture of one sprite of the legend beside a game."""
    side = SIDES.get(visit.request.path_params["side"])
    wanted = wanted_of(situation, visit.request.path_params["number"], PLAY, side if side is not None else FIRST)
    stage = visit.site.place(situation)
    if side is None or wanted is None or wanted.pair is None or not may_see(stage, wanted, visit.site.config):
        raise Refused("there is nothing at this address", 404)
    return await sprite_picture(visit, visit.site.items[wanted.pair.item(side)], visit.request.path_params["place"])


@for_participants
async def picture(visit: Visit, situation: Situation) -> Response:
    """The picture of one side of the pair that is to be voted on; its address tells nothing of what it shows."""
    site = visit.site
    if not (site.config.pictures or site.config.replays):
        raise Refused("there is nothing at this address", 404)
    pair, side = side_to_vote(visit, situation)
    playable = site.items[pair.item(side)]
    shown = await site.threads.read(lambda: playable.picture)
    return Response(shown, media_type="image/png", headers={"cache-control": "no-store"})


async def admit(socket: WebSocket) -> Situation | None:
    """Return how far the participant behind a connection has come; None after the connection was refused."""
    site = site_of(socket)
    secret = site.jar.get(socket, site.jar.participant)
    try:
        site.gate.request(socket, secret)
    except Refused as error:
        await refuse(socket, str(error))
        return None
    situation = await site.situation(secret) if secret is not None else None
    if situation is None or situation.state == "paused":
        await refuse(socket, NOT_OPEN)
        return None
    return situation


async def play_socket(socket: WebSocket) -> None:
    """The game itself. Who plays is known by the cookie, what is played by the address."""
    site = site_of(socket)
    situation = await admit(socket)
    if situation is None:
        return
    side = SIDES.get(socket.path_params["side"])
    if side is None:
        await refuse(socket, NOT_OPEN)
        return
    stage = site.place(situation)
    wanted = wanted_of(situation, socket.path_params["number"], PLAY, side)
    if wanted is None or wanted.pair is None or not may_see(stage, wanted, site.config):
        await refuse(socket, "this game is not open to you any more")
        return
    person: Participant = situation.participant
    words = site.texts.get(person.language) or next(iter(site.texts.values()))
    seed = play_seed(site.config, wanted.pair, person.number)
    site.page_plays.drop((wanted.pair.id, side))
    await site.plays.join(Side(wanted.pair, side, seed, site.items[wanted.pair.item(side)], words), socket)


# -- voting ------------------------------------------------------------------------------------------------------------


@for_participants
async def vote_page(visit: Visit, situation: Situation) -> Response:
    """The questions about a pair."""
    stage = visit.site.place(situation)
    wanted = wanted_of(situation, visit.request.path_params["number"], VOTE)
    if wanted is None or wanted != stage:
        return await to_stage(visit, situation)
    return _vote_page(visit, stage)


def _vote_page(visit: Visit, stage: Stage, fields: dict[str, str] | None = None, *, twice: bool = False) -> Response:
    pair = stage.pair
    assert pair is not None
    check = pair.check == INSTRUCTED
    position, total = pair.position + 1, visit.site.pairing.total
    return visit.page(
        "vote", 200 if fields is None else 422, pair=pair, position=position, total=total, check=check,
        given=fields or {}, sent=fields is not None, last=position == total, longest=LONGEST_REASON,
        sides=SIDE_NAMES[: len(pair.items)], questions=visit.site.config.questions_about(pair.check), twice=twice,
        instruction=visit.say("check", answer=visit.words[pair.expected]) if check else "",
    )  # fmt: skip


@for_participants
async def vote(visit: Visit, situation: Situation) -> Response:
    """Take a vote. Whatever comes a second time changes nothing and leads on."""
    fields = await visit.form()
    site = visit.site
    stage = site.place(situation)
    wanted = wanted_of(situation, visit.request.path_params["number"], VOTE)
    if wanted is None or wanted != stage or wanted.pair is None:
        return await to_stage(visit, situation)
    pair = wanted.pair
    questions = site.config.questions_about(pair.check)
    answers = {q.name: fields[f"q-{q.name}"] for q in questions if f"q-{q.name}" in fields}
    check = pair.check == INSTRUCTED
    scales = {} if check else _scales(site.config, fields, SIDE_NAMES[: len(pair.items)])
    twice = site.config.contradicts(answers)
    if len(answers) < len(questions) or scales is None or twice:
        return _vote_page(visit, stage, fields, twice=twice)
    reason = fields.get("reason", "").replace("\r\n", "\n").strip()[:LONGEST_REASON] if site.config.reason else ""
    reason = "".join(char for char in reason if char.isprintable() or char in "\n\t")
    new = await site.threads.write(site.store.vote, pair, answers, reason=reason, scales=scales)
    await site.close_pair(pair.id)
    if new:
        voted = [*situation.pairs[:-1], replace(pair, voted=time.time())]
        return await to_stage(visit, replace(situation, pairs=voted))
    assert visit.secret is not None
    fresh = await site.situation(visit.secret)  # another request was faster
    return visit.go("/") if fresh is None else await to_stage(visit, fresh)


def _scales(config: StudyConfig, fields: dict[str, str], sides: Sequence[str]) -> dict[str, Any] | None:
    """The answers on the scales: a number from 1, or one for each side where each is asked about; None when one is
    missing.

    Raises:
        Refused: for numbers that are not on the scale.
    """
    found: dict[str, Any] = {}
    for scale in config.scales:
        names = [f"s-{scale.name}-{side}" for side in sides] if scale.each else [f"s-{scale.name}"]
        given = [fields.get(name, "") for name in names]
        if not all(given):
            return None
        if not set(given) <= {str(point) for point in range(1, scale.points + 1)}:
            raise Refused(f"the scale `{scale.name}` goes from 1 to {scale.points}")
        numbers = [int(text) for text in given]
        found[scale.name] = numbers if scale.each else numbers[0]
    return found
