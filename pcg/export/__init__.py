"""Games as files that play by themselves: pages for any browser, without a server, and galleries of them.

    bundle       a game with its levels as plain data and one block of bytes
    write_page   one HTML file of it
    write_site   a folder of pages with an overview, for any static host
    iframe       the markup that shows a page inside another one

The kernels of the engine and of a few agents run in the page as WebAssembly (`kernels`), on images of the game's memory
(`bundle`, `agent_images`), so that every tick and every decision is the one that Python computes, bit for bit.
docs/export.md tells users of it.
"""

from pcg.export.bundle import AGENTS, Bundle, RecordedPlay, bundle
from pcg.export.embed import Framed, iframe, play_of, player, widget
from pcg.export.page import page, write_page
from pcg.export.site import write_site
from pcg.export.sources import Exportable, all_games, one_game

__all__ = [
    "AGENTS",
    "Bundle",
    "Exportable",
    "Framed",
    "RecordedPlay",
    "all_games",
    "bundle",
    "iframe",
    "one_game",
    "page",
    "play_of",
    "player",
    "widget",
    "write_page",
    "write_site",
]
