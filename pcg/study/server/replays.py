"""Replays in the browser: frames of stored plays, for those who played them and for the researcher."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.study.rows import Play, Situation
from pcg.study.server.levels import Playable
from pcg.study.server.pages import Visit
from pcg.study.server.participate import for_participants, side_to_vote
from pcg.study.server.site import Site
from pcg.study.server.stages import INSTRUCTED
from pcg.web.guard import Refused
from pcg.web.player.frames import FrameWriter

MOST_TICKS = 2400
"""Ticks of a replay at most; of longer plays it shows the last ones."""
MOST_KEPT = 50
"""Replays that are kept in memory."""
NO_STORE = {"cache-control": "no-store"}


def routes() -> list[BaseRoute]:
    """The addresses of this module."""
    return [Route("/pair/{number:position}/{side}/replay.json", own_replay)]


@for_participants
async def own_replay(visit: Visit, situation: Situation) -> Response:
    """The last play of one side of the pair that is to be voted on, for who played it."""
    site = visit.site
    pair, side = side_to_vote(visit, situation)
    if not site.config.replays or pair.check == INSTRUCTED:
        raise Refused("there is nothing at this address", 404)
    plays = [play for play in await site.threads.read(site.store.plays_of, pair.id) if play.side == side]
    played = [play for play in plays if play.ticks]
    if not played:
        return JSONResponse({"frames": []}, headers=NO_STORE)
    return await replay_answer(site, site.items[pair.item(side)], played[-1])


async def replay_answer(site: Site, playable: Playable, play: Play) -> Response:
    """Return a play as frames, which `replay.js` shows."""
    sheet = playable.session(play.seed).sheet
    address = f"{site.root}{site.plays.add_sheet(sheet)}"
    key = (play.id, play.ticks)
    shown = site.replays.get(key)
    if shown is None:  # whoever asks for it again and again takes no time from those who play
        shown = site.replays[key] = await site.threads.play(replay_of, playable, play)
        while len(site.replays) > MOST_KEPT:
            del site.replays[next(iter(site.replays))]
    return JSONResponse({**shown, "sheet": {"url": address, **sheet.describe()}}, headers=NO_STORE)


def replay_of(playable: Playable, play: Play) -> dict[str, Any]:
    """Return the frames of a play: a whole one, and what each tick changed.

    Keys: width, height (cells), block (pixels of the game), speed (ticks a second), first (tick of the first frame),
    frames.
    """
    actions = decode_play(play.actions)
    state = playable.game.start("\n".join(playable.game.read_level(playable.item.level).rows), seed=play.seed)
    skipped = max(0, len(actions) - MOST_TICKS)
    writer = FrameWriter(playable.game)
    frames: list[dict[str, Any]] = []
    try:
        for action in actions[:skipped]:
            state.advance(action)
        frames.append(writer.whole(state))
        for action in actions[skipped:]:
            state.advance(action)
            frames.append(writer.changes(state))
    except PcgError:
        pass  # a play that the engine could not go on with is shown as far as it went
    return {"width": state.width, "height": state.height, "block": state.block_size,
            "speed": playable.pace.ticks_per_second, "first": skipped, "frames": frames}  # fmt: skip
