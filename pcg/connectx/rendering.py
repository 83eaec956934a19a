"""Showing an episode: the board as text, and a page that plays it, complete in itself."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pcg.connectx.configuration import FAULTS
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

if TYPE_CHECKING:
    from pcg.connectx.environment import Environment

_WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
_COLOURS = ("", "\033[93m", "\033[91m")
_END = "\033[0m"


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Options of the page.

    Sizes are in pixels, `speed` in steps per second; `step` -1 is the last one. With `play` whoever reads the page can
    play on from any step, against a search in the page.
    """

    width: int = 520
    height: int = 640
    step: int = 0
    autoplay: bool = True
    speed: float = 1.5
    controls: bool = True
    header: bool = True
    play: bool = True


def read_options(given: Mapping[str, Any]) -> PageOptions:
    """The options of a page.

    Raises:
        PcgError: an unknown one (with the nearest known one), or a value of the wrong type or out of range.
    """
    defaults: dict[str, Any] = {field.name: field.default for field in fields(PageOptions)}
    lows = {"width": 50, "height": 50, "step": -1, "speed": 0.01}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in defaults:
            hint = did_you_mean(name, defaults, f" (there are: {', '.join(defaults)})")
            raise PcgError(f"render has no option `{name}`{hint}")
        kind = type(defaults[name])
        wanted = (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            noun = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
            raise PcgError(f"render: `{name}` is {value!r}, expected {noun}")
        if name in lows and not lows[name] <= value <= 10_000:
            raise PcgError(f"render: `{name}` is {value!r}, expected {lows[name]} to 10000")
        values[name] = value
    return PageOptions(**values)


def names_of(env: Environment) -> tuple[str, str]:
    """Return the names of the two agents."""
    names = env.info.get("TeamNames")
    if isinstance(names, list) and len(names) == 2:
        return str(names[0]), str(names[1])
    return "agent 1", "agent 2"


def outcome_of(env: Environment) -> str:
    """One line on how the episode stands or has ended."""
    state = env.state
    called = [name if name == f"agent {k + 1}" else f"{name} ({k + 1})" for k, name in enumerate(names_of(env))]
    for place, agent in enumerate(state):
        if agent.status in FAULTS:
            said = agent.info.get("error", "")
            return f"{called[place]}: {agent.status}" + (f", {said}" if said else "")
    if not env.done:
        mover = next((place for place, agent in enumerate(state) if agent.status == "ACTIVE"), 0)
        return f"{called[mover]} is to move"
    if state[0].reward == state[1].reward:
        full = all(state[0].observation.board)
        return "drawn, the board is full" if full else f"drawn after {len(env.steps) - 1} steps"
    return f"{called[0 if state[0].reward == 1 else 1]} has won"


def text(env: Environment, *, colour: bool = False) -> str:
    """The last board, the number of each column below it, and how the episode stands."""
    columns = env.configuration.columns
    cells = env.state[0].observation.board
    size = max(len(str(columns - 1)), 1)
    rule = "+" + ("-" * (size + 2) + "+") * columns
    lines = [rule]
    for at in range(0, len(cells), columns):
        marks = []
        for cell in cells[at : at + columns]:
            mark = (str(cell) if cell else " ").rjust(size)
            marks.append(f" {_COLOURS[cell]}{mark}{_END} " if colour and cell else f" {mark} ")
        lines += ["|" + "|".join(marks) + "|", rule]
    lines.append("".join(f"  {str(k).rjust(size)} " for k in range(columns)).rstrip())
    lines.append(outcome_of(env))
    return "\n".join(lines)


def winning_cells(cells: list[int], rows: int, columns: int, inarow: int) -> list[int]:
    """The cells of all lines on a board."""
    found: set[int] = set()
    for row in range(rows):
        for column in range(columns):
            mark = cells[row * columns + column]
            for down, across in _WAYS:
                reach_row, reach = row + down * (inarow - 1), column + across * (inarow - 1)
                if not mark or not (0 <= reach_row < rows and 0 <= reach < columns):
                    continue
                line = [(row + k * down) * columns + column + k * across for k in range(inarow)]
                if all(cells[cell] == mark for cell in line):
                    found.update(line)
    return sorted(found)


def episode(env: Environment) -> dict[str, Any]:
    """Return what the page needs of an episode: the first board, the cell that every step filled, and how it ended."""
    config = env.configuration
    boards = [state[0].observation.board for state in env.steps]
    moves = []
    for before, after in pairwise(boards):
        changed = [cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        moves.append(None if not changed else [changed[0], after[changed[0]]])
    last = boards[-1]
    return {
        "rows": config.rows,
        "columns": config.columns,
        "inarow": config.inarow,
        "names": list(names_of(env)),
        "board": boards[0],
        "moves": moves,
        "line": winning_cells(last, config.rows, config.columns, config.inarow),
        "statuses": [agent.status for agent in env.state],
        "rewards": [agent.reward for agent in env.state],
        "outcome": outcome_of(env),
    }


@cache
def _template() -> str:
    files = resources.files("pcg.connectx")
    opponent = files.joinpath("opponent.js").read_text(encoding="utf-8")
    return files.joinpath("player.html").read_text(encoding="utf-8").replace("{{opponent}}", opponent)


def page(env: Environment, options: PageOptions) -> str:
    """A page that plays the episode, and on which one can play on from any step; it loads nothing from elsewhere."""
    shown = {
        "step": options.step,
        "autoplay": options.autoplay,
        "speed": options.speed,
        "controls": options.controls,
        "header": options.header,
        "play": options.play,
    }
    data = json.dumps({"episode": episode(env), "options": shown}, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":  # nothing in the data may end the script it stands in
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    first, second = map(html.escape, names_of(env))
    return _template().replace("{{title}}", f"{first} against {second}").replace("{{data}}", data)


def show_in_notebook(env: Environment, options: PageOptions) -> None:
    """Show the page in the output of a notebook's cell.

    Raises:
        PcgError: IPython is not installed.
    """
    try:
        from IPython.display import display
    except ImportError:
        raise PcgError(
            'render mode "ipython" needs IPython, which notebooks bring along; use "html" or "ansi"'
        ) from None
    frame = (
        f'<iframe srcdoc="{html.escape(page(env, options))}" width="{options.width}" height="{options.height}" '
        'style="border:0" title="ConnectX"></iframe>'
    )
    show: Any = display
    show({"text/html": frame, "text/plain": text(env)}, raw=True)
