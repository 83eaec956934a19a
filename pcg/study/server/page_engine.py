"""Everything with which a page plays by itself: kernels, scripts, and the image of a level (`pcg.export`).

All of it is served under names made of its content, so that browsers keep it for good.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import logging
from dataclasses import dataclass, field

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export.bundle import bundle
from pcg.export.kernels import page_module
from pcg.export.page import source

SCRIPTS = ("machine.mjs", "game.js", "frames.js", "clock.js")
"""Scripts of exported pages that play; all that shows and listens is the study's own player."""
KERNELS = "kernels.wasm"

log = logging.getLogger("pcg.study")


@dataclass(frozen=True, slots=True)
class Engine:
    """Kernels and scripts.

    Attributes:
        name: of this version, for the address.
        files: name -> content.
    """

    name: str
    files: dict[str, bytes] = field(repr=False)


@functools.cache
def page_engine() -> Engine | None:
    """Return the engine of pages; None where there are no kernels for browsers, and games run on the server."""
    try:
        files = {KERNELS: page_module().code, **{name: source(name).encode() for name in SCRIPTS}}
    except PcgError as error:
        log.warning("games run on the server: there are no kernels for browsers (%s)", error)
        return None
    found = hashlib.blake2b(digest_size=8)
    for name, content in files.items():
        found.update(name.encode() + content)
    return Engine(found.hexdigest(), files)


def level_image(game: Game, level: str) -> bytes | None:
    """Return a level as a page takes it, as JSON; None for games that need more than the kernels of pages have.

    Args:
        game: the game.
        level: its text.
    """
    alone = Game(game.definition, name=game.name, levels=[level], reading=game.reading)
    try:
        made = bundle(alone, agents={})
    except PcgError as error:
        log.warning("%s runs on the server: %s", game.name, error)
        return None
    if any(not function.module.startswith("pcg.") for function in made.functions):
        return None
    about = {name: value for name, value in made.about.items() if name not in ("text", "sheet", "agents", "title")}
    image = {"about": about, "data": base64.b64encode(made.data).decode()}
    return json.dumps(image, separators=(",", ":"), ensure_ascii=False).encode()
