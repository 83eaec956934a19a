"""Threads that wait for the database, beside the loop that plays, so that no tick waits for a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import sqlalchemy as sa

P = ParamSpec("P")
T = TypeVar("T")

READERS = 4
WRITERS = 6


class Threads:
    """Threads of one application.

    SQLite has one writer at a time; a second one would wait in sleeps that grow, so there is one thread for it.

    Args:
        engine: of the database.
    """

    def __init__(self, engine: sa.Engine) -> None:
        alone = engine.dialect.name == "sqlite"
        self._readers = ThreadPoolExecutor(READERS, "study-read")
        self._writers = ThreadPoolExecutor(1 if alone else WRITERS, "study-write")
        self._saver = self._writers if alone else ThreadPoolExecutor(1, "study-save")
        self._player = ThreadPoolExecutor(1, "study-replay")

    async def read(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something that reads the database."""
        return await self._run(self._readers, work, *args, **kwargs)

    async def write(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something that writes to it."""
        return await self._run(self._writers, work, *args, **kwargs)

    async def save(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write the progress of plays; never waits behind anything else where the database lets us."""
        return await self._run(self._saver, work, *args, **kwargs)

    async def play(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Play something again; one at a time, since each takes processor time from those who play now."""
        return await self._run(self._player, work, *args, **kwargs)

    async def _run(self, pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, lambda: work(*args, **kwargs))

    def close(self) -> None:
        """Let the threads end."""
        for pool in (self._readers, self._writers, self._saver, self._player):
            pool.shutdown(wait=True)
