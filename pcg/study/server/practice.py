"""Practice: a level of each game that participants try before their first pair with that game.

The page explains the game, and participants leave it when they are ready. The answers to questionnaires record that the
game was tried, so that it is shown once. The plays are kept in the memory of this process and are not stored.
"""

from __future__ import annotations

from starlette.websockets import WebSocket

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.server.levels import Playable
from pcg.study.server.plays import TRY_AGAIN, StudyPlays
from pcg.web.guard import Refused
from pcg.web.player.pace import Pace
from pcg.web.player.server import PlayServer, Seat

IDLE_S = 600.0
"""Plays without a connection are forgotten after so many seconds."""


class PracticeSeat(Seat):
    """A play of a level for practice; it can be restarted at any time and runs at the study's speed."""

    async def set_pace(self, pace: Pace) -> None:
        """Refuse: all participants play at the same speed."""
        raise PcgError("the speed is the same for everybody in a study")


class PracticePlays(PlayServer):
    """The plays of practice of one server process.

    Args:
        plays: those of the study, which serve the sheets of sprites.
        most: plays at once.
    """

    def __init__(self, plays: StudyPlays, *, most: int) -> None:
        super().__init__(most=most, idle_s=IDLE_S)
        self._plays = plays

    async def join(self, participant: str, playable: Playable, seed: int, socket: WebSocket) -> None:
        """Let a participant try a level until the connection ends; a participant who returns goes on with it.

        Args:
            participant: id.
            playable: the level.
            seed: of its chance.
            socket: the connection.
        """
        token = f"{participant}/{playable.item.id}"
        if token not in self._seats:
            try:
                self._make_room()
            except Refused as error:  # the player in the browser tries again
                await socket.accept()
                await socket.close(TRY_AGAIN, str(error))
                return
            session = playable.session(seed)
            self._seats[token] = PracticeSeat(token, session)
            self._plays.add_sheet(session.sheet)
        await self.attend(self._seats[token], socket)
