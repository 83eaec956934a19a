"""A test of recovery: the server is killed again and again while simulated participants take part; losses are counted.

What must hold: every vote that the server said it had stored is in the database, none twice, everybody comes to the end
from where they were, and every play is what its actions make it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pcg.study.folders import TOKEN, open_study
from pcg.study.replaying import Replayer
from pcg.study.server_process import Hosted, start
from pcg.study.simulating import Outcome, Truth, simulate
from pcg.study.store import StudyStore


@dataclass
class Report:
    """The result of a drill."""

    kills: int = 0
    acknowledged: int = 0
    stored: int = 0
    unanswered: int = 0
    """Votes that are stored though the answer was lost with the server."""
    finished: int = 0
    participants: int = 0
    brought_back: int = 0
    """Plays that were going on when the server was killed, and were gone on with."""
    plays: int = 0
    in_pages: int = 0
    """Plays that ran in the participants' pages; what was acknowledged of them is compared with what is stored."""
    seconds: float = 0.0
    downtime: float = 0.0
    """Seconds from a kill until the next server answered, on the average."""
    problems: list[str] = field(default_factory=list)


def drill(
    folder: Path,
    database: str | None = None,
    *,
    kills: int,
    participants: int,
    seed: int = 1,
    apart: tuple[float, float] = (0.1, 3.0),
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Kill the server of a study at random moments while simulated participants take part in it, all of them to the
    end.

    Args:
        folder: of the study.
        database: address of a database that is not the folder's.
        kills: how often the server is killed; more participants come as long as that often has not been reached.
        participants: how many take part at a time.
        seed: of the moments and of the participants.
        apart: least and most seconds between a start and the next kill.
        progress: called after each kill.
    """
    store = open_study(folder, database)
    report = Report()
    asyncio.run(_drill(folder, database, store, report, kills, participants, seed, apart, progress))
    store.engine.dispose()
    return report


async def _drill(
    folder: Path, database: str | None, store: StudyStore, report: Report, kills: int, participants: int, seed: int,
    apart: tuple[float, float], progress: Callable[[int], None] | None,
) -> None:  # fmt: skip
    lots = random.Random(seed)
    truth = Truth.draw(store.items, seed, {})
    token = (folder / TOKEN).read_text(encoding="utf-8").strip()
    began = time.monotonic()
    server = await asyncio.to_thread(start, folder, database, ready=True)
    port = int(server.url.rpartition(":")[2])
    outcomes: list[Outcome] = []
    ticks: dict[int, int] = {}

    async def people() -> None:
        first = 0
        while not outcomes or report.kills < kills:
            outcomes.append(
                await simulate(
                    store, server.url, token, truth, participants=participants, first=first, at_once=participants,
                    patience=120.0,
                )
            )  # fmt: skip
            first += participants

    async def kill() -> Hosted:
        current, down = server, []
        while report.kills < kills:
            await asyncio.sleep(lots.uniform(*apart))
            going = await _going(store)
            end = time.monotonic() + 20
            while report.kills % 2 and not going and time.monotonic() < end:
                await asyncio.sleep(0.05)  # every second kill hits somebody in the middle of a play
                going = await _going(store)
            ticks.update(going)
            away = time.monotonic()
            await asyncio.to_thread(current.kill)
            report.kills += 1
            current = await asyncio.to_thread(start, folder, database, port=port, ready=True)
            down.append(time.monotonic() - away)
            if progress is not None:
                progress(report.kills)
        report.downtime = sum(down) / len(down)
        return current

    killing = asyncio.create_task(kill())
    try:
        await people()
    finally:
        last = await killing
        last.process.terminate()
        await asyncio.to_thread(last.process.join, 30)
    report.seconds = time.monotonic() - began
    await asyncio.to_thread(_look_over, store, outcomes, ticks, report)


async def _going(store: StudyStore) -> dict[int, int]:
    """Plays that are saved as far as they went but were not enough yet, with their ticks."""
    saved = await asyncio.to_thread(store.plays)
    return {p.id: p.ticks for p in saved if p.ticks and not p.over and p.seconds < store.config.minimum}


def _look_over(store: StudyStore, outcomes: list[Outcome], ticks: dict[int, int], report: Report) -> None:
    """Compare what the participants know with what the database has."""
    rows = store.vote_rows()
    config = store.config
    answers: dict[tuple[str, int], list[tuple[str, str]]] = {}
    for row in rows:
        answers.setdefault((row["participant"], row["position"]), []).append((row["question"], row["answer"]))
    people = [one for outcome in outcomes for one in outcome.people]
    report.participants, report.finished = len(people), sum(one.finished for one in people)
    report.stored = len({row["pair"] for row in rows})
    pairs = store.pairs()
    votes = Counter(row["pair"] for row in rows)
    total: Counter[str] = Counter()
    for pair in pairs:
        total[pair.participant] += 1
        asked = len(config.questions_about(pair.check))
        if votes[pair.id] != asked:
            report.problems.append(f"pair {pair.id} has {votes[pair.id]} answers, expected {asked}")
    for one in people:
        known = dict(one.acknowledged)
        report.acknowledged += len(one.acknowledged)
        if len(known) < len(one.acknowledged):
            report.problems.append(f"participant {one.number}: two votes on one pair were taken as new")
        for position, answer in known.items():
            stored = answers.get((one.participant, position), [])
            if sorted(stored) != sorted(answer.items()):
                report.problems.append(
                    f"participant {one.number}, pair {position}: voted {answer}, stored are {stored}"
                )
        if not one.finished:
            report.problems.append(f"participant {one.number} did not come to the end: {one.problem}")
        report.unanswered += total[one.participant] - len(known)
    if len(set(total.values())) > 1:
        report.problems.append(f"participants had different numbers of pairs: {sorted(set(total.values()))}")
    plays = {play.id: play for play in store.plays()}
    pair_of = {(pair.participant, pair.position): pair.id for pair in pairs}
    last = {(play.pair, play.side): play for play in plays.values()}
    for one in people:
        for (position, side), actions in one.stored.items():
            found = last.get((pair_of[one.participant, position], side))
            report.in_pages += 1
            if found is None or not found.client or found.actions != actions:
                report.problems.append(
                    f"participant {one.number}, pair {position}, side {side}: {len(actions)} actions acknowledged, "
                    f"stored are {found.ticks if found else 'none'}"
                )
    report.plays = len(plays)
    enough: dict[tuple[int, int], float] = {}
    for play in plays.values():
        played = max(play.seconds, config.minimum) if play.over else play.seconds
        enough[play.pair, play.side] = enough.get((play.pair, play.side), 0.0) + played
    for pair in pairs:
        if pair.check != "instructed":
            for side in range(len(pair.items)):
                if enough.get((pair.id, side), 0.0) < config.minimum - 1e-6:
                    report.problems.append(f"pair {pair.id}, side {side}: voted on after too little play")
    for number, before in ticks.items():
        if number in plays and plays[number].ticks < before:
            report.problems.append(f"play {number} had {before} ticks and has {plays[number].ticks}")
        elif number in plays and plays[number].ticks > before:
            report.brought_back += 1
    replayer = Replayer(store)
    for stored_play, problem in replayer.verify(replayer.plays()):
        if problem:
            report.problems.append(f"{stored_play.title}: {problem}")
