"""Votes of people for the levels of two sources, shown side by side as pictures without a word about their origin.

    python benchmarks/validity.py eye make STUDY HAND-MADE EVOLVED --game dungeon
    pcg study serve STUDY
    python benchmarks/validity.py eye report STUDY

`make` makes a study of two folders of levels. A folder holds levels (`*.txt`) of one game, or a folder of them for
each game, named as the game or with the game's file in it (`game.vgdl`). Both need levels of the same games: pairs are
of one game and of both sources. Pairs, their order and their sides are drawn for each participant; addresses, page
source, pictures and their names say nothing of where a level comes from. `report` prints the share of votes for each
source, of all and of each game, with exact 95 % intervals of votes and an interval of the whole by bootstrap over
participants.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.exact import clopper_pearson
from pcg.study.creation import make_study, read_plan
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import GAME_FILES, Source

ROUNDS = 2000
"""Resamples of the bootstrap."""
Row = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the measure."""
    commands = parser.add_subparsers(dest="what", required=True)
    make = commands.add_parser("make", help="make a study of two folders of levels")
    make.add_argument("study", type=Path, help="folder of the study, to be made")
    make.add_argument("one", type=Path, help="levels of one source")
    make.add_argument("other", type=Path, help="levels of the other source")
    make.add_argument("--game", default="", help="game file or built-in game, where no game lies beside the levels")
    make.add_argument("--reading", default="", help="how games are read: strict or gvgai")
    make.add_argument("--count", type=int, default=0, help="the first so many levels of each game; 0: all")
    make.add_argument("--pairs", type=int, default=20, help="pairs that a participant sees")
    make.add_argument("--seed", type=int, default=1, help="of the pairing")
    report = commands.add_parser("report", help="tell the votes so far")
    report.add_argument("study", type=Path, help="folder of the study")
    report.add_argument("--people", default="", help="real, simulated or all; without it real ones, if there are any")
    report.add_argument("--json", type=Path, help="file for the numbers")


def run(args: argparse.Namespace) -> int:
    """Make a study, or report on it."""
    try:
        if args.what == "make":
            made = make_eye_study(
                args.study, args.one, args.other, game=args.game, reading=args.reading, count=args.count,
                pairs=args.pairs, seed=args.seed,
            )  # fmt: skip
            print(f"{args.study}: {len(made)} levels; pcg study serve {args.study} shows them")
            return 0
        found = votes_by_source(study_data(open_study(args.study), args.people).votes, games_of(args.study))
    except PcgError as error:
        print(error, file=sys.stderr)
        return 1
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(table(found))
    return 0


def make_eye_study(
    study: Path, one: Path, other: Path, *, game: str = "", reading: str = "", count: int = 0, pairs: int = 20,
    seed: int = 1,
) -> Sequence[str]:  # fmt: skip
    """Make a study of pictures in which the levels of two folders are compared; returns the names of its items.

    Raises:
        PcgError: for folders without levels, of the same name or of different games, and levels that cannot be read.
    """
    first, second = (sources(folder, game, reading, count) for folder in (one, other))
    lonely = sorted(set(first) ^ set(second))
    if lonely:
        raise PcgError(f"only one of {one} and {other} has levels of {', '.join(lonely)}")
    names = {one: one.name, other: other.name}
    if one.name == other.name:
        names = {one: str(one), other: str(other)}
    if one.resolve() == other.resolve():
        raise PcgError(f"{one} and {other} are the same folder")
    items = [
        Source(what=s.what, game=s.game, count=s.count, reading=s.reading, group=names[folder])
        for folder, found in ((one, first), (other, second)) for s in found.values()
    ]  # fmt: skip
    settings = {
        "study": {"seed": seed, "reason": False},
        "design": {"pairing": "balanced", "pairs": pairs, "checks": 0, "within_game": True, "across_groups": True},
        "play": {"pictures": True, "minimum": 0.0},
    }
    config, _, texts = read_plan(study.name, settings=settings)
    made = make_study(study, config, items, texts=texts, measure=False)
    return [item.name for item in made.items]


def sources(folder: Path, game: str, reading: str, count: int) -> dict[str, Source]:
    """Return the sources of a folder by the name of their game: the folder itself, or the folders in it."""
    if not folder.is_dir():
        raise PcgError(f"{folder} is no folder")
    inner = [sub for sub in sorted(folder.iterdir()) if sub.is_dir() and _levels(sub)]
    if _levels(folder):
        return {"": Source(what=str(folder), game=game, count=count, reading=reading)}
    if not inner:
        raise PcgError(f"{folder} holds no levels (*.txt), and no folders of them")
    return {
        sub.name: Source(
            what=str(sub), game="" if _has_game(sub) else game or sub.name, count=count, reading=reading
        )
        for sub in inner
    }  # fmt: skip


def _levels(folder: Path) -> list[Path]:
    return [file for file in folder.glob("*.txt") if file.name not in GAME_FILES]


def _has_game(folder: Path) -> bool:
    return any((folder / name).is_file() for name in GAME_FILES)


def games_of(study: Path) -> dict[str, str]:
    """Return the game of each item of a study."""
    return {item.name: item.game for item in open_study(study).items}


def votes_by_source(votes: Iterable[Row], games: Mapping[str, str]) -> dict[str, Any]:
    """Count the votes for each source, in all and by game.

    Args:
        votes: rows of `pcg.study.exporting`, with the groups of both items.
        games: item -> name of its game.

    Returns:
        `sources` (two names in order), and `all` and each of `games` with `votes` (for the first, for the second),
        `ties`, `share` of decided votes for the first, and `interval`.
    """
    rows = [vote for vote in votes if not vote["check"]]
    names = sorted({row[side] for row in rows for side in ("first_group", "second_group")})
    counts = [(games[row["first"]], row["participant"], _points(row, names)) for row in rows]
    found: dict[str, Any] = {"sources": names, "all": _counted([points for _, _, points in counts])}
    found["all"]["interval_participants"] = _by_participants([(who, points) for _, who, points in counts])
    found["games"] = {
        game: _counted([points for g, _, points in counts if g == game]) for game in sorted({g for g, _, _ in counts})
    }
    return found


def _points(row: Row, names: Sequence[str]) -> int:
    """Return 1 for a vote for the first source, -1 for the other, 0 for a tie."""
    if row["answer"] not in ("first", "second"):
        return 0
    return 1 if row[f"{row['answer']}_group"] == names[0] else -1


def _counted(points: Sequence[int]) -> dict[str, Any]:
    wins, losses = points.count(1), points.count(-1)
    decided = wins + losses
    low, high = clopper_pearson(wins, decided) if decided else (0.0, 1.0)
    share = wins / decided if decided else None
    return {"votes": [wins, losses], "ties": points.count(0), "share": share, "interval": [low, high]}


def _by_participants(votes: Sequence[tuple[str, int]]) -> list[float] | None:
    """Return the 95 % interval of the share over participants drawn anew; None where fewer than two decided."""
    wins: dict[str, list[int]] = {}
    for who, points in votes:
        if points:
            wins.setdefault(who, []).append(int(points > 0))
    if len(wins) < 2:
        return None
    right, total = (np.array([f(v) for v in wins.values()]) for f in (sum, len))
    drawn = np.random.default_rng(1).integers(len(wins), size=(ROUNDS, len(wins)))
    low, high = np.quantile(right[drawn].sum(axis=1) / total[drawn].sum(axis=1), (0.025, 0.975))
    return [float(low), float(high)]


def table(found: Mapping[str, Any]) -> str:
    """Return the report as a table."""
    if not found["sources"]:
        return "no votes yet"
    one, other = found["sources"]
    lines = [f"| game | {one} | {other} | ties | share of {one} | 95 % interval |", "|---|---:|---:|---:|---:|---|"]
    for game, counts in {**found["games"], "all": found["all"]}.items():
        wins, losses = counts["votes"]
        low, high = counts["interval"]
        share = "" if counts["share"] is None else f"{counts['share']:.2f}"
        lines.append(f"| {game} | {wins} | {losses} | {counts['ties']} | {share} | {low:.2f} to {high:.2f} |")
    apart = found["all"]["interval_participants"]
    if apart:
        lines.append(f"\nover participants drawn anew: {apart[0]:.2f} to {apart[1]:.2f}")
    return "\n".join(lines)
