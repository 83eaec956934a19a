"""Uses of the kernels that no other test of the slices of `make check` has: observations, batches, rates, trace lines.

The slices play with bounds checks and as plain Python, where each entry point has to be used (`entry_points`).
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from texts import PUSH, PUSH_LEVEL, game

from pcg.engine.benchmark import measure
from pcg.engine.conformance import replay
from pcg.engine.envs import VectorEnv

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("observation", ["planes", "entities", "rgb"])
def test_a_batch_observes_and_restarts(observation: str) -> None:
    batch = VectorEnv(game(PUSH, PUSH_LEVEL), 2, observation=observation, max_ticks=3)
    observations, _ = batch.reset(seed=1)
    seen = 0
    for _ in range(5):
        observations, _, _, truncated, _ = batch.step(np.zeros(2, int))
        seen += int(truncated.sum())
    assert seen >= 2 and batch.observation_space.contains(observations)


def test_rates_are_measured() -> None:
    speed = measure(game(PUSH, PUSH_LEVEL), "push", 0.001, 2)
    assert speed.advance_per_s > 0


def test_a_recorded_play_is_recognised_line_by_line(tmp_path: Path) -> None:
    push, trace, ours = game(PUSH, PUSH_LEVEL), tmp_path / "right.jsonl.gz", tmp_path / "ours.jsonl.gz"
    lines: list[dict[str, object]] = [{"format": 1, "game": "own/push", "level": 0, "seed": 7, "aux_seed": 3}]
    lines += [{"t": -1}, *({"t": t, "a": ["ACTION_RIGHT"]} for t in range(2))]
    trace.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    replay(push, trace, emit=ours)
    result = replay(push, ours)
    assert result.ok and result.ticks >= 2
