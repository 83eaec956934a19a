"""A game as text, as a run keeps it in its folder and sends it to its workers."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, load, refuse_board_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament.games import Entry, select_levels
from pcg.runs.store import write_whole


@dataclass(frozen=True)
class GameText:
    """A game that can be sent to another process or machine and is the same there.

    Attributes:
        name: built-in name or file stem.
        source: text of the game.
        levels: texts of its levels.
        reading: "strict" or "gvgai".
    """

    name: str
    source: str
    levels: tuple[str, ...]
    reading: str

    @classmethod
    def of(cls, game: Game) -> GameText:
        """Return the text of a loaded game.

        Raises:
            PcgError: it is a board game, which has neither sprites nor levels.
        """
        refuse_board_game(game)
        return cls(game.name, game.definition.source, tuple(game.levels), game.reading)

    def load(self) -> Game:
        """Parse the game."""
        made = load(
            self.source if "\n" in self.source else self.source + "\n", levels=self.levels, reading=self.reading
        )
        return Game(made.definition, self.levels, name=self.name, reading=self.reading)

    def write(self, folder: Path) -> None:
        """Put the game and its levels into a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "game.vgdl", self.source)
        for k, level in enumerate(self.levels):
            write_whole(folder / f"lvl{k}.txt", level)

    @classmethod
    def read(cls, folder: Path, name: str, reading: str) -> GameText:
        """Return the game in a folder.

        Args:
            folder: that `write` filled.
            name: of the game.
            reading: "strict" or "gvgai".

        Raises:
            PcgError: something of it is missing.
        """
        levels = sorted(folder.glob("lvl*.txt"), key=lambda p: int(p.stem[3:]))
        try:
            source = (folder / "game.vgdl").read_text(encoding="utf-8")
            texts = tuple(p.read_text(encoding="utf-8") for p in levels)
        except OSError as error:
            raise PcgError(f"{folder.parent} lacks its game: {error.filename}: {error.strerror}") from None
        return cls(name, source, texts, reading)

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of the game: `name`, `reading` and `sha256` of its text."""
        return {"name": self.name, "reading": self.reading, "sha256": sha256(self.source.encode()).hexdigest()}

    def select_levels(self, text: str) -> list[int]:
        """Return the numbers of the levels that are meant, as in "all" or "0-2,4".

        Raises:
            PcgError: when the game has no levels, or none of those.
        """
        if not self.levels:
            raise PcgError(f"{self.name} has no levels to play: expected files such as {self.name}_lvl0.txt beside it")
        return select_levels(text, [Entry(self.name, "", "", 1, len(self.levels), "")])[self.name]
