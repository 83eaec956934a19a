"""Entry points that are not the toolkit's own: effects and sprite classes of users, kernels of tests and benchmarks.

They are built alone, in seconds: the functions travel by value to a process that builds, where what they call of the
toolkit is Numba's, and are compiled there with just the inner functions that they use. The file that defines them is
not run a second time.
"""

from __future__ import annotations

import hashlib
import io
import pickletools
import re
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cloudpickle

from pcg.engine.kernel import runtime
from pcg.engine.kernel.entry_points import EntryPoint
from pcg.engine.lazy import cached_property
from pcg.engine.native.sources import digest_of, module_files, source_of

_MARK = "__kernel__"
"""Attribute by which an inner function is known where Numba is not there to wrap it (`runtime.inner`)."""


class ForeignModule:
    """Entry points of modules outside the toolkit, as they are sent to the process that builds.

    Args:
        names: the modules.
        entries: the entry points to build, of these modules.
    """

    def __init__(self, names: Sequence[str], entries: Sequence[EntryPoint]) -> None:
        self.names = tuple(names)
        self.entries = tuple(entries)
        self._symbols = {id(e): f"{e.symbol}.{k}" for k, e in enumerate(self.entries)}
        words = [re.sub(r"\W", "", name.rpartition(".")[2]).strip("_") or "module" for name in self.names]
        self.label = "user-" + "-".join(words)[:60]
        """Stands for the package in the name of a file."""

    def symbol(self, entry: EntryPoint) -> str:
        """The name of an entry point in the object code; functions defined twice have the same in Python."""
        return self._symbols[id(entry)]

    @cached_property
    def pickled(self) -> bytes:
        """The functions with their symbols and kinds, and everything of their module that they refer to."""
        functions = [(self.symbol(e), e.function, *e.kinds) for e in self.entries]
        stream = io.BytesIO()
        _Pickler(stream, self.names).dump(functions)
        return stream.getvalue()

    @cached_property
    def digest(self) -> str:
        """Digest of the functions, of the modules they come from, and of the kernels they may call."""
        names = ["pcg.engine.kernel.runtime", *(n for n in self.names if source_of(n) is not None)]
        return digest_of(module_files(names), _content_digest(self.pickled))


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles what the module in question defines by value, and what others define by name."""

    def __init__(self, stream: io.BytesIO, modules: Sequence[str]) -> None:
        super().__init__(stream, protocol=5)
        self._modules = frozenset(modules)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, types.FunctionType) and obj.__module__ in self._modules:
            return self._dynamic_function_reduce(obj)
        if isinstance(obj, EntryPoint):
            # an entry point that another one refers to: its address cannot be known there
            raise TypeError(f"{obj!r} cannot be used inside a kernel; call the function it was made of")
        return super().reducer_override(obj)


def _content_digest(data: bytes) -> str:
    """Digest of what a pickle holds, whichever of its equal texts are one object.

    A module that was just compiled and the same module read from its bytecode share different texts, so that the bytes
    of their pickles differ.
    """
    digest = hashlib.sha256()
    memo: list[str] = []
    last = ""
    objects = 0
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name == "FRAME":
            continue
        if opcode.name == "MEMOIZE":
            if not last.startswith("text "):
                last = f"object {objects}"
                objects += 1
            memo.append(last)
            continue
        if opcode.name in ("BINGET", "LONG_BINGET"):
            assert isinstance(argument, int)
            last = memo[argument]
        elif isinstance(argument, (str, bytes)):
            last = f"text {argument!r}"
        else:
            last = f"{opcode.name} {argument!r}"
        digest.update(last.encode() + b"\n")
    return digest.hexdigest()


def restored(data: bytes) -> list[tuple[str, Callable[..., Any], str, list[str]]]:
    """Return the functions of `ForeignModule.pickled`, with the inner functions among them known to Numba.

    To be called in a process that builds.
    """
    functions: list[tuple[str, Callable[..., Any], str, list[str]]] = cloudpickle.loads(data)
    seen: set[int] = set()
    for _, function, _, _ in functions:
        _declare_inner(function, seen)
    return functions


def _declare_inner(function: Callable[..., Any], seen: set[int]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    # Numba imports the module of a function for its globals; these functions carry their own
    sys.modules.setdefault(function.__module__, types.ModuleType(function.__module__))
    scope = function.__globals__
    for name, value in list(scope.items()):
        how = getattr(value, _MARK, "")
        if isinstance(value, types.FunctionType) and how:
            scope[name] = (runtime.inlined if how == "inlined" else runtime.inner)(value)
            _declare_inner(value, seen)


def search_path() -> list[str]:
    """Return where this process finds modules, for the process that builds.

    The working directory is not searched there, but for the toolkit itself where it was found so.
    """
    root = str(Path(sys.modules["pcg"].__path__[0]).parent)
    return [entry or root for entry in sys.path if entry or root not in sys.path]
