"""Plays that run in participants' browsers: the page sends the actions, and the server plays them again before it keeps
anything.

A page *opens* a play and gets a lease, the seed and what was played so far. Then it sends *batches*: actions with the
times at which they were played, keys, and a claim of where they lead. The engine plays a batch on a copy of the state,
in a worker thread; only what leads to the claim is stored, and only what is stored is acknowledged. So whatever happens
to page, connection or server, a play goes on behind what was acknowledged. What a page says wrongly about a play is
refused and noted with the play for the researcher.

The lease is that of `plays`: opening a play elsewhere, in another page or over a websocket, takes it over.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import random
import secrets
import time
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import LETTERS, decode_play
from pcg.study.rows import SIDES, Play, Progress, Standing
from pcg.study.server.plays import INPUTS, Side, StudyPlays
from pcg.study.server.stages import is_enough, is_spent, restarts_left
from pcg.study.server.threads import Threads
from pcg.study.store import StudyStore
from pcg.web.guard import Refused, take
from pcg.web.player.session import MOST_PRESSES

MOST_OPEN = 5000
"""Plays kept in memory; others are brought back from the database when their page writes again."""
WORKERS = 2
"""Threads that play batches again."""
MOST_WAITING = 400
"""Batches that may wait for them; a page whose batch has no place tries again."""
MOST_ACTIONS = 1200
"""Actions of one batch, which are a minute of a game with 20 ticks a second."""
MOST_BATCH_PRESSES = 2 * MOST_ACTIONS
MOST_TICKS = 432_000
"""Ticks of a play: two hours at the highest speed."""
LONGEST_MS = 8 * 3600 * 1000
SLACK_S = 2.0
"""Seconds by which the clock of a page may be ahead of this machine's."""
SLACK_SHARE = 0.02
"""Share by which it may run faster."""
SLACK_TICKS = 8
"""Ticks that a page may have hurried to catch up, and one for every reload or so."""
SOONEST_S, LATEST_S = 4.0, 45.0
"""Least and most seconds between two batches of a page that goes on."""
BATCHES_PER_SECOND = 75.0
"""Batches a second that pages are asked to keep to, all together, so that votes are not kept waiting."""
SAVES_PER_SECOND = 20.0
"""Transactions a second in which batches are stored: SQLite has one writer, and votes need it as well."""
PATIENCE = 5.0
"""Pages are asked to wait this many times as long as a batch takes at present: a slow machine gets fewer batches."""

FIELDS = frozenset({"lease", "attempt", "from", "actions", "times", "clock", "presses", "by", "claim"})
CLAIMS = ("ticks", "score", "winner", "over", "sum")

log = logging.getLogger("pcg.study")


class Behind(Refused):
    """A batch that does not begin where the stored play ends. `known` tells the page where that is."""

    def __init__(self, message: str, known: Mapping[str, Any]) -> None:
        super().__init__(message, 409)
        self.known = known


class Untrue(Refused):
    """A batch that says something of a play that is not so; noted with the play."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 422)


class Elsewhere(Refused):
    """The play is another page's, or nobody's any more."""

    def __init__(self) -> None:
        super().__init__("this play is not open here any more", 410)


@dataclass(frozen=True, slots=True)
class Claim:
    """State of a play as a page sees it, of which nothing is believed."""

    ticks: int
    score: float
    winner: int
    over: bool
    sum: int
    """`witness` of the state."""

    @classmethod
    def of(cls, state: State) -> Claim:
        """The claim that is true of a state."""
        return cls(state.tick + 1, float(state.score), int(state.winner), state.is_over, witness(state))


@dataclass(frozen=True, slots=True)
class Batch:
    """Actions of a play, as a page sends them.

    Attributes:
        lease: of the page.
        attempt: counted from 0.
        begin: ticks played before.
        actions: one letter per tick (`encode_play`).
        times: milliseconds of the play's clock from each tick to the next, the first from the last `clock`.
        clock: milliseconds that the clock of this attempt has run.
        presses: keys: ticks played before, letter, 1 (down) or 0 (up).
        by: kinds of input that were used.
        claim: where the actions lead.
    """

    lease: str
    attempt: int
    begin: int
    actions: str
    times: tuple[int, ...]
    clock: int
    presses: tuple[tuple[int, str, int], ...]
    by: frozenset[str]
    claim: Claim


def read_batch(data: Mapping[str, Any]) -> Batch:
    """Return the batch of a request.

    Raises:
        Refused: when it is none; every field must be there and nothing else.
    """
    unknown = set(data) ^ FIELDS
    if unknown:
        raise Refused(f"a batch has {', '.join(sorted(FIELDS))}; wrong is `{min(unknown)[:40]}`")
    given = dict(data)
    actions = take(given, "actions", str, most=MOST_ACTIONS)
    letters = set(LETTERS.values())
    if not set(actions) <= letters:
        raise Refused(f"`actions` has letters that are no actions (expected {''.join(sorted(letters))})")
    times = tuple(_number(one, "times", LONGEST_MS) for one in take(given, "times", list, most=MOST_ACTIONS))
    if len(times) != len(actions):
        raise Refused(f"`times` has {len(times)} numbers for {len(actions)} actions")
    begin = _number(given["from"], "from", MOST_TICKS)
    presses = []
    before = begin
    for one in take(given, "presses", list, most=MOST_BATCH_PRESSES):
        if not (isinstance(one, list) and len(one) == 3 and one[1] in letters and one[2] in (0, 1)):
            raise Refused("a key is [ticks, letter, 1 or 0]")
        before = _number(one[0], "presses", begin + len(actions), before)
        presses.append((before, str(one[1]), int(one[2])))
    by = take(given, "by", list, most=len(INPUTS))
    if not set(map(str, by)) <= set(INPUTS):
        raise Refused(f"`by` names something else than {', '.join(INPUTS)}")
    claim = given["claim"]
    if not isinstance(claim, dict) or set(claim) != set(CLAIMS):
        raise Refused(f"`claim` is an object of {', '.join(CLAIMS)}")
    found = Claim(
        _number(claim["ticks"], "ticks", MOST_TICKS), float(take(claim, "score", float)),
        _number(claim["winner"], "winner", 1, -1), take(claim, "over", bool), _number(claim["sum"], "sum", 2**32 - 1),
    )  # fmt: skip
    return Batch(
        take(given, "lease", str, most=32), _number(given["attempt"], "attempt", 1001), begin, actions, times,
        _number(given["clock"], "clock", LONGEST_MS), tuple(presses), frozenset(map(str, by)), found,
    )  # fmt: skip


def _number(value: object, name: str, most: int, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Refused(f"`{name}` has {json.dumps(value)[:40]}, expected a whole number from {least} to {most}")
    return value


def witness(state: State) -> int:
    """CRC-32 of what is where: `witness` of `page_play.js` computes the same in the page.

    It is of the sprites that can die but not move, a byte each, then of (id, type, x, y) of all others in order of
    their ids, 32 bits each.
    """
    arrays = state.arrays()
    moving = arrays.moving
    found = np.stack([moving[name].astype("<i4") for name in ("id", "type", "x", "y")], axis=1)
    found = found[found[:, 0] >= 0]
    found = found[np.argsort(found[:, 0], kind="stable")]
    alive = (arrays.mortal_alive != 0).astype(np.uint8).tobytes()
    return zlib.crc32(found.tobytes(), zlib.crc32(alive))


class PagePlay:
    """A play that runs in a page, as far as it is stored."""

    def __init__(self, side: Side, play: Play, before: Standing, state: State, owner: str) -> None:
        self.side, self.play, self.before, self.state, self.owner = side, play, before, state, owner
        self.presses = play.presses[1:-1]
        self.count = len(json.loads(play.presses))
        self.clock = round(1000 * play.seconds)
        self.inputs = frozenset(play.input.split())
        self.lock = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<PagePlay {self.play.id} of {self.side.playable.item.name}: {self.play.ticks} ticks>"

    @property
    def standing(self) -> Standing:
        """Progress of the participant with this side."""
        old, play = self.before, self.play
        return Standing(old.attempts + 1, old.seconds + play.seconds, old.finished + play.over, play.over)


class PagePlays:
    """All plays of one server process that run in pages.

    Args:
        plays: those that run on the server, from which a page may take one over.
        store: of the study.
        threads: for the database.
    """

    def __init__(self, plays: StudyPlays, store: StudyStore, threads: Threads) -> None:
        self.plays, self.store, self.threads, self.config = plays, store, threads, store.config
        self._open: OrderedDict[tuple[int, int], PagePlay] = OrderedDict()
        self._leases: dict[str, tuple[int, int]] = {}
        self._workers = ThreadPoolExecutor(WORKERS, "study-verify")
        self._waiting = 0
        self._queue: list[tuple[Progress, str, int, asyncio.Future[bool]]] = []
        self._saving: asyncio.Task[None] | None = None
        self._saved = 0.0
        """Time at which batches were last stored."""
        self.took = 0.0
        """Seconds that a batch takes until it is stored, of late."""

    def __repr__(self) -> str:
        return f"<PagePlays with {len(self._open)} plays>"

    # -- opening -------------------------------------------------------------------------------------------------------

    async def open(self, side: Side, owner: str, again: int | None = None) -> dict[str, Any]:
        """Open a play for a page; whoever had it has it no more.

        Args:
            side: what is played.
            owner: secret of the participant.
            again: attempt after which the level is started anew; None: go on where it was.

        Raises:
            Refused: when the level cannot be started anew.
        """
        await self.plays.leave_to_page(side.key)
        before = self._open.get(side.key)
        # A page that is left sends what is not stored yet, and the one that follows it asks at once where to go on.
        async with before.lock if before is not None else nullcontext():
            known = await self.threads.read(self.store.plays_of, side.pair.id)
            mine = [play for play in known if play.side == side.side]
            attempt = mine[-1].attempt if mine else 0
            if again is not None and again == attempt:  # asked twice, it is the next one already
                if not mine or not mine[-1].actions:
                    raise Refused("nothing was played yet", 409)
                standing = _standing(mine)
                if is_spent(standing, self.config) or not restarts_left(standing, self.config):
                    raise Refused("the level cannot be started anew any more", 409)
                attempt += 1
            lease = secrets.token_hex(16)
            play = await self.threads.write(
                self.store.begin_play, side.pair.id, side.side, attempt, side.seed, lease, client=True
            )
            seat = await self._restore(side, play, _standing(mine[:attempt]), owner)
        return {
            "lease": lease, "attempt": attempt, "seed": play.seed, "actions": play.actions,
            "presses": max(0, MOST_PRESSES - seat.count), "letters": dict(LETTERS), **self._told(seat),
        }  # fmt: skip

    async def _restore(self, side: Side, play: Play, before: Standing, owner: str) -> PagePlay:
        state = await self._work(_replayed, side, play)
        if state.is_over and not play.over:  # the server that played it to its end was killed before it noted that
            play = replace(play, over=True, key=f"{state.key():016x}")
            await self._store(play, play.ticks)
        seat = PagePlay(side, play, before, state, owner)
        self.drop(side.key)
        self._open[side.key] = seat
        self._leases[play.lease] = side.key
        while len(self._open) > MOST_OPEN:
            self.drop(next(iter(self._open)))
        return seat

    def _told(self, seat: PagePlay) -> dict[str, Any]:
        """The numbers that a page gets with every answer."""
        standing, config = seat.standing, self.config
        spent = is_spent(standing, config)
        return {
            "ticks": seat.play.ticks, "clock": seat.clock,
            "next": self._next(),
            "study": {
                "seconds": round(standing.seconds, 1), "minimum": config.minimum, "maximum": config.maximum,
                "enough": is_enough(standing, config), "spent": spent,
                "restarts": 0 if spent else restarts_left(standing, config),
            },
        }  # fmt: skip

    def _next(self) -> float:
        """Seconds until a page is to send its next batch; pages that begin together do not stay together."""
        wait = max(SOONEST_S, len(self._open) / BATCHES_PER_SECOND, PATIENCE * self.took)
        return round(min(LATEST_S, wait) * random.uniform(0.8, 1.0), 2)

    # -- batches -------------------------------------------------------------------------------------------------------

    def leased(self, lease: str, owner: str) -> PagePlay | None:
        """Return the play of a lease if it is in memory, and this participant's."""
        key = self._leases.get(lease)
        seat = self._open.get(key) if key is not None else None
        if key is None or seat is None or seat.play.lease != lease or seat.owner != owner:
            return None
        self._open.move_to_end(key)
        return seat

    async def bring_back(self, side: Side, batch: Batch, owner: str) -> PagePlay:
        """Return a play that is not in memory as it was stored.

        Raises:
            Elsewhere: when the page has it no more.
        """
        known = await self.threads.read(self.store.plays_of, side.pair.id)
        mine = [play for play in known if play.side == side.side]
        if not mine or mine[-1].lease != batch.lease or not mine[-1].client:
            raise Elsewhere
        return await self._restore(side, mine[-1], _standing(mine[:-1]), owner)

    async def take(self, seat: PagePlay, batch: Batch) -> dict[str, Any]:
        """Play a batch again, store what it adds, and return what the page is told then.

        Raises:
            Behind: when it does not begin where the stored play ends.
            Untrue: when the actions do not lead to what it claims.
            Refused: when it cannot be taken for another reason.
        """
        began = time.monotonic()
        async with seat.lock:
            if batch.attempt != seat.play.attempt:
                raise Behind("this is a batch of another attempt", self._told(seat))
            if batch.begin != seat.play.ticks:
                raise Behind(f"{seat.play.ticks} ticks are stored, the batch begins at {batch.begin}", self._told(seat))
            try:
                self._check(seat, batch)
                state = await self._work(_played, seat.state, batch)
            except Untrue as error:
                await self.threads.write(self.store.flag_play, seat.play.id, str(error))
                log.warning("a page of item %s was refused: %s", seat.side.playable.item.name, error)
                raise
            fresh = ",".join(f'[{ticks},"{letter}",{down}]' for ticks, letter, down in batch.presses)
            room = MOST_PRESSES - seat.count
            if room < len(batch.presses):
                fresh = ""
            presses = ",".join(part for part in (seat.presses, fresh) if part)
            inputs = seat.inputs | batch.by
            claim = batch.claim
            play = replace(
                seat.play, actions=seat.play.actions + batch.actions, presses=f"[{presses}]", ticks=claim.ticks,
                score=claim.score, winner=claim.winner, over=claim.over, key=f"{state.key():016x}",
                seconds=batch.clock / 1000, input=" ".join(sorted(inputs)),
            )  # fmt: skip
            if not await self._store(play, seat.play.ticks):
                if self._open.get(seat.side.key) is seat:
                    self.drop(seat.side.key)
                raise Elsewhere
            seat.play, seat.state, seat.presses, seat.inputs = play, state, presses, inputs
            seat.count += len(batch.presses) if fresh else 0
            seat.clock = batch.clock
            self.took += 0.02 * (time.monotonic() - began - self.took)
            return self._told(seat)

    def _check(self, seat: PagePlay, batch: Batch) -> None:
        """Refuse what cannot be without playing it."""
        play = seat.play
        if play.over and batch.actions:
            raise Untrue("actions after the end of the game")
        if play.ticks + len(batch.actions) > MOST_TICKS:
            raise Refused(f"a play has {MOST_TICKS} ticks at most", 409)
        if batch.claim.ticks != play.ticks + len(batch.actions):
            raise Untrue(f"{batch.claim.ticks} ticks are claimed of {play.ticks + len(batch.actions)}")
        if batch.clock < seat.clock:
            raise Untrue("the clock of the play ran backwards")
        if seat.clock + sum(batch.times) > batch.clock:
            raise Untrue("actions are later than the clock of the play")
        wall = (time.time() - play.started) * (1 + SLACK_SHARE)
        if batch.clock / 1000 > wall + SLACK_S:
            raise Untrue("the clock of the play ran for longer than there was time")
        pace = seat.side.playable.pace.ticks_per_second
        if batch.claim.ticks > (wall + SLACK_S) * pace + SLACK_TICKS:
            raise Untrue("the play is faster than the game")
        if self.config.maximum and batch.actions:
            most = self.config.maximum + SLACK_S - seat.before.seconds
            if (seat.clock + sum(batch.times)) / 1000 > most:
                raise Refused("the time for this game is up", 409)

    def drop_pair(self, pair: int) -> None:
        """Forget both plays of a pair that was voted on or deleted."""
        for side in range(len(SIDES)):
            self.drop((pair, side))

    def drop(self, key: tuple[int, int]) -> None:
        """Forget a play; what was acknowledged of it is stored."""
        seat = self._open.pop(key, None)
        if seat is not None:
            self._leases.pop(seat.play.lease, None)

    async def _work(self, work: Any, *args: Any) -> Any:
        if self._waiting >= MOST_WAITING:
            raise Refused("too many plays are being checked at this moment", 503)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._workers, work, *args)
        finally:
            self._waiting -= 1

    # -- saving --------------------------------------------------------------------------------------------------------

    async def _store(self, play: Play, before: int) -> bool:
        """Wait until a play, of which so many ticks were stored before, is on the disk; False when it is another's."""
        progress = Progress(
            play.id, play.actions, play.presses, play.ticks, play.score, play.winner, play.over, play.key,
            play.seconds, play.input,
        )  # fmt: skip
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._queue.append((progress, play.lease, before, done))
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save())
        return await done

    async def _save(self) -> None:
        """Write what waits, all of it in one transaction, until nothing does: one disk access serves many pages."""
        while self._queue:
            await asyncio.sleep(self._saved + 1 / SAVES_PER_SECOND - time.monotonic())
            self._saved = time.monotonic()
            todo, self._queue = self._queue, []
            try:
                lost = set(await self.threads.save(self.store.save_page_plays, [one[:3] for one in todo]))
            except Exception:
                log.exception("plays could not be saved; their pages send them again")
                for _, _, _, done in todo:
                    if not done.done():
                        done.set_exception(Refused("nothing can be stored at this moment", 503))
                continue
            for progress, _, _, done in todo:
                if not done.done():
                    done.set_result(progress.play not in lost)

    def close(self) -> None:
        """Let the threads end."""
        self._workers.shutdown(wait=True)


def _standing(plays: list[Play]) -> Standing:
    """Progress of a participant with some attempts."""
    return Standing(
        len(plays), sum(p.seconds for p in plays), sum(p.over for p in plays), plays[-1].over if plays else False
    )


def _replayed(side: Side, play: Play) -> State:
    """The state of a play as it was stored."""
    playable = side.playable
    state = playable.game.start("\n".join(playable.game.read_level(playable.item.level).rows), seed=play.seed)
    for action in decode_play(play.actions):
        state.advance(action)
    return state


def _played(before: State, batch: Batch) -> State:
    """The state after a batch.

    Raises:
        Untrue: when the batch claims something else, or the game was over before its last action.
    """
    state = before.copy()
    for action in decode_play(batch.actions):
        if state.is_over:
            raise Untrue("actions after the end of the game")
        try:
            state.advance(action)
        except PcgError as error:
            raise Refused(f"the engine cannot go on with this play: {error}", 409) from None
    found = Claim.of(state)
    for name in CLAIMS:
        told, real = getattr(batch.claim, name), getattr(found, name)
        if told != real:
            raise Untrue(f"played again, {name} is {real}, and not {told}")
    return state


def image_name(key: str, item: int, data: bytes) -> str:
    """Name of an item's image in its address, which nobody can guess who was not told.

    Args:
        key: of the study.
        item: id.
        data: the image.
    """
    return f"{item}-{hashlib.blake2b(data, key=key.encode()[:64], digest_size=16).hexdigest()}"
