"""Games to fit on and games held out, by the digest of their names, so that no result decides where a game goes."""

from __future__ import annotations

from hashlib import sha256


def held_out(game: str) -> bool:
    """Tell whether a game is kept from fitting: about half of all are, by name without its folder.

    >>> [name for name in ("aliens", "boulderdash", "frogs", "sokoban", "zelda") if held_out(name)]
    ['zelda']
    """
    return sha256(game.rpartition("/")[2].encode()).digest()[0] % 2 == 1


def fold(game: str, folds: int = 5) -> int:
    """Return the fold of cross-validation that a game belongs to, from 0."""
    return int.from_bytes(sha256(game.rpartition("/")[2].encode()).digest()[1:5], "big") % folds
