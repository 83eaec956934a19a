"""Limits: the reference's sprite limit, and growth up to it."""

from __future__ import annotations

import pytest
from texts import BREEDERS, BREEDERS_LEVEL, game


@pytest.mark.full
def test_the_sprite_limit_ends_growth():
    state = game(BREEDERS.replace("limit=400", "limit=2000"), BREEDERS_LEVEL).start(0, 9)
    while not state.is_over and len(state.sprites("bee")) < 9990:
        for _ in range(50):
            state.advance("NIL")
    for _ in range(20):
        state.advance("NIL")
    assert 9000 < len(state.sprites()) <= 10001
