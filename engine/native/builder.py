"""Builder of native libraries: processes that compile side by side while this one shows their progress."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pcg.engine.kernel.entry_points import EntryPoint
from pcg.engine.kernel.modes import CHECKED
from pcg.engine.native import objects
from pcg.engine.native.foreign import ForeignModule, search_path
from pcg.engine.native.lookup import ENGINE, find, find_selection, missing, missing_selections, together
from pcg.engine.native.selections import Selection
from pcg.engine.native.sources import entry_modules, module_files
from pcg.engine.native.targets import TARGETS, host
from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError

_WORKER = "from pcg.engine.native.worker import main; main()"
Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Order:
    """One library to build, for one target or several."""

    package: str
    targets: tuple[str, ...]
    foreign: dict[str, str] | None = None
    selection: Selection | None = None


def build_missing(
    names: Sequence[str], progress: Progress | None = None, target: str = "", *, selections: bool = False
) -> None:
    """Build the libraries of packages and keep them in the user's cache folder.

    One process builds at a time; what another one has built meanwhile is not built again.

    Args:
        names: packages.
        progress: called with a line and the seconds so far, instead of lines on standard error.
        target: name of a target; this machine's by default.
        selections: also build the selections of entry points that are missing (`selections`), each for its own target.
    """
    folder = objects.cache_folder()
    with objects.one_builder(folder):
        orders = [Order(name, (target or host().name,)) for name in missing(names, target)]
        orders += [order_of(one) for one in missing_selections()] if selections else []
        if orders:
            build(orders, folder, progress=progress)
            objects.prune(folder)


def order_of(wanted: Selection) -> Order:
    """Return the order for the library of a selection."""
    return Order("", (wanted.target,), selection=wanted)


def build_selection(wanted: Selection) -> None:
    """Build the library of a selection, unless that is done, and keep it in the user's cache folder."""
    folder = objects.cache_folder()
    with objects.one_builder(folder):
        if find_selection(wanted) is None:
            build([order_of(wanted)], folder, checked=False)
            objects.prune(folder)


def build_foreign(unit: ForeignModule, target: str = "") -> None:
    """Build functions of users alone, for this machine by default, and keep them in the user's cache folder."""
    folder = objects.cache_folder()
    with objects.one_builder(folder):
        if find(unit.label, unit.digest, target) is None:
            _build_unit(unit, "", unit.label, unit.digest, (target or host().name,), folder, CHECKED, quiet=True)
            objects.prune(folder)


def build_together(
    files: Sequence[Path], targets: Sequence[str], folder: Path, *, checked: bool = CHECKED
) -> list[Path]:
    """Build the engine's kernels and functions of users into one module.

    Args:
        files: Python files that register effects and sprite classes; they are imported.
        targets: names of targets.
        folder: where the object files go. In the user's cache folder they are found when the same functions are
            registered again.
        checked: build with bounds checks.

    Returns:
        The paths of the files, one per target.
    """
    names = [load_plugin(path) for path in files]
    entries = [e for e in EntryPoint.registry if e.module in names]
    if not entries:
        raise PcgError(f"{', '.join(map(str, files))}: no effect or sprite class is registered there")
    unit = ForeignModule(names, entries)
    label, digest = together(unit)
    return _build_unit(unit, ENGINE, label, digest, targets, folder, checked)


def _build_unit(
    unit: ForeignModule,
    package: str,
    label: str,
    digest: str,
    targets: Sequence[str],
    folder: Path,
    checked: bool,
    *,
    quiet: bool = False,
) -> list[Path]:
    with tempfile.TemporaryDirectory(prefix="pcg-") as scratch:
        path = Path(scratch) / "functions"
        path.write_bytes(unit.pickled)
        foreign = {"path": str(path), "label": label, "digest": digest}
        return build([Order(package, tuple(targets), foreign)], folder, checked=checked, quiet=quiet)


def build(
    orders: Iterable[Order],
    folder: Path,
    *,
    checked: bool = CHECKED,
    progress: Progress | None = None,
    quiet: bool = False,
    processes: int = 0,
) -> list[Path]:
    """Build libraries into a folder with several processes and return the paths of their files.

    Args:
        orders: what to build; the largest goes first, and a selection where its functions were compiled already.
        folder: where the files go.
        checked: build with bounds checks.
        progress: called with a line and the seconds so far, instead of lines on standard error.
        quiet: print nothing.
        processes: at most so many at once; as many as there are processors by default.

    Raises:
        PcgError: when something cannot be compiled.
    """
    waiting = list(orders)
    batches = _batches(waiting)
    number = min(len(batches), processes or _processors())
    show = _Reporter(waiting, number, progress, quiet)
    todo: queue.SimpleQueue[list[Order] | None] = queue.SimpleQueue()
    for batch in [*batches, *[None] * number]:
        todo.put(batch)
    answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    workers = [_Worker(todo, answers, folder, checked) for _ in range(number)]
    files: list[Path] = []
    try:
        for _ in waiting:
            while True:
                try:
                    answer = answers.get(timeout=0.2)
                    break
                except queue.Empty:
                    show.update(len(files))
            if "error" in answer:
                detail = f"\n{answer['trace']}" if os.environ.get("PCG_VERBOSE_COMPILE") else ""
                raise PcgError(
                    f"building the kernels of {answer['package'] or 'a user'} failed: {answer['error']}{detail}\n"
                    "(PCG_VERBOSE_COMPILE=1 shows where; PCG_KERNELS=jit compiles them in this process instead)"
                )
            files += [Path(name) for name in answer["files"]]
            show.finished(answer["done"], answer["seconds"])
    finally:
        for worker in workers:
            worker.stop()
    show.done()
    return files


def _batches(orders: Sequence[Order]) -> list[list[Order]]:
    """Return the orders that one process does in turn, the longest first.

    A selection goes to the process that builds the package which most of it is of: Numba's front end has done its
    functions there, which is half of the work. The bytes of a library do not depend on it.
    """
    batches = {order.package: [order] for order in orders if order.package and order.selection is None}
    alone = []
    for order in orders:
        if order.selection is not None and order.selection.main_package in batches:
            batches[order.selection.main_package].append(order)
        elif order not in batches.get(order.package, ()):
            alone.append([order])
    return sorted([*batches.values(), *alone], key=lambda batch: sum(map(_size, batch)), reverse=True)


def _size(order: Order) -> int:
    if order.selection is not None:
        return sum(path.stat().st_size for path in module_files({m for m, _ in order.selection.symbols}).values())
    if not order.package:
        return 0
    return sum(path.stat().st_size for path in module_files(entry_modules(order.package)).values())


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class _Worker:
    """A process that builds one order after the other, and the thread that hands them to it.

    A process that has written WebAssembly gives way to a new one: from then on it would write other code for
    processors, as correct but not the same byte for byte.
    """

    def __init__(
        self,
        todo: queue.SimpleQueue[list[Order] | None],
        answers: queue.SimpleQueue[dict[str, Any]],
        folder: Path,
        checked: bool,
    ) -> None:
        self._todo, self._answers, self._folder, self._checked = todo, answers, folder, checked
        self._lock = threading.Lock()
        self._stopped = self._spent = False
        self._process = self._started()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _started(self) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PCG_KERNELS": "build",
            "PCG_BOUNDSCHECK": "1" if self._checked else "0",
            "PYTHONPATH": os.pathsep.join(search_path()),
            "PYTHONHASHSEED": "0",  # sets of strings come in the same order, so that builds are the same
            "NUMBA_COLOR_SCHEME": "no_color",
        }
        environment.pop("NUMBA_DISABLE_JIT", None)
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=self._folder,
            start_new_session=True,  # Ctrl-C is for the process that waits, which ends this one
        )

    def _serve(self) -> None:
        while (batch := self._todo.get()) is not None:
            for order in batch:
                line = self._answer(order)
                if not line:
                    code = self._process.wait()
                    text = f"the process that builds ended with status {code}"
                    label = order.selection.label if order.selection else order.package
                    self._answers.put({"error": text, "trace": "", "package": label})
                    return
                self._answers.put(json.loads(line))

    def _answer(self, order: Order) -> str:
        """Send an order and return the line that answers it, "" when the process has ended."""
        wasm = [name in TARGETS and TARGETS[name].is_wasm for name in order.targets]
        if self._spent and not all(wasm):
            self._replace()
        self._spent = self._spent or any(wasm)
        assert self._process.stdin is not None and self._process.stdout is not None
        message = {
            "package": order.package,
            "targets": order.targets,
            "checked": self._checked,
            "folder": str(self._folder),
            "foreign": order.foreign,
            "selection": asdict(order.selection) if order.selection else None,
        }
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()
        return ""

    def _replace(self) -> None:
        """Start another process in the place of this one, unless all is over."""
        with self._lock:
            if not self._stopped:
                self._end()
                self._process, self._spent = self._started(), False

    def stop(self) -> None:
        """End the process; nothing half-written stays behind."""
        with self._lock:
            self._stopped = True
            self._end()

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


class _Reporter:
    """One line about a build: what, how far, how long."""

    def __init__(self, orders: Sequence[Order], processes: int, progress: Progress | None, quiet: bool) -> None:
        self._number, self._quiet, self._progress = len(orders), quiet, progress
        self._started = time.perf_counter()
        self._finished = 0
        self._live = progress is None and not quiet and sys.stderr.isatty()
        what = f"{self._number} part{'s' if self._number > 1 else ''}, {processes} at a time"
        targets = {name for order in orders for name in order.targets if order.selection is None}
        whom = "this machine, once per version" if targets == {host().name} else ", ".join(sorted(targets))
        if not targets:
            whom = "pages in the browser, once per version"
        self._line = f"building the kernels for {whom}: {what}"
        if progress is not None:
            progress(self._line, 0.0)
        elif not quiet and not self._live:
            self._write(f"pcg: {self._line} ...\n")

    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def update(self, _: int = 0) -> None:
        """Show the seconds so far."""
        line = f"{self._line}, {self._finished} done, {self._seconds():.0f} s"
        if self._progress is not None:
            self._progress(line, self._seconds())
        elif self._live:
            self._write(f"\rpcg: {line} ")

    def finished(self, package: str, seconds: float) -> None:
        """Count one part."""
        self._finished += 1
        if os.environ.get("PCG_VERBOSE_COMPILE"):
            self._write(f"pcg:   {package}: {seconds:.1f} s\n")
        self.update()

    def done(self) -> None:
        """Show the duration of the build."""
        if self._progress is None and not self._quiet:
            start = "\r\x1b[K" if self._live else ""
            self._write(f"{start}pcg: kernels built in {self._seconds():.0f} s\n")
