"""The process that builds: reads orders from standard input, answers on standard output, one line of JSON each.

An order is ``{"package": NAME, "targets": [NAME, ...], "checked": BOOL, "folder": PATH, "foreign": PATH or null,
"selection": {...} or null}``.
With `foreign` the file of pickled functions (`foreign`) is built: alone, or, when a package is named, together with it.
With `selection` chosen entry points of several packages are (`selections.Selection`).
Answers are ``{"done": NAME, "seconds": S, "files": [...]}`` or ``{"error": TEXT}``.

Started by `builder` as ``python -P -c "from pcg.engine.native.worker import main; main()"``.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_DATA_BASE = 1024
"""Address of the constants of a WebAssembly module; its stack, which grows down towards them, is the loader's."""
_FOREIGN_DATA_BASE = 1 << 16
"""Address of the constants of functions of users in WebAssembly, behind the stack: they share the engine's memory."""
_FOREIGN_TABLE_BASE = 512
"""Their first slot of the function table, which the modules share too."""

Entry = tuple[str, Callable[..., Any], str, list[str]]
"""Symbol, function, kind of the result, kinds of the arguments."""


def main() -> None:
    """Serve orders until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what kernels or libraries print must not mix with the answers
    for line in sys.stdin:
        started = time.perf_counter()
        order = json.loads(line)
        try:
            files = _build(order)
            answer = {"done": label_of(order), "seconds": time.perf_counter() - started, "files": files}
        except Exception as error:
            text = f"{type(error).__name__}: {_one_line(str(error))}"
            answer = {"error": text, "trace": traceback.format_exc(), "package": label_of(order)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def label_of(order: dict[str, Any]) -> str:
    """Return the package or the selection of an order, "" for functions of users alone."""
    return str(order["package"] or (order.get("selection") or {}).get("label", ""))


def _one_line(text: str) -> str:
    """A message of Numba without colours and without the passes it was in."""
    lines = (line.strip() for line in re.sub(r"\x1b\[[\d;]*m", "", text).splitlines())
    return " ".join(line for line in lines if line and not line.startswith("During:"))


def _build(order: dict[str, Any]) -> list[str]:
    from pcg.engine.kernel import runtime
    from pcg.engine.native import linking, objects
    from pcg.engine.native.lookup import ENGINE
    from pcg.engine.native.sources import package_digest
    from pcg.engine.native.targets import Target, compiler, host, target_named

    if runtime.MODE != "build" or order["checked"] != runtime.CHECKED:
        raise RuntimeError("the process that builds was started in another mode")
    _prepare()
    package, foreign, chosen = order["package"], order["foreign"], order.get("selection")
    entries = _entries_of(package) if package else []
    digest = package_digest(package) if package else ""
    label = package
    if foreign:
        from pcg.engine.native.foreign import restored

        entries += restored(Path(foreign["path"]).read_bytes())
        label, digest = foreign["label"], foreign["digest"]
    if chosen:
        entries = _chosen_entries(chosen["symbols"])
        label, digest, package = chosen["label"], chosen["digest"], ENGINE  # the engine's loops are the most
    text = _front(entries)
    written = []
    targets: list[Target] = [host() if name == host().name else target_named(name) for name in order["targets"]]
    for target in sorted(targets, key=lambda one: one.is_wasm):  # after WebAssembly, LLVM writes other code for others
        code = linking.emit(text, target, package)
        header = objects.Header(
            label, digest, target.name, order["checked"], compiler(), tuple(sorted(entry[0] for entry in entries))
        )
        if target.is_wasm:
            from pcg.engine.native.wasm import FIRST_SLOT, link

            alone = bool(foreign) and not package
            code = link(
                code,
                header.symbols,
                data_base=_FOREIGN_DATA_BASE if alone else _DATA_BASE,
                table_base=_FOREIGN_TABLE_BASE if alone else FIRST_SLOT,
            )
        written.append(str(objects.write(Path(order["folder"]), header, code)))
    return written


def _prepare() -> None:
    from pcg.engine.native import linking, numba_front

    global _prepared
    if not _prepared:
        numba_front.install()
        linking.initialise()
        _prepared = True


_prepared = False


def _entries_of(package: str) -> list[Entry]:
    """Import the kernels of a package and return its entry points."""
    from pcg.engine.kernel.runtime import EntryPoint
    from pcg.engine.native.sources import entry_modules

    modules = entry_modules(package)
    for module in modules:
        importlib.import_module(module)
    return [(e.symbol, e.function, *e.kinds) for e in EntryPoint.registry if e.module in modules]


def _chosen_entries(symbols: Sequence[Sequence[str]]) -> list[Entry]:
    """Import the modules of chosen entry points and return them in their order."""
    from pcg.engine.kernel.runtime import EntryPoint

    for module, _ in symbols:
        importlib.import_module(module)
    known = {(e.module, e.symbol): e for e in EntryPoint.registry}
    found = [known[module, symbol] for module, symbol in symbols]
    return [(e.symbol, e.function, *e.kinds) for e in found]


def _front(entries: Sequence[Entry]) -> str:
    from pcg.engine.native import linking, numba_front

    symbols = [entry[0] for entry in entries]
    if len(set(symbols)) < len(symbols):
        raise RuntimeError(f"two entry points of one library have the same name: {sorted(symbols)}")
    texts = [text for entry in entries for text in numba_front.entry_text(*entry)]
    return linking.link(symbols, texts)


if __name__ == "__main__":
    main()
