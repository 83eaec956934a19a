"""The gallery of the documentation: the best levels that `pcg levels` makes by default, for our games and the corpus'.

For each game one search with the default generator, with so many processor seconds and no other settings. Its results
are kept in a folder outside the repository, a file for each game, so that a campaign goes on where it was stopped;
`results.jsonl` there has the measures of `benchmarks/level_style.py`, whose `table` reads it. `write` makes of them
`docs/gallery.md`, `docs/hand-made-or-generated.md` and their pictures. Nobody chooses: shown are the six levels that
the search ranks first, and the pairs of the second page are drawn by the digest of the game's name.

Of games of the corpus only pictures, drawn with the toolkit's tiles, and numbers are written; hand-made levels that are
shown are the toolkit's own. Levels of our games are written as text, with their plays, so that the documentation can
make pages of them on which they are played.

    nice python -m benchmarks.gallery make --store ../gallery-runs --seconds 40
    python -m benchmarks.gallery write --store ../gallery-runs                      all of it
    python -m benchmarks.gallery write --store ../gallery-runs --games relay zelda  these; the others stay as they are
    python -m benchmarks.level_style table --store ../gallery-runs
"""

from __future__ import annotations

import argparse
import html
import json
import math
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.level_style import Search, row_of, search
from benchmarks.levels_corpus import CORPUS, ROOT, games, open_game, revision
from pcg.engine.game import Game, builtin_games, load
from pcg.evaluators.judging.judgement import Part
from pcg.generators.levels import LevelContext
from pcg.generators.levels.portfolio.game_kinds import game_kinds
from pcg.render import render_level
from pcg.runs import LevelRun

DOCS = ROOT / "docs"
BEST = 6
"""Levels of a game that are shown."""
WIDTH, HEIGHT, SMALLEST_TILE, LARGEST_TILE = 288, 200, 5, 16
"""Size of a picture that is aimed at, and bounds of a cell, in pixels."""
CORPUS_GAMES = (
    "aliens", "bait", "boulderdash", "butterflies", "chase", "digdug", "escape", "firecaster", "frogs", "infection",
    "labyrinth", "missilecommand", "pacman", "plants", "realsokoban", "roguelike", "seaquest", "sokoban",
    "survivezombies", "zelda",
)  # fmt: skip


def own_games() -> tuple[str, ...]:
    """Return the names of the built-in games for one player."""
    return tuple(name for name in builtin_games() if load(name).players == 1)


def plain(name: str) -> str:
    """Return the name of a game without what tells a built-in one from a namesake of the corpus."""
    return name.removeprefix("our ")


# --- the campaign -----------------------------------------------------------------------------------------------------


def make(name: str, file: Path | None, seconds: float, seed: int) -> tuple[dict[str, Any], Search, Game]:
    """Search for levels of one game; returns what is kept of it, the outcome of the search, and the game."""
    game = open_game(name, file)
    found = search(game, LevelRun.generator, seconds, seed, None)
    record = {
        "game": name,
        "own": file is None,
        "kinds": sorted(game_kinds(LevelContext.of(game))),
        "seconds": seconds,
        "seed": seed,
        "revision": revision(),
        "tried": found.tried,
        "feasible": found.feasible,
        "levels": [
            {
                "level": one.level,
                "family": one.origin,
                "value": round(one.evaluation.fitness, 4),
                "winner": one.evaluation.winner,
                "seed": one.evaluation.seed,
                "play": one.evaluation.play,
                "sentence": telling_sentence(one.evaluation.parts),
            }
            for one in found.best
        ],
    }
    return record, found, game


def telling_sentence(parts: Sequence[Part]) -> str:
    """Return the sentence of the part in which a level loses most; "" for a level that was not judged.

    >>> telling_sentence([Part("clarity", 0.9, "Clear.", 0.5), Part("pacing", 0.2, "Too long.", 0.5)])
    'Too long.'
    """
    return max(parts, key=lambda part: part.weight * (1.0 - part.value)).sentence if parts else ""


def campaign(names: Sequence[str], seconds: float, seed: int, store: Path, corpus: Path) -> None:
    """Search for levels of the games that were not searched for so long before; the longest search of a game counts."""
    known = games(corpus)
    store.mkdir(parents=True, exist_ok=True)
    done = records(store)
    for name in names:
        if name in done and done[name]["seconds"] >= seconds:
            continue
        record, found, game = make(name, known[name], seconds, seed)
        (store / f"{name.replace(' ', '_')}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        row = row_of(name, game, LevelRun.generator, seconds, found)
        with (store / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        print(
            f"{name:16} {found.tried:4} tried {found.feasible:4} feasible  value {row.value:.2f}  AUC {row.auc:.2f}  "
            f"divergence {row.divergence:.2f}  originality {row.originality:.2f} (own {row.own_originality:.2f})",
            flush=True,
        )


def records(store: Path) -> dict[str, dict[str, Any]]:
    """Return what was found of each game."""
    found = {}
    for path in sorted(store.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        found[record["game"]] = record
    return found


# --- the pages --------------------------------------------------------------------------------------------------------

GALLERY = """\
# Gallery

The six levels that `pcg levels` ranks first, for the games of the toolkit with one player and for games of
the GVGAI collection. Each game had {seconds} s of processor time with the default generator and no settings; nobody
chose among the levels, and nothing was retouched. Under each picture are the value of the level, in [0, 1], how many
moves its known win takes (a level of which no player found a win is worth less, and is shown where the same players do
not win all hand-made levels), the [family](generators/portfolio.md) of levels it comes from, and the sentence of the
[judge](judging-levels.md) on the part in which it loses most. Where fewer than six are shown, no more were found.
{missing}

Can one tell them from hand-made ones? [Try it](hand-made-or-generated.md). What is measured of these levels is in
[the results](results/level-style.md).

## Games of the toolkit

A click on a picture plays the level in its place; *Watch* there shows the win that is known.

{own}
## Games of the collection

These games and their levels have a licence of their own and are no part of the toolkit. The pictures are of levels
that the toolkit has made, drawn with its own tiles; they cannot be played here, as that would give the games on.
`pcg export GAME.txt -o page.html` makes a page of a game that you have.

{corpus}"""

PAIRS = """\
# Hand-made or generated?

<link rel="stylesheet" href="../gallery/guess.css">
<script src="../gallery/guess.js" defer></script>

One level of each pair comes with its game and was laid out by hand, the other was made by `pcg levels`. Which one is
hand-made? Click it, or move to it with the Tab key and press Enter. The digest of the game's name has chosen both,
from the five levels of the game and from the six of the [gallery](gallery.md), and which of them comes first.

Whoever cannot tell them apart is right in {half} of {number} cases on average, and in {lucky} or more of them less
than once in twenty times.

{pairs}"""


def tile_of(rows: Sequence[str]) -> int:
    """Return the pixels of a cell in the picture of a level.

    >>> tile_of(["w" * 24] * 12), tile_of(["www"] * 3)
    (12, 16)
    """
    fits = min(WIDTH // max(len(row) for row in rows), HEIGHT // len(rows))
    return min(LARGEST_TILE, max(SMALLEST_TILE, fits))


def picture(game: Game, level: str, path: Path) -> None:
    """Write the picture of a level as lossless WebP."""
    image = render_level(game, level, tile=tile_of(level.splitlines()))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, "WEBP", lossless=True, quality=100, method=4)


def moves(play: str) -> int:
    """Return how many actions of a play are not waiting.

    >>> moves("R..UX")
    3
    """
    return sum(letter != "." for letter in play)


def level_entry(name: str, number: int, record: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    """Return what the gallery shows of a level: its picture and what is said of it, as an item of a list."""
    won = f"{moves(one['play'])} moves" if one["play"] else "no win known"
    source = f"gallery/pictures/{slug(record)}-{number}.webp"
    shown = f"![Level {number} of {name}, of the family {one['family']}]({source})"
    if record["own"]:
        shown = f'<a class="play-here" href="../play/gallery/{name}.html#level={number}">{shown}</a>'
    return (
        f"-   {shown}\n\n"
        f"    {one['value']:.2f} · {won} · {one['family']}\n\n"
        f"    {html.escape(one['sentence'], quote=False)}\n"
    )


def slug(record: Mapping[str, Any]) -> str:
    """Return the name of a game in names of files: of one of the corpus, with its origin."""
    return plain(record["game"]) if record["own"] else f"gvgai-{record['game']}"


def game_section(record: Mapping[str, Any]) -> str:
    """Return the section of a game: a line of numbers, and its levels in a grid."""
    name = plain(record["game"])
    entries = "\n".join(level_entry(name, k, record, one) for k, one in enumerate(record["levels"][:BEST], 1))
    kinds = ", ".join(record["kinds"])
    return (
        f"### {name}\n\n{kinds[:1].upper()}{kinds[1:]}; {record['feasible']} of {record['tried']} levels that were "
        f'tried are feasible.\n\n<div class="grid cards" markdown>\n\n{entries}\n</div>\n'
    )


def shared_levels(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the levels of one of our games as the documentation keeps them, to be played."""
    return {
        "game": plain(record["game"]),
        "levels": [
            {
                "rows": one["level"].splitlines(),
                **{key: one[key] for key in ("value", "family", "winner", "seed", "play", "sentence")},
            }
            for one in record["levels"][:BEST]
        ],
    }


def pair(record: Mapping[str, Any], folder: Path) -> str:
    """Return the pair of levels of a game, and write its pictures under names that do not tell which is which."""
    name = plain(record["game"])
    game = load(name)
    digest = sha256(f"pair of {name}".encode()).digest()
    made = record["levels"][digest[0] % min(BEST, len(record["levels"]))]
    rows = made["level"].splitlines()
    # a hand-made level of another size would be known by it
    own = [text for text in game.levels if len(text.splitlines()) == len(rows)] or list(game.levels)
    drawn = own[digest[1] % len(own)]
    comes_first = digest[2] % 2 == 0
    pictures = []
    for text in (drawn, made["level"]) if comes_first else (made["level"], drawn):
        path = folder / f"{sha256(text.encode()).hexdigest()[:12]}.webp"
        picture(game, text, path)
        pictures.append(f"gallery/pairs/{path.name}")
    side, other = ("first", "second") if comes_first else ("second", "first")
    number = list(game.levels).index(drawn) + 1
    place = record["levels"].index(made) + 1
    by_hand = (
        f'<a class="play-here" title="Level {number} of {name}" href="../play/{name}.html#level={number}">play</a>'
    )
    generated = (
        f'<a class="play-here" title="The generated level of {name}" href="../play/gallery/{name}.html#level={place}">'
        "play</a>"
    )
    return (
        f'## {name}\n\n<div class="pair" data-hand-made="{side}" markdown>\n\n'
        f"![The first level]({pictures[0]}) ![The second level]({pictures[1]})\n\n<details><summary>Answer</summary>\n"
        f"The {side} one is hand-made: level {number} of {name} ({by_hand}).\n"
        f"The {other} one was generated, by the family {made['family']} ({generated}).\n</details>\n\n</div>\n"
    )


def lucky(number: int) -> int:
    """Return how many right guesses of so many are reached by luck in at most one of twenty cases.

    >>> lucky(25)
    18
    """
    right = number
    while right and 20 * sum(math.comb(number, k) for k in range(right - 1, number + 1)) <= 2**number:
        right -= 1
    return right


def write(found: Mapping[str, Mapping[str, Any]], docs: Path, corpus: Path) -> None:
    """Write the pages with their pictures and levels, in place of those of an earlier campaign."""
    folder = docs / "gallery"
    for old in ("pictures", "pairs", "levels"):
        shutil.rmtree(folder / old, ignore_errors=True)
    ours = sorted((r for r in found.values() if r["own"] and r["levels"]), key=lambda r: plain(r["game"]))
    theirs = sorted((r for r in found.values() if not r["own"] and r["levels"]), key=lambda r: r["game"])
    known = games(corpus) if theirs else {}
    for record in (*ours, *theirs):
        game = open_game(record["game"], known.get(record["game"]))
        for number, one in enumerate(record["levels"][:BEST], 1):
            picture(game, one["level"], folder / "pictures" / f"{slug(record)}-{number}.webp")
    (folder / "levels").mkdir(parents=True)
    for record in ours:
        path = folder / "levels" / f"{plain(record['game'])}.json"
        path.write_text(json.dumps(shared_levels(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    seconds = sorted({record["seconds"] for record in (*ours, *theirs)})
    spent = f"{seconds[0]:g}" if len(seconds) == 1 else f"{seconds[0]:g} to {seconds[-1]:g}"
    sections = ["\n".join(map(game_section, group)) for group in (ours, theirs)]
    without = sorted(plain(record["game"]) for record in found.values() if not record["levels"])
    missing = f"None at all were found in that time for {', '.join(without)}.\n" if without else ""
    text = GALLERY.format(seconds=spent, missing=missing, own=sections[0], corpus=sections[1])
    (docs / "gallery.md").write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    number = len(ours)
    pairs = "\n".join(pair(record, folder / "pairs") for record in ours)
    text = PAIRS.format(half=f"{number / 2:g}", number=number, lucky=lucky(number), pairs=pairs)
    (docs / "hand-made-or-generated.md").write_text(text, encoding="utf-8")


def renew(found: Mapping[str, Mapping[str, Any]], docs: Path, corpus: Path) -> None:
    """Write games that the pages show anew; what they have of other games stays as it is."""
    with TemporaryDirectory() as place:
        made = Path(place)
        write(found, made, corpus)
        for page in ("gallery.md", "hand-made-or-generated.md"):
            anew = _sections((made / page).read_text(encoding="utf-8"))
            text = (docs / page).read_text(encoding="utf-8")
            pieces = {at: anew.get(at, piece) if at[1] else piece for at, piece in _sections(text).items()}
            missing = [at[1].strip("# ") for at in anew if at not in pieces]
            if missing:
                raise SystemExit(f"not shown in {page}: {', '.join(missing)}; write all of it")
            (docs / page).write_text("\n\n".join(pieces.values()) + "\n", encoding="utf-8")
        for record in found.values():
            for old in (docs / "gallery" / "pictures").glob(f"{slug(record)}-[0-9].webp"):
                old.unlink()
        shutil.copytree(made / "gallery", docs / "gallery", dirs_exist_ok=True)
    text = (docs / "hand-made-or-generated.md").read_text(encoding="utf-8")
    for old in (docs / "gallery" / "pairs").glob("*.webp"):
        if old.name not in text:
            old.unlink()


def _sections(page: str) -> dict[tuple[str, str], str]:
    """Return the sections of a page: chapter and heading -> text; "" and "" for what comes before."""
    found, chapter = {}, ""
    for piece in re.split(r"(?m)^(?=###? )", page):
        heading = piece.partition("\n")[0] if piece.startswith("#") and not piece.startswith("# ") else ""
        chapter = heading if heading.startswith("## ") else chapter
        found[chapter if heading else "", heading] = piece.rstrip("\n")
    return found


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "write", "show"))
    parser.add_argument("--store", type=Path, required=True, help="folder of the results, outside the repository")
    parser.add_argument("--games", nargs="+", help="names; our games and twenty of the corpus without it")
    parser.add_argument("--seconds", type=float, default=40.0, help="processor time for each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    given = parser.parse_args()
    if given.what == "make":
        known = games(given.corpus)
        ours = [name if name in known and known[name] is None else f"our {name}" for name in own_games()]
        campaign(given.games or [*ours, *CORPUS_GAMES], given.seconds, given.seed, given.store, given.corpus)
        return 0
    found = records(given.store)
    if given.what == "show":
        for name in given.games or found:
            for one in found[name]["levels"][:BEST]:
                head = f"{name} {one['family']} {one['value']:.2f} {moves(one['play'])} moves: {one['sentence']}"
                print(head, one["level"], sep="\n", end="\n\n")
        return 0
    if given.games:
        renew({name: found[name] for name in given.games}, DOCS, given.corpus)
    else:
        write(found, DOCS, given.corpus)
    return 0


if __name__ == "__main__":
    sys.exit(main())
