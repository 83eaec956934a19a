"""Calls of compiled functions from Python, without the GIL: one C function of Python's own interface per arity.

Each takes Python integers, releases the GIL, calls the address given first, and returns an integer. They are made by
LLVM when this module is imported (some milliseconds), from the interface that all versions of CPython share, and cost
less than half of what ctypes or Numba's dispatcher cost per call.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from pcg.engine.kernel.primitives_python import CLOCK

MOST_ARGUMENTS = 6

_WORD, _HALF, _POINTER = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
_METH_FASTCALL = 0x0080


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _at(builder: ir.IRBuilder, function: Any, kind: ir.FunctionType) -> Any:
    """A C function of this process, by its address."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    return builder.inttoptr(_WORD(address), kind.as_pointer())


def _add_invoke(module: ir.Module, arity: int) -> None:
    """Add ``PyObject *invokeN(PyObject *self, PyObject *const *args, Py_ssize_t count)``."""
    function = ir.Function(
        module, ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _WORD]), f"invoke{arity}"
    )
    _, given, count = function.args
    start, wrong, failed = (function.append_basic_block(n) for n in ("start", "wrong", "failed"))
    builder = ir.IRBuilder(start)
    api, none = ctypes.pythonapi, ir.VoidType()
    to_long = _at(builder, api.PyLong_AsLongLong, ir.FunctionType(_WORD, [_POINTER]))
    occurred = _at(builder, api.PyErr_Occurred, ir.FunctionType(_POINTER, []))
    from_long = _at(builder, api.PyLong_FromLongLong, ir.FunctionType(_POINTER, [_WORD]))
    leave = _at(builder, api.PyEval_SaveThread, ir.FunctionType(_POINTER, []))
    enter = _at(builder, api.PyEval_RestoreThread, ir.FunctionType(none, [_POINTER]))
    complain = _at(builder, api.PyErr_SetString, ir.FunctionType(none, [_POINTER, _POINTER]))
    type_error = ctypes.c_void_p.in_dll(api, "PyExc_TypeError").value
    right = function.append_basic_block("right")
    builder.cbranch(builder.icmp_signed("==", count, _WORD(arity + 1)), right, wrong)
    builder.position_at_end(wrong)
    text = f"invoke{arity} takes an address and {arity} integers\0".encode()
    message = ir.GlobalVariable(module, ir.ArrayType(ir.IntType(8), len(text)), f"message{arity}")
    message.initializer = ir.Constant(message.value_type, bytearray(text))
    builder.call(complain, [builder.inttoptr(_WORD(type_error), _POINTER), builder.bitcast(message, _POINTER)])
    builder.branch(failed)
    builder.position_at_end(failed)
    builder.ret(ir.Constant(_POINTER, None))
    builder.position_at_end(right)
    values = []
    for k in range(arity + 1):
        value = builder.call(to_long, [builder.load(builder.gep(given, [_WORD(k)]))])
        with builder.if_then(builder.icmp_signed("==", value, _WORD(-1)), likely=False):
            problem = builder.call(occurred, [])
            with builder.if_then(builder.icmp_unsigned("!=", problem, ir.Constant(_POINTER, None)), likely=False):
                builder.branch(failed)
        values.append(value)
    thread = builder.call(leave, [])
    target = builder.inttoptr(values[0], ir.FunctionType(_WORD, [_WORD] * arity).as_pointer())
    result = builder.call(target, values[1:])
    builder.call(enter, [thread])
    builder.ret(builder.call(from_long, [result]))


def _add_clock(module: ir.Module) -> None:
    """Add the clock: of the calling thread where the system has such a clock, else one that stands still at 0."""
    function = ir.Function(module, ir.FunctionType(_WORD, []), CLOCK)
    builder = ir.IRBuilder(function.append_basic_block())
    kind = getattr(time, "CLOCK_THREAD_CPUTIME_ID", None)
    read = getattr(ctypes.CDLL(None), "clock_gettime", None) if kind is not None else None
    if read is None:
        builder.ret(_WORD(0))
        return
    moment = builder.alloca(ir.ArrayType(_WORD, 2))  # struct timespec
    clock = _at(builder, read, ir.FunctionType(_HALF, [_HALF, moment.type]))
    builder.call(clock, [_HALF(kind), moment])
    seconds, rest = (builder.load(builder.gep(moment, [_WORD(0), _WORD(k)])) for k in (0, 1))
    builder.ret(builder.add(builder.mul(seconds, _WORD(1_000_000_000)), rest))


def _compile() -> Any:
    module = ir.Module("calls")
    for arity in range(1, MOST_ARGUMENTS + 1):
        _add_invoke(module, arity)
    _add_clock(module)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), opt=2, codemodel="jitdefault"
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    return engine


_engine = _compile()
llvm.add_symbol(CLOCK, _engine.get_function_address(CLOCK))
_methods: list[_Method] = []
"""Method records, kept for as long as the process lives: functions of Python refer to them."""


def _function(arity: int) -> Callable[..., int]:
    address = _engine.get_function_address(f"invoke{arity}")
    doc = f"Call the function at an address with {arity} int64 and return its int64, without the GIL."
    method = _Method(f"invoke{arity}".encode(), address, _METH_FASTCALL, doc.encode())
    _methods.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    result: Callable[..., int] = make(ctypes.addressof(method), None, None)
    return result


invoke1, invoke2, invoke3, invoke4, invoke5, invoke6 = (_function(n) for n in range(1, MOST_ARGUMENTS + 1))
