"""Many matches side by side, in processes that may be stopped when an agent stalls.

Every match is played in a worker process, one at a time, whatever the agents: a thread that hangs cannot be ended, and
a crash would take the tournament along. Compiled agents could share one process in threads; that saves about a second
to start each worker and nothing per match: with `mcts` and `onestep` on four built-in games (48 matches, 7.9 million
calls), threads took 3.3 to 3.9 s of CPU time and processes 1.0 to 1.3 s more for each worker. Results are handed out in
the order of the matches, so that the number of workers is not seen in them.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from pcg.engine.kernel.runtime import compile_all
from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.registry import agent_type, read_agent
from pcg.evaluators.processes import WorkerProcess, begin_worker, processors
from pcg.evaluators.tournament.games import Entry
from pcg.evaluators.tournament.match import Fault, MatchResult, forfeit, play_match
from pcg.evaluators.tournament.rules import Rules
from pcg.evaluators.tournament.schedule import Match

_AHEAD = 64
"""Matches that may be finished before one that comes earlier: what a killed tournament loses at most."""
_LOOK = 0.05
"""Seconds between two looks at the clocks of agents."""
_UNSEEN = 1.0
"""Seconds between two looks from which on the program, or the whole machine, was stopped meanwhile."""
_STARTING = 300.0
"""Seconds after which a worker that does not get ready is given up."""
_PHASES = ("", "construction", "decision")


@dataclass(frozen=True)
class _Setting:
    """The settings that every worker knows."""

    entries: Mapping[str, Entry]
    rules: Rules
    plugins: tuple[str, ...]


def _work(connection: Connection, clock: Any, setting: _Setting) -> None:
    """A worker process: matches in, results out, until the connection is closed."""
    begin_worker()
    os.dup2(2, 1)  # what agents print goes to standard error, not between our tables

    def watch(phase: str, player: int, tick: int) -> None:
        clock[1], clock[2], clock[3] = player, tick, _PHASES.index(phase)
        clock[0] = time.monotonic() if phase else 0.0

    try:
        for file in setting.plugins:
            load_plugin(file)
        if setting.rules.timed:
            compile_all()  # now, and not in the time of whoever needs a kernel first
        connection.send(None)
        while True:
            match: Match = connection.recv()
            answer: object
            try:
                answer = play_match(match, setting.entries[match.game], setting.rules, watch)
            except PcgError as error:
                answer = f"{match.game}, level {match.level}: {error}"
            connection.send(answer)
    except (EOFError, BrokenPipeError):
        return


class _Worker:
    """A worker process as its parent sees it."""

    def __init__(self, setting: _Setting) -> None:
        # spawned, not forked: a fork would take over locks of the compiler in whatever state they are
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        # monotonic time at which an agent was asked (0: none is), player, tick, phase
        self.clock = context.RawArray("d", 4)
        self.process = WorkerProcess(target=_work, args=(theirs, self.clock, setting), daemon=True)
        self.process.start()
        theirs.close()
        self.match: Match | None = None
        self.ready = False
        self.since = time.monotonic()
        self._asked = self._unseen = 0.0

    def give(self, match: Match) -> None:
        self.match, self.since = match, time.monotonic()
        self.clock[0] = 0.0
        self.connection.send(match)

    def forgive(self, seconds: float) -> None:
        """Take time off that passed while nobody looked: Ctrl-Z and a closed laptop are no fault of an agent."""
        asked = self.clock[0]
        self._unseen = seconds + (self._unseen if asked == self._asked else 0.0)
        self._asked = asked

    def stalled(self, limit: float) -> float:
        """Seconds that an agent has taken, if they are too many; else 0."""
        asked = self.clock[0]
        spent = time.monotonic() - asked if asked else 0.0
        spent -= self._unseen if asked == self._asked else 0.0
        return spent if self.match is not None and spent > limit else 0.0

    def blame(self, kind: str, message: str) -> MatchResult:
        """The result of the match that this worker cannot finish."""
        assert self.match is not None
        player = min(int(self.clock[1]), len(self.match.agents) - 1)
        tick = int(self.clock[2])
        fault = Fault(player, self.match.agents[player], tick, kind, message)
        return forfeit(self.match, fault, max(tick, 0))

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def run_matches(
    matches: Sequence[Match],
    entries: Sequence[Entry],
    rules: Rules,
    *,
    workers: int | None = None,
    plugins: Sequence[str] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Generator[MatchResult, None, None]:
    """Play matches in worker processes.

    An agent written in Python that takes longer than ``rules.stall`` seconds of wall time, or whose process dies, is
    disqualified; its worker is replaced and the tournament goes on. Compiled agents with a budget of calls are not
    watched. Closing the iterator ends all workers at once.

    Args:
        matches: what to play.
        entries: the games they name.
        rules: the rules.
        workers: processes, by default one per processor; with a time budget no more than that.
        plugins: Python files that register agents, for the workers to load.
        stop: asked before each match begins; once true, those under way are finished and no other is begun.

    Yields:
        The results, in the order of the matches.

    Raises:
        PcgError: more workers than processors with a time budget; a game that cannot be played.
    """
    workers = processors() if workers is None else workers
    if workers < 1:
        raise PcgError(f"workers is {workers}, expected at least 1")
    if rules.timed and workers > processors():
        raise PcgError(
            f"{workers} workers on {processors()} processors: with a time budget every play needs one of its own"
        )
    setting = _Setting({e.name: e for e in entries}, rules, tuple(plugins))
    for agent in sorted({agent for match in matches for agent in match.agents}):
        agent_type(read_agent(agent).name)
    compile_all()  # once per machine, not once per worker
    crew: list[_Worker] = []
    try:
        yield from _drive(matches, setting, crew, min(workers, len(matches)), stop)
    finally:
        for worker in crew:
            worker.end()


def _drive(
    matches: Sequence[Match], setting: _Setting, crew: list[_Worker], workers: int, stop: Callable[[], bool]
) -> Iterator[MatchResult]:
    done: dict[int, MatchResult] = {}
    begun = handed_out = 0
    end = len(matches)
    place: dict[int, int] = {match.id: k for k, match in enumerate(matches)}
    looked = time.monotonic()
    while handed_out < end:
        if begun < end and stop():
            end = begun
            continue
        while len(crew) < min(workers, max(1, end - handed_out)):
            crew.append(_Worker(setting))
        for worker in crew:
            if worker.ready and worker.match is None and begun < end and begun - handed_out < _AHEAD:
                worker.give(matches[begun])
                begun += 1
        wait([w.connection for w in crew], timeout=_LOOK)
        before, looked = looked, time.monotonic()
        for position, worker in enumerate(crew):
            worker.forgive(looked - before if looked - before > _UNSEEN else 0.0)
            result = _look(worker, setting.rules)
            if result is None:
                continue
            done[place[result.match.id]] = result
            if result.fault is not None and result.fault.kind in ("stalled", "died") and worker.match is not None:
                worker.end()
                crew[position] = _Worker(setting)
            worker.match = None
        while handed_out in done:
            yield done.pop(handed_out)
            handed_out += 1


def _look(worker: _Worker, rules: Rules) -> MatchResult | None:
    """News of a worker: a result, or that there will be none."""
    try:
        if worker.connection.poll():
            answer = worker.connection.recv()
            if answer is None:
                worker.ready = True
                return None
            if isinstance(answer, str):
                raise PcgError(answer)
            assert isinstance(answer, MatchResult)
            return answer
    except (EOFError, OSError):
        worker.process.join(1.0)
        if worker.match is None:
            raise PcgError(
                f"a worker process ended with exit code {worker.process.exitcode} before it played"
            ) from None
        return worker.blame("died", f"its process ended with exit code {worker.process.exitcode}")
    spent = worker.stalled(rules.stall)
    if spent:
        phase = _PHASES[int(worker.clock[3])] or "decision"
        return worker.blame("stalled", f"no {phase} within {rules.stall:g} s, stopped by force")
    if not worker.ready and time.monotonic() - worker.since > _STARTING:
        raise PcgError(f"a worker process was not ready within {_STARTING:.0f} s")
    return None
