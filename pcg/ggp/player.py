"""A player of the protocol: holds a match, lets an agent think within the clock, and always has a legal move to send.

The agent thinks in a thread of its own. When the clock is about to run out, a legal move goes out whatever the agent is
doing; what it answers later counts for nothing.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Agent, Budget, make_agent
from pcg.ggp.messages import Abort, Info, Message, MessageError, Play, Preview, Start, Stop, read_message
from pcg.ggp.ungrounded import best_mean

if TYPE_CHECKING:
    from pcg.engine.gdl.game import GdlGame, SheetState

MARGIN = 1.0
"""Seconds kept from every clock for the way back; a fifth of the clock where that is less."""
SLOW = 0.1
"""Seconds that a question to rules that do not ground may take beyond its time."""
PATIENCE = 120.0
"""Seconds beyond its clocks after which a match of which nothing is heard is given up."""
BRIEF = 0.1
"""Share of the time for a first thought, which is sent when the second one is not done in time."""
CAUTION = 0.85
"""Share of the rest for the second."""
EXPLORE = 1.0
"""Seconds of search between two looks at the start clock."""


class Refused(PcgError):
    """A message that makes sense, but not now: an unknown match, moves that do not fit."""


class _Worker:
    """A thread that does one thing after the other."""

    def __init__(self, name: str) -> None:
        self._tasks: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[tuple[Any, Any]]] | None] = (
            queue.SimpleQueue()
        )
        threading.Thread(target=self._work, daemon=True, name=name).start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            function, answers = task
            try:
                answers.put((function(), None))
            except BaseException as error:
                answers.put((None, error))

    def ask(self, function: Callable[[], Any], until: float) -> tuple[Any, BaseException | None]:
        """Return the function's result and its error; TimeoutError when it is not done at the time `until`."""
        answers: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        self._tasks.put((function, answers))
        try:
            return answers.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return None, TimeoutError("no time left")

    def end(self) -> None:
        """Let the thread end once it has done what it is doing."""
        self._tasks.put(None)


@dataclass
class _Match:
    """A match that is being played."""

    id: str
    role: str
    start_clock: int
    play_clock: int
    worker: _Worker
    heard: float
    game: GdlGame | None = None
    state: SheetState | None = None
    agent: Agent | None = None
    brief: Agent | None = None  # the same agent once more, for first thoughts; None where it has a budget of its own
    speed: float = 1.0  # processor time per second, as last seen
    late: int = 0
    replies: int = 0
    sent: str = field(default="", repr=False)


class GamePlayer:
    """Answers the messages of a game manager with the moves of an agent.

    Args:
        agent: names the agent, with parameters as in ``"uct:c=1.0"``. Without a budget of its own it thinks for as long
            as the clock allows.
        name: told in answer to INFO.
        seed: of the agent's randomness.
        margin: seconds kept from every clock.
        log: called with a line about everything that happens.

    One match at a time; a START during another one is answered with `busy`. All methods may be called by any thread.

    Raises:
        PcgError: there is no such agent.

    >>> player = GamePlayer("random", name="tester")
    >>> player.answer("(INFO)", 0.0)
    '((name tester) (status available))'
    """

    def __init__(
        self,
        agent: str = "uct",
        *,
        name: str = "pcg",
        seed: int = 0,
        margin: float = MARGIN,
        log: Callable[[str], None] | None = None,
    ) -> None:
        make_agent(agent)
        if not name or any(c.isspace() or c in "();\"'" for c in name):
            raise PcgError(f"the name is {name!r}, expected one word")
        self.agent = agent
        self.name = name
        self.seed = seed
        self.margin = margin
        self._log = log or (lambda line: None)
        self._match: _Match | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<GamePlayer {self.name}: {self.agent}, {'busy' if self._match else 'available'}>"

    # --- messages ---

    def answer(self, text: str, received: float | None = None) -> str:
        """The reply to a message.

        Args:
            text: the message.
            received: when it came in, by `time.monotonic`; the clocks run from there.

        Raises:
            MessageError: the text is no message.
            Refused: it does not fit what is being played.
        """
        return self.reply(read_message(text), time.monotonic() if received is None else received)

    def reply(self, message: Message, received: float) -> str:
        """`answer`, for a message that has been read."""
        match message:
            case Info():
                return f"((name {self.name}) (status {'busy' if self._current(received) else 'available'}))"
            case Preview():
                return "ready"
            case Start():
                return self._start(message, received)
            case Play():
                return self._play(message, received)
            case Stop():
                return self._stop(message, received)
            case Abort():
                with self._lock:
                    self._find(message.match, received)
                    self._end("aborted")
                return "aborted"

    def _current(self, now: float) -> _Match | None:
        """The match that is being played; one of which nothing has been heard for too long is given up."""
        with self._lock:
            match = self._match
            if match is not None and now - match.heard > match.start_clock + match.play_clock + PATIENCE:
                self._end("nothing was heard of it any more")
            return self._match

    def _find(self, id: str, now: float) -> _Match:
        match = self._current(now)
        if match is None or match.id != id:
            playing = "none is being played" if match is None else f"the one being played is {match.id}"
            raise Refused(f"there is no match {id}: {playing}")
        match.heard = now
        return match

    def _end(self, why: str) -> None:
        match, self._match = self._match, None
        if match is not None:
            match.worker.end()
            self._log(f"match {match.id}: {why}")

    # --- a match ---

    def _start(self, message: Start, received: float) -> str:
        with self._lock:
            if self._current(received) is not None:
                self._log(f"match {message.match}: refused, another one is being played")
                return "busy"
            match = _Match(
                message.match,
                message.role,
                message.start_clock,
                message.play_clock,
                _Worker(f"match {message.match}"),
                received,
            )
            self._match = match
        until = self._until(message.start_clock, received)
        _, error = match.worker.ask(lambda: self._load(match, message), until)
        if error is None and match.id == message.match:
            match.worker.ask(lambda: self._explore(match, until), until)
        if isinstance(error, TimeoutError):
            self._log(f"match {match.id}: the rules take longer than the start clock to get ready")
            return "ready"  # they may be ready for the first move
        if error is not None:
            said = str(error).splitlines()[0] if isinstance(error, PcgError) else repr(error)
            with self._lock:
                self._end(f"the rules cannot be used: {said}")
            raise Refused(f"the rules cannot be used: {said}")
        assert match.game is not None
        self._log(f"match {match.id}: {match.role} in a game for {len(match.game.roles)}, {match.play_clock} s a move")
        return "ready"

    def _load(self, match: _Match, message: Start) -> None:
        """Get the game, its first state and the agent."""
        from pcg.engine.gdl import Limits, load
        from pcg.engine.gdl.game import FirstOrderGame

        # a line end makes it a text, whatever stands in it
        game = load(f"{message.sheet}\n", limits=Limits(seconds=max(1.0, message.start_clock / 2)))
        role = _matching(message.role, game.roles)
        if role is None:
            raise MessageError(f"there is no role `{message.role}`, expected one of {', '.join(game.roles)}")
        match.role = role
        state: Any = game.start()
        match.game, match.state = game, state
        if isinstance(game, FirstOrderGame):
            self._log(f"match {match.id}: the rules do not ground; flat Monte-Carlo plays instead of {self.agent}")
            return
        timed = "budget=" not in self.agent
        made = []
        for _ in range(2):
            budget = Budget(milliseconds=1000) if timed else None  # so that it gets memory for budgets of time
            agent = make_agent(self.agent, seed=self.seed, budget=budget, player=game.roles.index(role))
            agent.reset(state)
            made.append(agent)
        if timed and hasattr(made[1], "act_within"):
            match.brief = made[1]
        match.agent = made[0]

    def _explore(self, match: _Match, until: float) -> None:
        """Let an agent that remembers states search until the start clock ends, a second at a time."""
        agent: Any = match.agent
        state = match.state
        if match.brief is None or agent is None or state is None or type(agent).explore is Agent.explore:
            return
        while (spare := until - time.monotonic()) > 2 * EXPLORE:
            agent.explore(state.copy(), Budget(milliseconds=1000 * min(EXPLORE, spare / 2)))

    def _until(self, clock: int, received: float) -> float:
        return received + clock - min(self.margin, clock / 5)

    def _catch_up(self, match: _Match, moves: tuple[str, ...] | None) -> None:
        """Play the joint move that a message tells.

        Raises:
            Refused: it does not fit the state, which stays as it is.
        """
        game, state = match.game, match.state
        if game is None or state is None:
            raise Refused(f"match {match.id}: the rules are not ready yet")
        if moves is None:
            if state.ply:
                raise Refused(f"match {match.id}: no moves, expected those of step {state.ply}")
            return
        if len(moves) != len(game.roles):
            raise Refused(f"match {match.id}: {len(moves)} moves, expected one for each of {', '.join(game.roles)}")
        chosen = []
        for role, move in zip(game.roles, moves, strict=True):
            legal = None if state.is_over else _matching(move, state.legal(role))
            if legal is None:
                raise Refused(f"match {match.id}: `{move[:80]}` is not legal for {role} in step {state.ply}")
            chosen.append(legal)
        state.advance(chosen)

    def _play(self, message: Play, received: float) -> str:
        with self._lock:
            match = self._find(message.match, received)
            if message.moves is None and match.sent and match.state is not None and match.state.ply == 0:
                return match.sent  # asked once more
            self._catch_up(match, message.moves)
            state = match.state
            assert state is not None
            if state.is_over:
                raise Refused(f"match {match.id}: the game is over")
        until = self._until(match.play_clock, received)
        legal = state.legal(match.role)
        move = legal[0] if len(legal) == 1 else self._think(match, legal, until)
        match.sent = move
        match.replies += 1
        return move

    def _think(self, match: _Match, legal: tuple[str, ...], until: float) -> str:
        """The agent's move; its first thought when the time is up before the second, else any legal move."""
        assert match.state is not None
        seen = match.state.copy()
        first: list[Any] = []
        answer, error = match.worker.ask(lambda: self._decide(match, seen, until, first), until)
        if error is not None:
            match.late += isinstance(error, TimeoutError)
            what = "its first thought" if first else "any legal move"
            self._log(f"match {match.id}, step {seen.ply}: the agent has not answered ({error!r}); sent {what}")
            answer = first[0] if first else legal[(match.replies + self.seed) % len(legal)]
        # NIL is the last legal move (`engine.gdl.kernel.face`)
        chosen = legal[-1] if answer in (None, "NIL") else answer
        if chosen not in legal:
            self._log(f"match {match.id}, step {seen.ply}: the agent answered {chosen!r}, which is not legal")
            return legal[(match.replies + self.seed) % len(legal)]
        return str(chosen)

    def _decide(self, match: _Match, state: SheetState, until: float, first: list[Any]) -> Any:
        """Think twice: briefly, and then for as long as the clock allows, judging by how fast the first thought was.

        Budgets are processor time, clocks are not: where others compute too, an agent needs more time than its budget.
        """
        agent, brief = match.agent, match.brief
        if agent is None:
            role = state.game.roles.index(match.role)
            return best_mean(state, role, random.Random(f"{self.seed} {state.ply}"), until - SLOW, first)
        if brief is None:
            return agent.act(state)
        spare = until - time.monotonic()
        wall, processor = time.monotonic(), time.thread_time()
        first.append(_within(brief, state, 1000 * spare * BRIEF))
        wall, processor = time.monotonic() - wall, time.thread_time() - processor
        speed = min(1.0, max(0.1, processor / wall)) if wall > 0 else 1.0
        match.speed = 0.5 * (match.speed + speed)
        return _within(agent, state, 1000 * (until - time.monotonic()) * CAUTION * min(speed, match.speed))

    def _stop(self, message: Stop, received: float) -> str:
        with self._lock:
            match = self._find(message.match, received)
            try:
                self._catch_up(match, message.moves)
            except Refused as error:
                self._end(str(error))
                return "done"
            assert match.state is not None
            goals = ", ".join(f"{role} {' '.join(map(str, values))}" for role, values in match.state.goals.items())
            self._end(f"done after {match.state.ply} steps, {goals}" + (f", {match.late} late" if match.late else ""))
        return "done"


def _within(agent: Any, state: SheetState, milliseconds: float) -> Any:
    return agent.act_within(state, Budget(milliseconds=max(1.0, milliseconds)))


def _matching(text: str, choices: tuple[str, ...]) -> str | None:
    """The choice that a text is, in any letter case where only one differs in nothing else."""
    if text in choices:
        return text
    low = text.lower()
    found = [choice for choice in choices if choice.lower() == low]
    return found[0] if len(found) == 1 else None
