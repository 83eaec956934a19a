"""Studies for tests: small ones made quickly, and people who took part in them without a server."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pcg
from pcg.study.creation import Made, make_study, read_plan
from pcg.study.items import Source
from pcg.study.replaying import Replayer
from pcg.study.rows import Pair, Participant, Progress
from pcg.study.store import StudyStore
from pcg.web.player import PlaySession


def make(
    folder: Path, *sources: Source, settings: dict[str, dict[str, Any]] | None = None, database: str | None = None,
    **options: Any,
) -> Made:  # fmt: skip
    """A study of the levels of `boxes`, or of something else."""
    plan, more, texts = read_plan(folder.name, None, settings or {"design": {"checks": 0}})
    chosen = [*sources, *more] or [Source("boxes")]
    return make_study(folder, plan, chosen, texts=texts, measure=False, database=database, **options)


def level_files(folder: Path, game: str, numbers: Sequence[int]) -> Path:
    """Levels of a built-in game as files without the game."""
    folder.mkdir(parents=True)
    for place, number in enumerate(numbers):
        (folder / f"lvl{place}.txt").write_text(pcg.load(game).levels[number], encoding="utf-8")
    return folder


def take_part(store: StudyStore, answers: Sequence[str], *, simulated: bool = False, ticks: int = 12) -> Participant:
    """A participant who plays both of each pair with keys and gives these answers."""
    person, _ = store.join("en", {"PROLIFIC_PID": f"=cmd{len(store.participants())}"}, simulated=simulated)
    store.update_participant(person.id, consented=time.time())
    judged = [item.id for item in store.items if not item.check]
    for position, answer in enumerate(answers):
        first, second = judged[position % len(judged)], judged[(position + 1) % len(judged)]
        pair = store.add_pair(person.id, position, first, second)
        for side in (0, 1):
            play(store, pair, side, seed=position, ticks=ticks)
        store.vote(pair, {q.name: answer for q in store.config.questions}, reason='=1+1, "quoted"\nand more')
    store.update_participant(person.id, finished=time.time())
    return person


def play(store: StudyStore, pair: Pair, side: int, seed: int, ticks: int) -> PlaySession:
    """A play with random keys, saved as the server saves it."""
    item = store.item[pair.item(side)]
    session = PlaySession(Replayer(store).game(item), item.level, seed)
    rng = np.random.default_rng([pair.id, side, seed])
    for _ in range(ticks):
        actions = session.state.actions
        if session.is_over or not actions:
            break
        key = str(actions[int(rng.integers(len(actions)))])
        session.press(key)
        session.tick()
        session.release(key)
    data = session.recording().to_json()
    row = store.begin_play(pair.id, side, 0, seed, "lease")
    result = data["result"]
    progress = Progress(
        row.id, data["play"], json.dumps(data["presses"]), result["ticks"], result["score"], result["winner"],
        result["over"], result["key"], ticks / 20,
    )  # fmt: skip
    assert store.save_plays([progress], "lease") == []
    return session
