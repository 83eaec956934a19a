"""A state as text: in 24-bit colour for terminals, or as plain level characters.

Two coloured views. The *picture* view draws the tiles with half blocks, two pixels to a character cell. The *letter*
view needs two columns per level cell only: ground and walls are background colours, everything else is a sign of two
characters from its type's name, no two types with the same one, and the avatar is `@`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.colours import BACKDROP, RGB, mix

if TYPE_CHECKING:
    from pcg.engine.state import State
    from pcg.engine.vgdl.definition import GameDefinition
    from pcg.render.tileset import Pixels

LETTER_VIEW = 2
"""The cell width, in columns, that means the letter view."""

CELL_WIDTHS = (16, 12, 8, 6, LETTER_VIEW)
"""Widths of a level cell worth looking at, in terminal columns, widest first. At 4 letters tell more than pixels."""

RESET = "\x1b[0m"
HALF_BLOCK = "▀"
_ARROWS = {"up": "^", "left": "<", "down": "v", "right": ">", "": " "}


def fitting_cell(state: State, columns: int, lines: int) -> int:
    """The widest of `CELL_WIDTHS` with which the state fits into `columns` x `lines`; the letter view if none does."""
    for cell in CELL_WIDTHS:
        if state.width * cell <= columns and state.height * cell // 2 <= lines:
            return cell
    return LETTER_VIEW


def signs_of(definition: GameDefinition) -> dict[str, str]:
    """Return a different sign of two characters for every sprite type, by name.

    >>> import pcg
    >>> signs_of(pcg.load("invaders").definition)["bolt"]
    'Bo'
    """
    signs: dict[str, str] = {}
    for sprite in definition.types:
        name = sprite.name
        first = name[:1].upper()
        others = [*name[1:].lower(), *"0123456789"] or [" "]
        found = next((first + other for other in others if first + other not in signs.values()), None)
        signs[name] = found or f"{len(signs):02d}"[-2:]
    return signs


def legend(state: State) -> list[tuple[str, str]]:
    """Return (sign, name) of the types that the letter view shows by a sign in a state, in the order of the game.

    >>> import pcg
    >>> legend(pcg.load("boxes").start(level=0, seed=1))
    [('@', 'hero'), ('Ma', 'mark'), ('Bo', 'box')]
    """
    avatars = state.avatar if isinstance(state.avatar, tuple) else (state.avatar,)
    found = [("@", avatar.name) for avatar in avatars if avatar is not None]
    signs = signs_of(state.game.definition)
    shown = {name for name, _ in _cells(state)[1].values()}
    return found + [
        (signs[sprite.name], sprite.name)
        for sprite in state.game.definition.types
        if sprite.name in shown and ("@", sprite.name) not in found
    ]


def render_ansi(
    state: State, colour: bool = True, *, cell: int = LETTER_VIEW, window: tuple[int, int, int, int] | None = None
) -> str:
    r"""Draw a state as lines of text joined by newlines, without a final one.

    With `colour`: 24-bit SGR escapes, `width * cell` columns and `height * cell / 2` lines; `cell` is even, and 2
    means the letter view, of which `window` (column, row, columns, rows) shows a part. Without: `width` columns and
    `height` lines of level characters, no escapes.

    Raises:
        PcgError: for a `cell` that is odd or less than 2.

    >>> import pcg
    >>> state = pcg.load("boxes").start("wwwww\nwAbow\nwwwww", seed=1)
    >>> print(render_ansi(state, colour=False))
    wwwww
    wAbow
    wwwww
    """
    if not colour:
        return _plain(state)
    if cell < 2 or cell % 2:
        raise PcgError(f"cell={cell}: a level cell must be an even number of columns wide, 2 or more")
    if cell == LETTER_VIEW:
        return _letters(state, window or (0, 0, state.width, state.height))
    from pcg.render.picture import rgb_array

    return half_blocks(rgb_array(state, tile=cell))


def half_blocks(pixels: Pixels) -> str:
    """An RGB array (h, w, 3) as ceil(h / 2) lines of w upper half blocks: foreground above, background below."""
    rows = pixels.tolist()
    if len(rows) % 2:
        rows.append([list(BACKDROP)] * len(rows[0]))
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        parts: list[str] = []
        above_now: list[int] | None = None
        below_now: list[int] | None = None
        for above, below in zip(upper, lower, strict=True):
            if above != above_now:
                parts.append("\x1b[38;2;{};{};{}m".format(*above))
                above_now = above
            if below != below_now:
                parts.append("\x1b[48;2;{};{};{}m".format(*below))
                below_now = below
            parts.append(HALF_BLOCK)
        lines.append("".join(parts) + RESET)
    return "\n".join(lines)


def _plain(state: State) -> str:
    """Level characters: the one that stands for exactly a cell's sprites, else the one for its topmost sprite."""
    mapping = state.game.definition.mapping
    exact = {frozenset(names): letter for letter, names in reversed(list(mapping.items()))}
    topmost = {names[-1]: letter for letter, names in reversed(list(mapping.items())) if names}

    def letter(names: tuple[str, ...]) -> str:
        if not names:
            return " "
        return exact.get(frozenset(names)) or topmost.get(names[-1]) or names[-1][0]

    return "\n".join("".join(letter(_by_draw_order(state, names)) for names in row) for row in state.grid())


def _by_draw_order(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    definition = state.game.definition
    rank = {definition.types[kind].name: place for place, kind in enumerate(definition.draw_order)}
    return tuple(sorted(names, key=lambda name: rank.get(name, len(rank))))


def _letters(state: State, window: tuple[int, int, int, int]) -> str:
    """The letter view: per cell the colour of its ground and a sign for what stands on it."""
    from pcg.render.tileset import facing_of

    named = signs_of(state.game.definition)
    ground, things = _cells(state)
    signs = {place: (named[name], shown) for place, (name, shown) in things.items()}
    block = state.block_size
    avatars = state.avatar if isinstance(state.avatar, tuple) else (state.avatar,)
    for avatar in avatars:
        if avatar is None or avatar.disabled:
            continue
        place = ((avatar.x + avatar.w // 2) // block, (avatar.y + avatar.h // 2) // block)
        if place in signs:
            signs[place] = ("@" + _ARROWS[facing_of(avatar.orientation)], signs[place][1])
    left, top, columns, rows = window
    lines = []
    for row in range(top, min(state.height, top + rows)):
        parts = []
        for column in range(left, min(state.width, left + columns)):
            below = ground.get((column, row), BACKDROP)
            sign, above = signs.get((column, row), ("  ", below))
            parts.append("\x1b[1;38;2;{};{};{}m".format(*_legible(above, below)))
            parts.append("\x1b[48;2;{};{};{}m".format(*below) + f"{sign:<2}")
        lines.append("".join(parts) + RESET)
    return "\n".join(lines)


def _cells(state: State) -> tuple[dict[tuple[int, int], RGB], dict[tuple[int, int], tuple[str, RGB]]]:
    """Return the colour of the ground, and name and colour of what stands on it, by column and row."""
    from pcg.render.picture import painter_for, state_items

    tileset = painter_for(state.game, 16).tileset
    types = state.game.definition.types
    rank = {kind: place for place, kind in enumerate(state.game.definition.draw_order)}
    ground: dict[tuple[int, int], RGB] = {}
    things: dict[tuple[int, int], tuple[str, RGB]] = {}
    block = state.block_size
    for item in sorted(state_items(state), key=lambda item: rank.get(item.kind, len(rank))):
        # The cell under a sprite's centre, so that what moves by fractions of a cell is seen where most of it is.
        place = ((item.x + item.width // 2) // block, (item.y + item.height // 2) // block)
        look = tileset.looks[item.kind]
        shown = look.colour or tileset.tiles[look.tile].colour
        stamp = tileset.stamp(item.kind, look.tile, "", 16, 16)
        if stamp.mask is None:
            red, green, blue = (round(float(value)) for value in stamp.rgb.reshape(-1, 3).mean(axis=0))
            ground[place] = (red, green, blue)
            things.pop(place, None)
        else:
            things[place] = (types[item.kind].name, shown)
    return ground, things


def _legible(above: RGB, below: RGB) -> RGB:
    """The sign's colour, moved away from its background when the two are of nearly the same lightness."""
    light, dark = _lightness(above), _lightness(below)
    if abs(light - dark) >= 70:
        return above
    return mix(above, (255, 255, 255), 0.65) if dark < 128 else mix(above, (0, 0, 0), 0.65)


def _lightness(colour: RGB) -> float:
    red, green, blue = colour
    return 0.3 * red + 0.59 * green + 0.11 * blue
