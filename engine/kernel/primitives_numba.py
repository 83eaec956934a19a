"""Memory and calls by address as Numba intrinsics: the primitives of kernels that are compiled.

`primitives_python` has the same names for kernels that run as Python; `runtime` picks one of the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from pcg.engine.kernel.primitives_python import CLOCK


def view_of(dtype: np.dtype[Any]) -> Any:
    """A function from an address to the record of `dtype` lying there."""
    record = from_dtype(dtype)

    @intrinsic
    def view(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return view


def _loader(kind: types.Type) -> Any:
    @intrinsic
    def load(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
            value = builder.load(pointer)
            return value if kind in (types.int64, types.float64) else builder.sext(value, cgutils.intp_t)

        return (kind if kind in (types.int64, types.float64) else types.int64)(types.int64), codegen

    return load


def _storer(kind: types.Type) -> Any:
    given = types.float64 if kind == types.float64 else types.int64

    @intrinsic
    def store(typingctx: Any, address: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low = context.get_value_type(kind)
            value = args[1] if kind in (types.int64, types.float64) else builder.trunc(args[1], low)
            builder.store(value, builder.inttoptr(args[0], low.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64, given), codegen

    return store


load8, load16, load32, load64, load_double = (
    _loader(k) for k in (types.int8, types.int16, types.int32, types.int64, types.float64)
)
store8, store16, store32, store64, store_double = (
    _storer(k) for k in (types.int8, types.int16, types.int32, types.int64, types.float64)
)


@intrinsic
def copy_bytes(typingctx: Any, to: Any, source: Any, size: Any) -> Any:
    """Copy `size` bytes between addresses that do not overlap."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = cgutils.voidptr_t
        cgutils.raw_memcpy(builder, builder.inttoptr(args[0], pointer), builder.inttoptr(args[1], pointer), args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def low_bit(typingctx: Any, word: Any) -> Any:
    """Number of the lowest bit set in a word that is not 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.int64), codegen


@intrinsic
def times(typingctx: Any, a: Any, b: Any) -> Any:
    """Product of two words modulo 2^64, as a signed word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.mul(*args)  # may overflow, unlike a product of numbers

    return types.int64(types.int64, types.int64), codegen


def _caller(result: types.Type, arity: int) -> Any:

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(context.get_value_type(result), [word] * arity)
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), list(args[1:]))

    signature = result(*([types.int64] * (arity + 1)))
    if arity == 1:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any) -> Any:
            return signature, codegen

    elif arity == 2:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any, b: Any) -> Any:
            return signature, codegen

    elif arity == 3:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
            return signature, codegen

    elif arity == 4:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            return signature, codegen

    elif arity == 5:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
            return signature, codegen

    else:

        @intrinsic
        def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
            return signature, codegen

    return call


call1, call2, call3, call4, call5, call6 = (_caller(types.int64, n) for n in range(1, 7))
call2_double, call3_double = (_caller(types.float64, n) for n in (2, 3))


@intrinsic
def count_bits(typingctx: Any, word: Any) -> Any:
    """Number of bits set in a word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def clear_low(typingctx: Any, word: Any) -> Any:
    """The word without its lowest bit; plain subtraction, which may overflow here."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.sub(args[0], context.get_constant(types.int64, 1)))

    return types.int64(types.int64), codegen


@intrinsic
def double_bits(typingctx: Any, value: Any) -> Any:
    """The 64 bits of a double as a signed word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), codegen


@intrinsic
def bits_double(typingctx: Any, word: Any) -> Any:
    """The double that has these 64 bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), codegen


@intrinsic
def processor_time(typingctx: Any) -> Any:
    """Nanoseconds of processor time that the calling thread has used; 0 without a clock."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, CLOCK), [])

    return types.int64(), codegen
