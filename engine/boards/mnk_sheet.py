"""m,n,k-games as rule sheets in the Game Description Language, written from their parameters."""

from __future__ import annotations

from pcg.engine.boards.mnk import LINES, MnkGame
from pcg.engine.boards.mnk_kernel import WAYS

_ROLES = ("first", "second")
_FIXED = """
(role first)
(role second)

(init (turn first))
(init (stage 0))

(<= (legal ?who (place ?row ?column))
    (true (turn ?who))
    (cell ?row ?column)
    (not (taken ?row ?column)))
(<= (legal ?who wait)
    (role ?who)
    (not (true (turn ?who))))

(<= (next (piece ?row ?column ?who))
    (does ?who (place ?row ?column)))
(<= (next (piece ?row ?column ?who))
    (true (piece ?row ?column ?who)))
(<= (next (turn ?next))
    (true (stage ?stage))
    (after ?stage ?next))
(<= (next (stage ?next))
    (true (stage ?stage))
    (follows ?stage ?next))

(<= terminal
    (line ?who))
(<= terminal
    (not room))
(<= (goal ?who 100)
    (winner ?who))
(<= (goal ?who 50)
    (role ?who)
    (not (line first))
    (not (line second)))
(<= (goal ?who 0)
    (role ?who)
    (winner ?other)
    (distinct ?who ?other))

(<= (taken ?row ?column)
    (true (piece ?row ?column ?who)))
(<= room
    (cell ?row ?column)
    (not (taken ?row ?column)))
(<= (cell ?row ?column)
    (row ?row)
    (column ?column))

(<= (base (turn ?who))
    (role ?who))
(<= (base (stage ?stage))
    (follows ?stage ?next))
(<= (base (piece ?row ?column ?who))
    (cell ?row ?column)
    (role ?who))
(<= (input ?who (place ?row ?column))
    (cell ?row ?column)
    (role ?who))
(<= (input ?who wait)
    (role ?who))
"""


def rule_sheet(game: MnkGame) -> str:
    """Return the rules of a game in GDL, for roles `first` and `second`.

    A move that places several pieces becomes as many turns of one player in which the other waits. Stages count the
    turns of the opening; after it the players alternate.

    Example:
        >>> from pcg.engine import gdl
        >>> sheet = gdl.load(rule_sheet(MnkGame(3, 3, 3, opening=(2, 1))))
        >>> state = sheet.start()
        >>> state.advance(["(place 2 2)", "wait"])
        >>> len(state.legal("first")), state.legal("second")
        (8, ('wait',))
    """
    parts = [f"; {_describe(game)}", _FIXED]
    parts.append(" ".join(f"(row {row})" for row in range(1, game.rows + 1)))
    parts.append(" ".join(f"(column {column})" for column in range(1, game.columns + 1)))
    parts.append("\n".join(_stages(game)))
    for player, role in enumerate(_ROLES):
        parts.append(f"(<= (winner {_ROLES[1 - player] if game.misere else role})\n    (line {role}))")
        lines = _lines(game, player)
        # A role without lines would leave `line` undefined; this one never holds.
        parts += lines or [f"(<= (line {role})\n    (true (piece 0 0 {role})))"]
    return "\n\n".join(parts) + "\n"


def _stages(game: MnkGame) -> list[str]:
    """Facts `(after STAGE WHO)`: whose turn comes after a stage; the last two stages alternate."""
    turns = [0] * game.opening[0] + [1] * game.opening[1] + [0, 1]
    last = len(turns) - 1
    facts = []
    for stage in range(len(turns)):
        following = stage + 1 if stage < last else last - 1
        facts.append(f"(after {stage} {_ROLES[turns[following]]}) (follows {stage} {following})")
    return facts


def _lines(game: MnkGame, player: int) -> list[str]:
    """One rule for every place where a line can be."""
    rules = []
    for first, step in game.windows(player).tolist():
        cells = [first + k * step for k in range(game.length[player])]
        pieces = [f"(true (piece {c // game.columns + 1} {c % game.columns + 1} {_ROLES[player]}))" for c in cells]
        rules.append(f"(<= (line {_ROLES[player]})\n    " + "\n    ".join(pieces) + ")")
    return rules


def _describe(game: MnkGame) -> str:
    """The rules in one line of English."""
    ends = "loses" if game.misere else "wins"
    text = f"A board of {game.rows} rows and {game.columns} columns."
    for player, role in enumerate(_ROLES):
        ways = [WAYS[k] for k in range(4) if LINES[game.lines[player]] >> k & 1]
        kind = "in any direction" if len(ways) == 4 else game.lines[player]
        text += f" {game.length[player]} pieces of the {role} player in a row, {kind}: it {ends}."
        if game.opening[player] > 1:
            text += f" It places {game.opening[player]} pieces in its first move."
    return text
