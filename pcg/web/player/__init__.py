"""Playing a level in a browser: the engine runs here, the browser draws frames and sends keys.

    PlaySession     one play: keys in, frames out, all of it recorded
    Recording       a play on record, checked by playing it again
    PlayServer      plays over websockets, for a starlette application
    Pace            ticks a second, or by turn

The browser's half is in `static` (`player.js`, `board.js`, `player.css`); docs/web.md describes the messages between
the two. Nothing here knows of archives or studies.
"""

from pcg.web.player.frames import FrameWriter, replay_frames
from pcg.web.player.pace import Pace, natural_pace
from pcg.web.player.recording import Press, Recording, Result
from pcg.web.player.server import PlayServer
from pcg.web.player.session import PlaySession
from pcg.web.player.sprite_sheet import SpriteSheet, sheet_for

__all__ = [
    "FrameWriter",
    "Pace",
    "PlayServer",
    "PlaySession",
    "Press",
    "Recording",
    "Result",
    "SpriteSheet",
    "natural_pace",
    "replay_frames",
    "sheet_for",
]
