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
from numba.core import callconv, cgutils, codegen, cpu, types
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
    library, jit, context = codegen.CPUCodeLibrary, codegen.JITCodeLibrary, cpu.CPUContext
    wanted: list[tuple[Any, str]] = [
        (library, "add_ir_module"),
        (library, "finalize"),
        (library, "get_function"),
        (library, "add_linking_library"),
        (jit, "get_pointer_to_function"),
        (codegen.JITCPUCodegen, "set_env"),
        (functions.BaseFunction, "get_call_type"),
        (context, "call_conv"),
    ]
    missing = [f"{owner.__name__}.{name}" for owner, name in wanted if not hasattr(owner, name)]
    if missing:
        raise PcgError(
            f"Numba {numba.__version__} has no {', '.join(missing)}, which building kernels relies on "
            f"(known: {_KNOWN[0]} to {_KNOWN[-1]}); PCG_KERNELS=jit compiles them without"
        )
    replaced: Any = functions.BaseFunction
    context.call_conv = property(_Direct)
    library.add_ir_module = _add_ir_module
    library.finalize = _finalize
    library.get_function = lambda self, name: None
    jit.get_pointer_to_function = lambda self, name: 0
    codegen.JITCPUCodegen.set_env = lambda self, name, environment: None
    replaced.get_call_type = _remembered(replaced.get_call_type)
    gc.disable()  # types and code live as long as the process: looking for garbage costs a tenth and finds none


class _Direct(callconv.BaseCallConv):  # type: ignore[misc]
    """Calls that hand results over in a register, as C does: kernels raise nothing, so no status goes with them.

    Numba's own convention writes every result to memory for the caller to read, and an address of what was raised is an
    argument more.
    """

    _OK = callconv.Status(*(ir.Constant(ir.IntType(1), bit) for bit in (0, 1, 0, 0, 0, 0, 0)), None)

    def _make_call_helper(self, builder: Any) -> None:
        return None

    def get_return_type(self, ty: Any) -> Any:
        return self.context.data_model_manager[ty].get_return_type()

    def get_function_type(self, restype: Any, argtypes: Any) -> Any:
        return ir.FunctionType(self.get_return_type(restype), self._get_arg_packer(argtypes).argument_types)

    def get_arguments(self, func: Any) -> Any:
        return func.args

    def decorate_function(self, fn: Any, args: Any, fe_argtypes: Any, noalias: bool = False) -> None:
        self._get_arg_packer(fe_argtypes).assign_names(fn.args, ["arg." + a for a in args])

    def return_value(self, builder: Any, retval: Any) -> None:
        builder.ret(retval)

    def return_native_none(self, builder: Any) -> None:
        builder.ret(cgutils.get_null_value(builder.function.function_type.return_type))

    def return_user_exc(self, builder: Any, *args: Any, **kws: Any) -> None:
        """Leave a call that the linker refuses, unless the optimiser sees that nothing ever gets here."""
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.call(cgutils.get_or_insert_function(builder.module, nothing, "raise"), [])
        self.return_native_none(builder)

    return_dynamic_user_exc = return_user_exc

    def return_status_propagate(self, builder: Any, status: Any) -> None:
        builder.unreachable()

    def raise_error(self, builder: Any, pyapi: Any, status: Any) -> None:
        """Do nothing: Numba asks for it in wrappers, which are dropped."""

    def call_function(self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None) -> Any:
        given = self._get_arg_packer(argtys).as_arguments(builder, args)
        result = builder.call(callee, given, attrs=attrs or ())
        return self._OK, self.context.get_returned_value(builder, resty, result)


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
    """Text of a C function that calls a compiled one under its name for users."""
    kinds = {"i8": ir.IntType(64), "f8": ir.DoubleType()}
    module = ir.Module(symbol)
    kind = ir.FunctionType(kinds[result], [kinds[a] for a in arguments])
    inside, function = ir.Function(module, kind, target), ir.Function(module, kind, symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.call(inside, function.args))
    return str(module)
