"""Triples of levels with a known answer which of two is more like a third, made from many games.

People were asked about rooms of one game. Whether a distance is any good on other material is tried on triples whose
answer follows from how they are made: *prompt*, the *nearer* one and the *farther* one.

- *mirrored, rolled, cropped, slid*: a change that people hardly see as one, with a few cells swapped beside it, so that
  nothing is the very same; the farther one is another level of the game;
- *few swaps*: two pairs of cells swapped, against eight pairs in the same level;
- *few turned*: one cell in fifty turned into another tile of the level, against one in eight;
- *random, constructive, evolve*: two hand-made levels of the game, and a generated one of its tiles;
- *other game*: two hand-made levels of the game, and one of another game with its tiles renamed by their part: frame,
  ground, avatar, and the others by how common they are.

Every game counts the same. Intervals are by bootstrap over games.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.split import held_out
from benchmarks.validation.tile_patterns import hamming, jensen_shannon, patterns
from pcg.engine.game import find_levels
from pcg.evaluators.metrics.likeness import codes, frame_of, level_shape

Cells = NDArray[np.uint32]
"""A level as character codes, shape (height, width)."""
MOST_CELLS = 1500
"""Largest levels that are looked at."""
EACH = 6
"""Triples of each kind for each game."""
ROUNDS = 2000
"""Resamples of the bootstrap."""
AVATAR = ord("A")
"""The usual letter of the avatar."""
PATTERNS = ("tile frequencies", "2x2 patterns", "3x3 patterns")


class Triple(NamedTuple):
    """Three levels, the second of which is more like the first than the third is."""

    prompt: str
    nearer: str
    farther: str


# -- changes -----------------------------------------------------------------------------------------------------------


def text_of(cells: Cells) -> str:
    """Return a level text of character codes."""
    return "\n".join("".join(map(chr, row)) for row in cells.tolist())


def swapped(cells: Cells, pairs: int, rng: np.random.Generator) -> Cells:
    """Return a level with some pairs of cells of different tiles inside its edge swapped."""
    changed = cells.copy()
    inner = changed[1:-1, 1:-1]
    for _ in range(pairs):
        for _ in range(50):
            y, x = rng.integers(inner.shape[0], size=2), rng.integers(inner.shape[1], size=2)
            if inner[y[0], x[0]] != inner[y[1], x[1]]:
                inner[y[0], x[0]], inner[y[1], x[1]] = inner[y[1], x[1]], inner[y[0], x[0]]
                break
    return changed


def turned(cells: Cells, share: float, rng: np.random.Generator) -> Cells:
    """Return a level with a share of the cells inside its edge turned into tiles drawn as often as they occur."""
    changed = cells.copy()
    inner = changed[1:-1, 1:-1]
    drawn = rng.choice(inner.ravel(), inner.shape)
    chosen = rng.random(inner.shape) < share
    inner[chosen] = drawn[chosen]
    return changed


def mirrored(cells: Cells) -> Cells:
    """Return the mirror image left to right."""
    return cells[:, ::-1]


def rolled(cells: Cells) -> Cells:
    """Return a level with what is inside its edge moved by two columns, round the edge."""
    changed = cells.copy()
    changed[1:-1, 1:-1] = np.roll(changed[1:-1, 1:-1], 2, axis=1)
    return changed


def cropped(cells: Cells) -> Cells:
    """Return a level without the two columns inside its right edge."""
    return np.hstack([cells[:, :-3], cells[:, -1:]])


def slid(cells: Cells) -> Cells:
    """Return a level with all inside its edge one row down, the uppermost row doubled."""
    changed = cells.copy()
    changed[2:-1] = cells[1:-2]
    return changed


CHANGES: Mapping[str, Callable[[Cells], Cells]] = {
    "mirrored": mirrored, "rolled": rolled, "cropped": cropped, "slid": slid,
}  # fmt: skip
KINDS = (*CHANGES, "few swaps", "few turned", "random", "constructive", "evolve", "other game")


# -- triples -----------------------------------------------------------------------------------------------------------


def own_levels(corpus: Path) -> dict[str, list[str]]:
    """Return the levels of one-player games with at least three that are of a fitting size, by the game's name."""
    found = {}
    for row in csv.reader((corpus / "games" / "all_games_sp.csv").open(encoding="utf-8")):
        if len(row) < 2:
            continue
        name = row[1].removeprefix("examples/").removesuffix(".txt")
        texts = dict.fromkeys(
            path.read_text(encoding="utf-8").rstrip("\n") for path in find_levels(corpus / "games" / f"{name}.txt")
        )
        levels = [text for text in texts if fits(codes(text))]
        if len(levels) >= 3:
            found[name] = levels
    return found


def fits(cells: Cells) -> bool:
    """Tell whether a level can be changed, and is not too large."""
    return min(cells.shape) >= 6 and cells.size <= MOST_CELLS


def triples(
    name: str, levels: Sequence[str], generated: Mapping[str, Sequence[str]], others: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Triple]]:
    """Yield the kind and the levels of each triple of a game, drawn by its name.

    Args:
        name: of the game.
        levels: the game's own.
        generated: source -> levels with its tiles.
        others: levels of other games, by name.
    """
    rng = np.random.default_rng(int.from_bytes(sha256(name.encode()).digest()[:4], "big"))
    shapes = [codes(text) for text in levels]
    elsewhere = [other for other in others if other != name]
    for _ in range(EACH):
        for kind, change in CHANGES.items():
            one, other = rng.choice(len(levels), 2, replace=False).tolist()
            yield kind, Triple(levels[one], text_of(swapped(change(shapes[one]), 2, rng)), levels[other])
        one = int(rng.integers(len(levels)))
        few, many = swapped(shapes[one], 2, rng), swapped(shapes[one], 8, rng)
        yield "few swaps", Triple(levels[one], text_of(few), text_of(many))
        few, many = turned(shapes[one], 0.02, rng), turned(shapes[one], 0.125, rng)
        yield "few turned", Triple(levels[one], text_of(few), text_of(many))
        for kind, made in generated.items():
            if made:
                one, other = rng.choice(len(levels), 2, replace=False).tolist()
                yield kind, Triple(levels[one], levels[other], made[int(rng.integers(len(made)))])
        one, other = rng.choice(len(levels), 2, replace=False).tolist()
        stranger = elsewhere[int(rng.integers(len(elsewhere)))]
        level = others[stranger][int(rng.integers(len(others[stranger])))]
        yield "other game", Triple(levels[one], levels[other], renamed(level, others[stranger], levels))


def renamed(level: str, of: Sequence[str], into: Sequence[str]) -> str:
    """Return a level with its tiles renamed to those of another game: frame, ground and avatar to these, the others by
    how common they are; tiles for which there is no other become ground.
    """
    theirs, ours = parts(of), parts(into)
    names = dict(zip(theirs[:3], ours[:3], strict=True))
    for k, tile in enumerate(theirs[3:]):
        names[tile] = ours[3 + k] if 3 + k < len(ours) else ours[1]
    ground = ours[1]
    # what has no counterpart (a game without a frame, or without the usual avatar) is ground
    return "".join(ch if ch == "\n" else chr(names.get(ord(ch), ground) or ground or AVATAR) for ch in level)


def parts(levels: Sequence[str]) -> list[int]:
    """Return the codes of a game's tiles: frame (0: none), ground, avatar (0: not the usual letter), and the others,
    the commonest first.
    """
    cells = [codes(text).astype(np.int32) for text in levels]
    frames = Counter(frame_of(one) for one in cells)
    frame = frames.most_common(1)[0][0]
    counts = Counter(int(code) for one in cells for code in one.ravel())
    avatar = AVATAR if AVATAR in counts else 0
    rest = [code for code, _ in counts.most_common() if code not in (frame, avatar)]
    return [frame, *(rest[:1] or [0]), avatar, *rest[1:]]


# -- the table ---------------------------------------------------------------------------------------------------------


@cache
def _cells(text: str) -> Cells:
    return codes(text)


@cache
def _patterns(text: str, side: int) -> Counter[bytes]:
    return patterns(_cells(text), side)


def distances() -> dict[str, Callable[[str, str], float]]:
    """Return the distances that are compared, by name."""

    def by_patterns(side: int) -> Callable[[str, str], float]:
        return lambda a, b: jensen_shannon(_patterns(a, side), _patterns(b, side))

    return {
        "pcg": lambda a, b: level_shape(a).distance(level_shape(b)),
        "Hamming": lambda a, b: hamming(_cells(a), _cells(b)),
        **{name: by_patterns(side) for side, name in enumerate(PATTERNS, 1)},
    }


def right(apart: Callable[[str, str], float], one: Triple) -> float:
    """Return 1 where a distance gives the known answer, 0 where the other, one half for neither."""
    gain = apart(one.prompt, one.farther) - apart(one.prompt, one.nearer)
    return 0.5 if abs(gain) < 1e-9 else float(gain > 0)


def measured(
    games: Mapping[str, Sequence[str]], generated: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the share of right answers: kind -> distance -> game -> share."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {
        kind: {name: {} for name in distances()} for kind in KINDS
    }  # fmt: skip
    for game, levels in games.items():
        for kind, one in triples(game, levels, generated.get(game, {}), games):
            for name, apart in distances().items():
                found[kind][name].setdefault(game, []).append(right(apart, one))
        _patterns.cache_clear()
        _cells.cache_clear()
    return {
        kind: {name: {game: float(np.mean(x)) for game, x in shares.items()} for name, shares in by.items()}
        for kind, by in found.items()
    }


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over games."""
    drawn = np.random.default_rng(1).integers(len(values), size=(ROUNDS, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return the shares by kind, and by how much ours is better than the best of the tile patterns."""
    names = list(distances())
    lines = [
        f"| nearer | {' | '.join(names)} | pcg less the best tile patterns |",
        f"|---|{'---:|' * (len(names) + 1)}",
    ]
    games = sorted({game for by in found.values() for game in by["pcg"]})
    every: dict[str, dict[str, list[float]]] = {name: {game: [] for game in games} for name in names}
    for kind in found:
        for name in names:
            for game, share in found[kind][name].items():
                every[name][game].append(share)
    mean = {name: {game: float(np.mean(x)) for game, x in by.items()} for name, by in every.items()}
    for kind, by in {**found, "all kinds": mean}.items():
        if not by["pcg"]:
            continue
        shares = {name: np.array(list(by[name].values())) for name in names}
        best = max(PATTERNS, key=lambda name: float(shares[name].mean()))
        gain = shares["pcg"] - shares[best]
        low, high = interval(gain)
        cells = " | ".join(f"{shares[name].mean():.3f}" for name in names)
        lines.append(f"| {kind} | {cells} | {gain.mean():+.3f} ({low:+.3f} to {high:+.3f}; {best}) |")
    return "\n".join(lines)


def report_corpus(corpus: Path, number: int = 0) -> dict[str, dict[str, dict[str, float]]]:
    """Print the tables of all games and of those held out from fits; returns the shares, as `measured` does.

    Args:
        corpus: its folder.
        number: games that are looked at, by the digest of their names; 0: all.
    """
    from benchmarks.validation.levels import negatives

    games = own_levels(corpus)
    chosen = sorted(games, key=lambda name: sha256(name.encode()).digest())[: number or None]
    made = {
        game: {source: [t.rstrip("\n") for t in texts if fits(codes(t))] for source, texts in by.items()}
        for game, by in negatives().items()
    }
    found = measured({name: games[name] for name in chosen}, made)
    print(f"all games ({len(chosen)})\n\n{table(found)}")
    unseen = {
        kind: {name: {game: x for game, x in shares.items() if held_out(game)} for name, shares in by.items()}
        for kind, by in found.items()
    }
    print(f"\ngames held out ({sum(map(held_out, chosen))})\n\n{table(unseen)}")
    return found
