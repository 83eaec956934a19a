"""Fuzzes what reads texts: parser, checker, formatter, level reader, in both readings, and the tables of what passes.

    python tests/fuzz/fuzz_texts.py --seeds CORPUS               # write the toolkit's own games there, to begin with
    python tests/fuzz/fuzz_texts.py CORPUS -max_total_time=600   # options behind the folder are libFuzzer's

An input is a game text and a level, with the byte 0x1e between them. Whatever it is, the outcome is a game, or an error
of the toolkit that says something.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parent))

with atheris.instrument_imports(include=["pcg", "lark"]):
    from random_texts import own_games

    from pcg.engine.game import Game
    from pcg.engine.vgdl import check_game, check_level, dumps, loads, read_game
    from pcg.engine.vgdl.diagnostics import PcgError, VGDLError

BETWEEN = b"\x1e"
TICKS = 3


def one_input(data: bytes) -> None:
    """Read, format and start one game."""
    text, _, level = (part.decode("utf-8", "surrogateescape") for part in data.partition(BETWEEN))
    text += "\n"
    try:
        tree = loads(text)
    except VGDLError as error:
        said(error)
    else:
        formatted = dumps(tree)
        if loads(formatted) != tree:
            raise AssertionError("formatting changes the game")
    for reading in ("strict", "gvgai"):
        errors = [finding for finding in check_game(text, reading=reading) if finding.severity == "error"]
        try:
            definition = read_game(text, reading=reading)
        except VGDLError as error:
            said(error)
            if not errors:
                raise AssertionError("the checker finds nothing wrong") from error
            continue
        if errors:
            raise AssertionError("the checker finds something wrong")
        check_level(level, definition, reading=reading)
        try:
            state = Game(definition, [level], reading=reading).start()
        except PcgError as error:
            said(error)
            continue
        for _ in range(TICKS):
            if state.header.slots < 400:
                state.advance((1, 2) if state.game.players == 2 else 1)


def said(error: PcgError) -> None:
    """An error has to say something."""
    if not str(error) or (isinstance(error, VGDLError) and not all(d.message for d in error.diagnostics)):
        raise AssertionError("an error without a message") from error


def write_seeds(folder: Path) -> None:
    """Put the games that come with the toolkit, whole and without comments, into a corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (text, level) in enumerate(own_games()):
        (folder / f"game-{number}").write_bytes(text.encode() + BETWEEN + level.encode())


if __name__ == "__main__":
    if "--seeds" in sys.argv:
        write_seeds(Path(sys.argv[-1]))
    else:
        atheris.Setup([*sys.argv, "-max_len=6000"], one_input)
        atheris.Fuzz()
