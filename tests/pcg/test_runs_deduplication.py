"""The table of what was met first: as a dictionary says, whatever its size."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.runs.deduplication import FirstOccurrences


def test_it_answers_as_a_dictionary_does() -> None:
    rng = np.random.default_rng(1)
    # keys that begin alike share their place in the table
    keys = [
        bytes([int(rng.integers(4)), 0]) + bytes(6) + int(rng.integers(900)).to_bytes(8, "little") for _ in range(6000)
    ]
    seen, known = FirstOccurrences(), {}
    for number, key in enumerate(keys):
        assert seen.setdefault(key, number) == known.setdefault(key, number)
    assert len(seen) == len(known) > 2000
    assert all(seen[key] == number for key, number in known.items())
    with pytest.raises(KeyError):
        seen[b"sixteen bytes ok"]


def test_a_key_of_zeros_is_a_key() -> None:
    seen = FirstOccurrences()
    with pytest.raises(KeyError):
        seen[bytes(16)]
    assert seen.setdefault(bytes(16), 0) == 0 == seen[bytes(16)]
