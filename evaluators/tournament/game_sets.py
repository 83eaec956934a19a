"""Sets of games, as the competitions have them: training, validation and test, ten games with five levels each.

Participants know the games of the training sets, are only told their rank on the validation set, and are ranked in the
end by the test set, on which every level is played five times (Perez Liebana et al., General Video Game Artificial
Intelligence, 2019, chapter 2, section 4). The sets of 2014 are named in Perez Liebana et al., The 2014 General Video
Game Playing Competition, 2016, and on the competition's pages (gvgai.net, training set 4 for the test set). Their games
are not part of this package: they are looked for in a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

ROLES = ("training", "validation", "test")
"""Roles of a set in a competition."""


@dataclass(frozen=True, slots=True)
class GameSet:
    """A set of games that agents are ranked by.

    Attributes:
        name: on the command line.
        role: "training", "validation" or "test".
        games: names of the games.
        about: a phrase for lists.
        players: of each of its games.

    >>> GAME_SETS["cig2014-test"].plays, GAME_SETS["training"].plays
    (5, 1)
    """

    name: str
    role: str
    games: tuple[str, ...]
    about: str
    players: int = 1

    @property
    def plays(self) -> int:
        """Plays of every level: five for the final ranking, else one."""
        return 5 if self.role == "test" else 1

    def sources(self, corpus: Path | str | None = None) -> list[str]:
        """Return where its games are: built-in names, or files of a folder.

        Args:
            corpus: folder with the games that are not built in, as ``NAME.txt`` and ``NAME_lvl0.txt`` and so on, in it
                or in the folders below.

        Raises:
            PcgError: no folder was named, or it lacks a game.
        """
        known = builtin_games()
        if set(self.games) <= set(known):
            return list(self.games)
        if corpus is None:
            raise PcgError(f"the games of set `{self.name}` are not built in: name the folder they are in (--corpus)")
        files: dict[str, list[Path]] = {}
        for path in sorted(Path(corpus).rglob("*.txt")):
            files.setdefault(path.stem.lower(), []).append(path)
        return [str(self._file_of(name, files.get(name.lower(), []), corpus)) for name in self.games]

    def _file_of(self, name: str, found: Sequence[Path], corpus: Path | str) -> Path:
        """Return the file of a game; one for one player may have the name of one for two."""
        chosen = next((path for path in found if load(path).players == self.players), None)
        if chosen is None:
            raise PcgError(f"set `{self.name}`: no {name}.txt in {corpus} or below")
        return chosen


_CIG_2014 = "of the competition at CIG 2014"

GAME_SETS: dict[str, GameSet] = {
    one.name: one
    for one in (
        GameSet(
            "training",
            "training",
            ("alchemy", "boxes", "crossing", "dungeon", "flyby", "hunt", "meteors", "orchard", "rally", "siege"),
            "ten built-in games",
        ),
        GameSet(
            "validation",
            "validation",
            ("bazaar", "digger", "ferry", "harvest", "invaders", "moonbase", "portals", "rebound", "snakes",
             "survival"),
            "ten other built-in games",
        ),
        GameSet(
            "test",
            "test",
            ("lode_runner", "relay", "ridge", "spire", "watchtower"),
            "the other five built-in games for one player",
        ),
        GameSet(
            "two-player",
            "training",
            ("baskets", "duel", "gates", "nectar", "tag", "wizards"),
            "the built-in games for two players",
            players=2,
        ),
        GameSet(
            "cig2014-training",
            "training",
            ("aliens", "boulderdash", "butterflies", "chase", "frogs", "missilecommand", "portals", "sokoban",
             "survivezombies", "zelda"),
            f"training set {_CIG_2014}",
        ),
        GameSet(
            "cig2014-validation",
            "validation",
            ("camelRace", "digdug", "eggomania", "firecaster", "firestorms", "infection", "overload", "pacman",
             "seaquest", "whackamole"),
            f"validation set {_CIG_2014}",
        ),
        GameSet(
            "cig2014-test",
            "test",
            ("boulderchase", "catapults", "escape", "jaws", "labyrinth", "lemmings", "plants", "plaqueattack",
             "roguelike", "surround"),
            f"test set {_CIG_2014}",
        ),
    )
}  # fmt: skip
"""All sets, by name."""


def select_sets(given: Sequence[str]) -> list[GameSet]:
    """Return the sets that people name, with commas between if they like.

    Raises:
        PcgError: for a set that does not exist.

    >>> [one.name for one in select_sets(["training,validation"])]
    ['training', 'validation']
    """
    found = []
    for name in filter(None, (part.strip() for text in given for part in text.split(","))):
        if name not in GAME_SETS:
            hint = did_you_mean(name, list(GAME_SETS), f", expected one of {', '.join(GAME_SETS)}")
            raise PcgError(f"no set of games `{name}`{hint}")
        found.append(GAME_SETS[name])
    return found


def plays_of(sets: Sequence[GameSet]) -> int:
    """Return how often every level of these sets is played.

    Raises:
        PcgError: the sets differ in that.
    """
    plays = {one.plays for one in sets}
    if len(plays) > 1:
        told = ", ".join(f"{one.name} {one.plays}" for one in sets)
        raise PcgError(f"these sets are played differently often ({told}): say --repeats, or play them one by one")
    return plays.pop() if plays else 1
