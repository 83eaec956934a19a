"""Bad input at the command line: one error that names the place and what would do, exit code 2, and nothing written."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcg.cli import app

GAME = """\
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        gem > Immovable color=GOLD
        cat > Chaser stype=hero cooldown=3 color=ORANGE
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        cat wall > stepBack
        gem hero > killSprite scoreChange=1
        hero cat > killSprite
    LevelMapping
        . > floor
        g > floor gem
        c > floor cat
        A > floor hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=gem limit=0 win=True
"""
LEVEL = "wwwww\nwA.gw\nwwwww\n"
BOARD = "`hex` is a board game (a rule sheet) and has no levels; expected a VGDL game"


@dataclass(frozen=True)
class Bad:
    """A command on bad input and what its one error says.

    Attributes:
        command: words behind `pcg`, with GAME and LEVEL for the files.
        says: what the error has: the place, the offending text, what would do.
        game: (old, new) texts: what is changed in the game.
        level: text of the level file.
        once: a text that must be there only once; the word `error: ` by default.
        given: text on standard input.
    """

    command: str
    says: tuple[str, ...]
    game: tuple[str, str] | None = None
    level: str = LEVEL
    once: str = field(default="")
    given: str = ""


def change(old: str, new: str, place: str, *says: str) -> list[Bad]:
    """Return a mistake in the game text, for the checker and for a command that reads games."""
    return [
        Bad(f"{command} GAME", (place, *says), (old, new), once="error: ")
        for command in ("check", "levels --evaluations 1 --out made")
    ]


TABLE = [
    # texts of games, for the checker and for a command that makes something of them
    *change("Chaser", "Chasser", "game.vgdl:5:15", "unknown sprite class `Chasser`", "did you mean `Chaser`?"),
    *change("killSprite\n", "killSpritee\n", "game.vgdl:11:20", "unknown effect", "did you mean `killSprite`?"),
    *change("SpriteCounter stype=gem", "SpriteCountr stype=gem", "game.vgdl:19:9", "did you mean `SpriteCounter`?"),
    *change("hero cat >", "hero kat >", "game.vgdl:11:14", "unknown sprite `kat`", "did you mean `cat`?"),
    *change("InteractionSet", "InteractonSet", "game.vgdl:7:5", "did you mean `InteractionSet`?"),
    *change("        cat > C", "\tcat > C", "game.vgdl:5:2", "indented with a tab, line 2 with blanks"),
    *change("hero > MovingAvatar", "hero MovingAvatar", "game.vgdl:6:9", "`>` is missing", "name > [Class]"),
    *change("hero wall > stepBack", "hero wall stepBack", "game.vgdl:8:27", "`>` is missing"),
    *change("cooldown=3", "cooldown=often", "game.vgdl:5:42", "`cooldown=often` does not fit", "an integer"),
    *change("BasicGame", "BasicGam", "game.vgdl:1:1", "`BasicGam`", "BasicGame"),
    # names and numbers
    Bad("check dungon", ("no game `dungon`", "did you mean `dungeon`?")),
    Bad("generate dungeon", ("no command `generate`", "did you mean `pcg levels GAME`")),
    Bad("help levels", ("no command `help`", "`pcg COMMAND --help`")),
    Bad("levels dungon", ("no game `dungon`", "did you mean `dungeon`?")),
    Bad("play missing.txt", ("no game `missing.txt`", "there is no such file")),
    Bad("play gme.vgdl", ("no game `gme.vgdl`", "did you mean `game.vgdl`?")),
    Bad("check zzzzzz", ("no game `zzzzzz`", "`pcg list games`")),
    Bad("tournament --games dungon --agents random -o t", ("no game `dungon`", "did you mean `dungeon`?")),
    Bad("minimise dungeon --levels 0,x", ("levels `0,x`: `x`", "such as 0-2,4")),
    Bad("measure dungeon 9", ("dungeon has no level 9", "expected 0 to 4")),
    Bad("prove dungeon 9", ("dungeon has no level 9", "expected 0 to 4")),
    Bad("repair dungeon 9", ("dungeon has no level 9", "expected 0 to 4")),
    Bad("levels dungeon --generator evolv", ("unknown level generator `evolv`", "did you mean `evolve`?")),
    Bad("play dungeon --agent mtcs", ("unknown agent `mtcs`", "did you mean `mcts`?")),
    Bad("play dungeon --agent mcts:dpth=3", ("no parameter `dpth`", "did you mean `depth`?")),
    Bad("tournament --games dungeon --agents randm -o t", ("unknown agent `randm`", "did you mean `random`?")),
    Bad("levels dungeon --target enemis=2", ("column 1", "`enemis`", "did you mean `enemies`?")),
    Bad("levels dungeon --set generator.elite=5", ("`elite`", "did you mean `elites`?")),
    Bad("levels dungeon --executor thread", ("--executor thread", "did you mean `threads`?")),
    Bad("ontology Chasr", ("`Chasr`", "did you mean `Chaser`?")),
    Bad("check zelda", ("no game `zelda`", "`pcg list games` names these, and the path of a file works too")),
    Bad("check no_game", ("no game `no_game`", "the folder has no file game.vgdl")),
    # how the command is written
    Bad("levels", ("`pcg levels` needs a game: `pcg list games` names those built in, and a file will do",)),
    Bad("measure dungeon", ("`pcg measure` needs levels: files, or numbers of the game's levels",)),
    Bad("resume", ("`pcg resume` needs a folder",)),
    Bad("study new", ("`pcg study new` needs a name: folder to be made",)),
    Bad("tune dungeon", ("`pcg tune` needs the option `--target`: what the game is to be like",)),
    Bad("levls dungeon", ("`pcg` has no command `levls`, did you mean `levels`?",)),
    Bad("study nw x", ("`pcg study` has no command `nw`, did you mean `new`?",)),
    Bad("zzzz", ("`pcg` has no command `zzzz`; `pcg --help` lists them",)),
    Bad("-q", ("`pcg` needs a command; `pcg --help` lists them",)),
    Bad("levels dungeon --sed 3", ("`pcg levels` has no option `--sed`, did you mean `--seed`?",)),
    Bad("judge dungeon --agents mcts", ("`pcg judge` has no option `--agents`; see `pcg judge --help`",)),
    Bad("levels dungeon -x", ("`pcg levels` has no option `-x`; see `pcg levels --help`",)),
    Bad("--json list games", ("`--json` stands behind the command: `pcg list ... --json`",)),
    Bad("levels dungeon more words", ("`more words` are 2 words too many for `pcg levels`",)),
    Bad("export dungeon -o", ("`-o` needs a value; see `pcg export --help`",)),
    Bad("levels dungeon --json=3", ("`--json` does not take a value; see `pcg levels --help`",)),
    Bad("levels dungeon -n many", ("--count many: expected an integer",)),
    Bad("levels dungeon --count=0", ("--count 0: expected at least 1",)),
    Bad("judge dungeon --effort x", ("--effort x: expected a number",)),
    Bad("judge dungeon --effort 1e9", ("--effort 1e9: expected at most 1000",)),
    Bad("check dungeon --reading gvgi", ("--reading gvgi: expected strict or gvgai, did you mean `gvgai`?",)),
    Bad("judge dungeon --levels 7", ("dungeon has none of the levels 7",)),
    Bad("judge hex --levels 0", ("--levels 0", "`hex` is a board game")),
    Bad("format dungeon --write", ("--write replaces a file, and `dungeon` is none",)),
    # texts of other kinds
    Bad("levels GAME", ("game.vgdl:1:1", "this is no game", "a line `BasicGame`"), (GAME, "Notes\n=====\nBasicGame\n")),
    Bad("check GAME", ("game.vgdl:3:1", "this is no game"), (GAME, "# Notes\n\nMany words,\n    SpriteSet: none.\n")),
    Bad("check LEVEL", ("level.txt:1:1", "this looks like a level", "`pcg check GAME LEVEL`")),
    Bad("describe -", ("this is no game",), given="Many words,\nno rules.\n"),
    Bad("measure dungeon -", ("-", "expected"), given="wz\n"),
    Bad("levels -", ("expected a file, not standard input",), given=GAME),
    Bad("prove -", ("game has no levels",), given=GAME),
    Bad("list gams", ("`gams`", "did you mean `games`?")),
    # budgets name their unit, in every command that has one
    Bad("levels dungeon --budget 300", ("--budget 300", "did you mean `300evaluations`?")),
    Bad("rules dungeon --budget 300", ("--budget 300", "did you mean `300evaluations`?")),
    Bad("games evolve dungeon --budget 300", ("--budget 300", "did you mean `300evaluations`?")),
    Bad("tune dungeon --target win_rate:mcts=1 --budget 9", ("--budget 9", "did you mean `9evaluations`?")),
    Bad("resume nowhere --budget 9", ("--budget 9", "did you mean `9evaluations`?")),
    Bad("play dungeon --agent mcts --budget 300", ("--budget 300", "did you mean `300calls`?")),
    Bad("minimise dungeon --budget 300", ("--budget 300", "did you mean `300calls`?")),
    Bad("tournament --games boxes --agents random --budget 9 -o t", ("--budget 9", "did you mean `9calls`?")),
    Bad("prove dungeon --budget 300", ("--budget 300", "did you mean `300calls`?")),
    Bad("levels dungeon --budget 5x", ("--budget 5x", "5m")),
    # board games where levels are needed
    *(
        Bad(f"{words} hex", (BOARD,))
        for words in ("levels", "rules", "breed", "games evolve", "describe", "render", "prove", "minimise")
    ),
    Bad("repair hex 0", (BOARD,)),
    Bad("measure hex 0", (BOARD,)),
    Bad("tune hex --target win_rate:mcts=0.5", (BOARD,)),
    # levels
    Bad("measure GAME LEVEL", ("level.txt:2:3", "`z` is not mapped", "expected one of"), level="wwwww\nwAzgw\nwwwww\n"),
    Bad("measure GAME LEVEL", ("level.txt:2:3", "2 avatars for 1 player"), level="wwwww\nwAAgw\nwwwww\n"),
    Bad("measure GAME LEVEL", ("level.txt", "no avatar", "expected 1 avatar"), level="wwwww\nw..gw\nwwwww\n"),
    Bad("measure GAME LEVEL", ("level.txt", "expected at least one character"), level=""),
    Bad("measure GAME missing.txt", ("missing.txt", "No such file")),
    Bad("prove GAME missing.txt", ("missing.txt", "No such file")),
    # files and folders
    Bad("describe dungeon --out no/such/folder.txt", ("`no/such/folder.txt`", "No such file")),
    Bad("resume nowhere", ("nowhere is no run", "run.json")),
    Bad("levels dungeon --load missing.py", ("missing.py", "no such Python file")),
    Bad("study check nowhere", ("there is no study at nowhere", "pcg study new")),
]  # fmt: skip


def test_the_table_is_long() -> None:
    assert len(TABLE) >= 40


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: f"{bad.command} {bad.game[1] if bad.game else ''}".strip())
def test_bad_input_gives_one_error_with_its_place_and_writes_nothing(
    bad: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    text = GAME
    if bad.game is not None:
        assert bad.game[0] in GAME
        text = GAME.replace(*bad.game, 1)
    (tmp_path / "game.vgdl").write_text(text)
    (tmp_path / "level.txt").write_text(bad.level)
    (tmp_path / "no_game").mkdir()
    before = set(tmp_path.rglob("*"))
    names = {"GAME": "game.vgdl", "LEVEL": "level.txt"}
    words = [names.get(word, word) for word in shlex.split(bad.command)]
    result = CliRunner().invoke(app, words, input=bad.given)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output and (result.exception is None or isinstance(result.exception, SystemExit))
    for text in bad.says:
        assert text in result.stderr
    assert not any(mark in result.stderr for mark in ("Usage:", "╭", "Invalid value"))
    if bad.once:
        assert result.stderr.count(bad.once) == 1, result.stderr
    elif not bad.command.startswith("check"):
        assert result.stderr.count("pcg: ") == 1, result.stderr
    assert set(tmp_path.rglob("*")) == before
