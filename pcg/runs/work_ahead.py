"""Work that will probably be asked for, begun while workers would otherwise wait.

Where every step of a run depends on the last one, most workers wait. What the next steps need can often be guessed. A
guess that was right has its result at once, one that was wrong is dropped; so results are the same with any number of
workers, as with drafts made ahead of time (`pcg.generators.levels.portfolio.ahead`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, NamedTuple

from pcg.runs.workers import Ticket, Workers

_LOOK = 0.2
"""Seconds between two looks for a worker that waits."""


class Piece(NamedTuple):
    """Work whose result depends on nothing but its arguments."""

    label: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class WorkAhead:
    """Work by workers, with guesses at what will be asked for next.

    Nothing is guessed with one worker, and where work that has begun cannot be ended.

    Args:
        workers: do it.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._guessed: dict[str, Ticket] = {}
        """Work that nobody has asked for, by its label."""
        self.right = 0
        """Number of guesses that were asked for later."""

    def results(self, pieces: Sequence[Piece], guesses: Callable[[], Sequence[Piece]]) -> Iterator[Any]:
        """Yield the results of some work, in order.

        Args:
            pieces: the work.
            guesses: what may come next, the likeliest first; called once, when a worker waits.
        """
        tickets = [self._take(piece) for piece in pieces]
        asked = {piece.label for piece in pieces}
        likely: list[Piece] | None = None
        for ticket in tickets:
            while self._guesses and not self._is_done(ticket):
                if self._has_room():
                    if likely is None:
                        likely = [piece for piece in guesses() if piece.label not in asked]
                    self._begin(likely)
                try:
                    yield self._workers.result(ticket, _LOOK)
                    break
                except FutureTimeout:
                    continue
            else:
                yield self._workers.result(ticket)

    def close(self) -> None:
        """Drop what nobody has asked for."""
        for ticket in self._guessed.values():
            self._workers.drop(ticket)
        self._guessed.clear()

    @property
    def _guesses(self) -> bool:
        return self._workers.count > 1 and self._workers.can_drop

    @staticmethod
    def _is_done(ticket: Ticket) -> bool:
        return ticket.future is not None and ticket.future.done()

    def _has_room(self) -> bool:
        return sum(not self._is_done(ticket) for ticket in self._workers.open) < self._workers.count

    def _take(self, piece: Piece) -> Ticket:
        """Return the work, begun now or before."""
        ticket = self._guessed.pop(piece.label, None)
        if ticket is not None:
            if ticket.arguments == piece.arguments:
                self.right += 1
                return ticket
            self._workers.drop(ticket)
        return self._workers.submit(*piece[:2], *piece.arguments)

    def _begin(self, likely: Sequence[Piece]) -> None:
        for piece in likely:
            if not self._has_room():
                return
            if piece.label not in self._guessed:
                self._guessed[piece.label] = self._workers.submit(*piece[:2], *piece.arguments)
