"""Pictures of games: PNG, GIF and a coloured terminal view, drawn with our own 16x16 tiles.

`rgb_array`, `render_png`, `render_level`, `contact_sheet` (module `picture`), `render_gif` (`animation`) and
`render_ansi` (`terminal`). Nothing is imported until it is used: the command line starts without numpy and PIL.
"""

from typing import TYPE_CHECKING

from pcg.callable_module import make_callable as _make_callable
from pcg.engine.lazy_exports import lazy_exports as _lazy_exports

if TYPE_CHECKING:
    from pcg.render.animation import render_gif as render_gif
    from pcg.render.animation import write_gif as write_gif
    from pcg.render.picture import contact_sheet as contact_sheet
    from pcg.render.picture import render_cells as render_cells
    from pcg.render.picture import render_level as render_level
    from pcg.render.picture import render_png as render_png
    from pcg.render.picture import rgb_array as rgb_array
    from pcg.render.terminal import render_ansi as render_ansi

_make_callable(__name__, "pcg.api:render")

_EXPORTS = {
    "contact_sheet": "picture",
    "render_ansi": "terminal",
    "render_cells": "picture",
    "render_gif": "animation",
    "render_level": "picture",
    "render_png": "picture",
    "rgb_array": "picture",
    "write_gif": "animation",
}

__all__ = [
    "contact_sheet",
    "render_ansi",
    "render_cells",
    "render_gif",
    "render_level",
    "render_png",
    "rgb_array",
    "write_gif",
]


__getattr__, __dir__ = _lazy_exports(__name__, _EXPORTS)
