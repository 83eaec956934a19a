"""A server of a study in a process of its own, for simulated participants, tests and benchmarks."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError

START_S = 180.0
"""Seconds that a server may take to start; kernels are compiled on the first one of all."""


@dataclass
class Hosted:
    """A server that runs."""

    url: str
    process: multiprocessing.process.BaseProcess

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process.pid is not None:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()


def _run(folder: str, database: str | None, port: int, limited: bool, pipe: Connection) -> None:
    from pcg.study.server.running import run_study
    from pcg.study.server.security import Limits

    def tell(line: str) -> None:
        if line.startswith("participants"):
            pipe.send(line.split()[1].rstrip("/"))

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us, who then ends us
    try:
        run_study(
            Path(folder),
            database=database,
            port=port,
            limits=None if limited else Limits.none(),
            most=10_000,
            tell=tell,
        )
    except PcgError as error:
        pipe.send(error)


def start(
    folder: Path | str, database: str | None = None, *, port: int = 0, limited: bool = False, ready: bool = False
) -> Hosted:
    """Start a server and wait until it answers.

    Args:
        folder: of the study.
        database: address of a database that is not the folder's.
        port: to listen on; 0: any that is free.
        limited: with the usual limits on how much one may ask for.
        ready: keep a process ready of which servers are copies, so that all but the first start at once.

    Raises:
        PcgError: when it does not start.
    """
    context = multiprocessing.get_context("forkserver" if ready else "spawn")
    if ready:
        context.set_forkserver_preload(["pcg.study.server_preload"])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(  # type: ignore[attr-defined]
        target=_run, args=(str(folder), database, port, limited, theirs), daemon=True
    )
    process.start()
    theirs.close()
    told: object = None
    with contextlib.suppress(EOFError):
        told = ours.recv() if ours.poll(START_S) else None
    if not isinstance(told, str):
        process.kill()
        process.join()
        raise told if isinstance(told, PcgError) else PcgError("the server of the study did not start")
    return Hosted(told, process)


@contextlib.contextmanager
def hosted(folder: Path | str, database: str | None = None, *, limited: bool = False) -> Iterator[Hosted]:
    """A server for as long as the block lasts; it is asked to end, and has then saved everything."""
    server = start(folder, database, limited=limited)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.join(30)
        if server.process.is_alive():
            server.kill()
