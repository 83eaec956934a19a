"""Numba's front end alone: Python functions to LLVM's intermediate representation, with nothing native made or run.

The only file that relies on Numba's internals. It replaces a few methods of the classes that keep compiled code, which
cannot be undone, so it is imported only by the process that builds (`worker`). Two things make it three times as fast
as Numba's own way to the same point: modules are neither parsed nor linked one into the other after each function
(`linking` does it once, at the end), and the overload of an operator for given scalar types is looked up once.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, codegen, types
from numba.core.types import functions

from pcg.engine.kernel.jit import compile_inner
from pcg.engine.vgdl.diagnostics import PcgError

_KNOWN = ("0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")
"""Versions of Numba whose internals are as described here."""

_texts: dict[Any, list[str]] = {}
"""The representation of each code library, in the order in which its parts were added."""


def install() -> None:
    """Replace Numba's back end, for good.

    Raises:
        PcgError: when this version of Numba is not as expected.
    """
    library, jit = codegen.CPUCodeLibrary, codegen.JITCodeLibrary
    wanted = [
        (library, "add_ir_module"),
        (library, "finalize"),
        (library, "get_function"),
        (library, "add_linking_library"),
        (jit, "get_pointer_to_function"),
        (codegen.JITCPUCodegen, "set_env"),
        (functions.BaseFunction, "get_call_type"),
    ]
    missing = [f"{owner.__name__}.{name}" for owner, name in wanted if not hasattr(owner, name)]
    if missing:
        raise PcgError(
            f"Numba {numba.__version__} has no {', '.join(missing)}, which building kernels relies on "
            f"(known: {_KNOWN[0]} to {_KNOWN[-1]}); PCG_KERNELS=jit compiles them without"
        )
    replaced: Any = functions.BaseFunction
    library.add_ir_module = _add_ir_module
    library.finalize = _finalize
    library.get_function = lambda self, name: None
    jit.get_pointer_to_function = lambda self, name: 0
    codegen.JITCPUCodegen.set_env = lambda self, name, environment: None
    replaced.get_call_type = _remembered(replaced.get_call_type)
    gc.disable()  # types and code live as long as the process: looking for garbage costs a tenth and finds none


def _add_ir_module(self: Any, module: Any) -> None:
    self._raise_if_finalized()
    _texts.setdefault(self, []).append(cgutils.normalize_ir_text(str(module)))


def _finalize(self: Any) -> None:
    self._raise_if_finalized()
    self._finalized = True


def _remembered(original: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the overload of operators and built-in functions for arguments that are plain numbers."""
    known: dict[Any, tuple[Any, Any]] = {}
    scalars = (types.Number, types.Boolean)

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(a, scalars) for a in args):
            return original(self, context, args, kws)
        key = (self.typing_key, args)
        if key not in known:
            signature = original(self, context, args, kws)
            known[key] = signature, self._impl_keys[signature.args]
        signature, implementation = known[key]
        self._impl_keys[signature.args] = implementation
        return signature

    return get_call_type


def entry_text(symbol: str, function: Callable[..., Any], result: str, arguments: list[str]) -> list[str]:
    """Compile an entry point to intermediate representation.

    Args:
        symbol: name of the C function that is made.
        function: a Python function that calls kernels.
        result: kind of the result, "i8" (int64) or "f8" (float64).
        arguments: kinds of the arguments.

    Returns:
        The texts of all modules that it needs, that of the C function first.
    """
    kinds = {"i8": types.int64, "f8": types.float64}
    dispatcher = compile_inner(function, False)
    dispatcher.compile(kinds[result](*(kinds[a] for a in arguments)))
    (compiled,) = dispatcher.overloads.values()
    texts = [_c_function(symbol, compiled.fndesc.mangled_name, result, arguments)]
    seen: set[Any] = set()
    waiting = [compiled.library]
    while waiting:  # depth first, in the order of first use: it does not depend on what was compiled before
        library = waiting.pop()
        if library in seen:
            continue
        seen.add(library)
        texts += _texts.get(library, [])
        waiting += reversed(library._linking_libraries)
    return texts


def _c_function(symbol: str, target: str, result: str, arguments: list[str]) -> str:
    """Text of a C function that calls one of Numba's convention, which returns a status and writes its result.

    The status is always 0, because kernels raise nothing.
    """
    kinds = {"i8": ir.IntType(64), "f8": ir.DoubleType()}
    module = ir.Module(symbol)
    value = kinds[result]
    pointer = ir.IntType(8).as_pointer()
    given = [kinds[a] for a in arguments]
    inside = ir.Function(
        module, ir.FunctionType(ir.IntType(32), [value.as_pointer(), pointer.as_pointer(), *given]), target
    )
    function = ir.Function(module, ir.FunctionType(value, given), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    place, problem = builder.alloca(value), builder.alloca(pointer)
    builder.store(ir.Constant(value, 0), place)
    builder.call(inside, [place, problem, *function.args])
    builder.ret(builder.load(place))
    return str(module)
