"""Elementary functions: how near they come to the exact values, their special cases, and the same bits everywhere."""

from __future__ import annotations

import ast
import hashlib
import math
import random
import re
import struct
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pcg.engine.kernel.exponents import exponential, logarithm, power
from pcg.engine.kernel.reals import arctangent, cosine, quotient, remainder, sine
from pcg.engine.kernel.runtime import entry_point, invoke4, load_double, store_double

pytestmark = pytest.mark.kernel

NAN, INF = math.nan, math.inf
TINY, LARGEST, LEAST_NORMAL = 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308
BOUND = Decimal("0.501")
"""Units in the last place by which no result may be wrong; 0.5 is what rounding alone costs."""

SINE, COSINE, ARCTANGENT, LOGARITHM, EXPONENTIAL, POWER, REMAINDER, QUOTIENT = range(8)


def every_function(which, pairs, out, count):
    for i in range(count):
        x = load_double(pairs + 16 * i)
        y = load_double(pairs + 16 * i + 8)
        if which == 0:
            r = sine(x)
        elif which == 1:
            r = cosine(x)
        elif which == 2:
            r = arctangent(x, y)
        elif which == 3:
            r = logarithm(x)
        elif which == 4:
            r = exponential(x)
        elif which == 5:
            r = power(x, y)
        elif which == 6:
            r = remainder(x, y)
        else:
            r = quotient(x, y)
        store_double(out + 8 * i, r)
    return 0


functions = entry_point("i8(i8, i8, i8, i8)")(every_function)


def results(which: int, xs: list[float], ys: list[float] | None = None) -> list[float]:
    pairs = np.array([xs, xs if ys is None else ys], np.float64).T.copy()
    out = np.empty(len(xs), np.float64)
    invoke4(functions.address, which, pairs.ctypes.data, out.ctypes.data, len(xs))
    return out.tolist()


def result(which: int, x: float, y: float = 0.0) -> float:
    return results(which, [x], [y])[0]


def bits(x: float) -> bytes:
    return struct.pack("<d", x)


def any_doubles(seed: int, count: int) -> list[float]:
    """Finite doubles of all sizes: their bits are random."""
    draw = random.Random(seed)
    found: list[float] = []
    while len(found) < count:
        x = struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))[0]
        if math.isfinite(x):
            found.append(x)
    return found


def between(seed: int, low: float, high: float, count: int) -> list[float]:
    draw = random.Random(seed)
    return [low + (high - low) * draw.random() for _ in range(count)]


# --- exact values: decimal has logarithm and exponential, the rest are their series ---


@cache
def pi() -> Decimal:
    """Pi to 420 digits, by the arithmetic-geometric mean (Gauss; Brent 1976; Salamin 1976)."""
    with localcontext() as c:
        c.prec = 430
        a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), 1
        for _ in range(10):
            a, b, t, p = (a + b) / 2, (a * b).sqrt(), t - p * ((a - b) / 2) ** 2, 2 * p
        return (a + b) ** 2 / (4 * t)


def exact_sine(x: float, quarters: int = 0) -> Decimal:
    with localcontext() as c:
        c.prec = 420  # the largest double has 309 digits before the point
        left = (Decimal(abs(x)) + quarters * pi() / 2) % (2 * pi())
        c.prec = 80
        left = left if left < pi() else left - 2 * pi()
        term, total, k = left, left, 1
        while abs(term) > Decimal(10) ** -75 * abs(total):
            term = -term * left * left / ((k + 1) * (k + 2))
            total, k = total + term, k + 2
        return -total if x < 0 and quarters == 0 else total


def exact_cosine(x: float) -> Decimal:
    return exact_sine(x, 1)


def exact_arctangent(y: float, x: float) -> Decimal:
    with localcontext() as c:
        c.prec = 60
        a, b = abs(Decimal(y)), abs(Decimal(x))
        slope = min(a, b) / max(a, b)
        for _ in range(4):
            slope = slope / (1 + (1 + slope * slope).sqrt())
        term, total, k = slope, slope, 1
        while term and abs(term) > Decimal(10) ** -58 * abs(total):
            term, k = -term * slope * slope, k + 2
            total += term / k
        angle = 16 * total
        angle = pi() / 2 - angle if a > b else angle
        angle = pi() - angle if x < 0 else angle
        return -angle if y < 0 else +angle


def exact_logarithm(x: float) -> Decimal:
    with localcontext() as c:
        c.prec = 60
        return Decimal(x).ln()


def exact_exponential(x: float) -> Decimal:
    with localcontext() as c:
        c.prec = 60
        return Decimal(x).exp()


def exact_power(x: float, y: float) -> Decimal:
    with localcontext() as c:
        c.prec = 60
        return (Decimal(x).ln() * Decimal(y)).exp()


EXACT: dict[int, Callable[..., Decimal]] = {
    SINE: exact_sine,
    COSINE: exact_cosine,
    ARCTANGENT: exact_arctangent,
    LOGARITHM: exact_logarithm,
    EXPONENTIAL: exact_exponential,
    POWER: exact_power,
}


def error(found: float, exact: Decimal) -> Decimal:
    """Distance in units in the last place."""
    with localcontext() as c:
        c.prec = 60
        return abs(Decimal(found) - exact) / Decimal(math.ulp(found))


def near_quarter_turns() -> list[float]:
    """Doubles beside multiples of pi/2, among them the double that comes nearest to one (Kahan 1983)."""
    found = [math.ldexp(6381956970095103.0, 797), LARGEST]
    for n in [*range(1, 40), 1000, 12345, 667543, 10**7, 2**31 + 1, 10**12 + 39, 3**33]:
        found += [math.nextafter(n * math.pi / 2, 0), n * math.pi / 2, math.nextafter(n * math.pi / 2, INF)]
    return found


ANGLES = {
    "small": between(1, -0.8, 0.8, 150),
    "games": between(2, -10, 10, 300),
    "large": between(3, -2e6, 2e6, 150),
    "all": any_doubles(4, 100),
    "near quarter turns": near_quarter_turns(),
    "64ths": [k / 128 for k in range(1, 256)],
    "least": [TINY, -TINY, LEAST_NORMAL, 1e-9, -1e-5],
}
ONE: dict[int, dict[str, list[float]]] = {
    SINE: ANGLES,
    COSINE: ANGLES,
    LOGARITHM: {
        "near 1": between(1, 0.98, 1.02, 300),
        "nearest 1": [1 - 2**-53, 1 + 2**-52, 1 - 1e-9, 1 + 1e-12],
        "visits": [float(n) for n in range(2, 300)],
        "all": [abs(x) for x in any_doubles(2, 200)],
        "ends": [TINY, 3e-320, LEAST_NORMAL, LARGEST],
    },
    EXPONENTIAL: {
        "small": between(1, -0.01, 0.01, 150),
        "usual": between(2, -20, 20, 300),
        "all": between(3, -745, 709.7, 200),
        "subnormal": between(4, -745.13, -707, 200),
        "least": [TINY, -TINY, 1e-17, -1e-16, 1e-300],
    },
}
TWO: dict[int, dict[str, tuple[list[float], list[float]]]] = {
    ARCTANGENT: {
        "square": (between(1, -1, 1, 400), between(2, -1, 1, 400)),
        "grid": ([1.0 * (n % 11 + 1) for n in range(253)], [1.0 * (n // 11 - 11) for n in range(253)]),
        "64ths": ([k / 128 for k in range(1, 257)], [1.0] * 256),
        "all": (any_doubles(3, 150), any_doubles(4, 150)),
        "large": (between(5, 1e307, 1.7e308, 50), between(6, -8e307, 8e307, 50)),
        "subnormal": (between(7, 1e-322, 1e-319, 50), between(8, -1e-318, 1e-318, 50)),
    },
    POWER: {
        "discount": ([0.9, 0.99, 0.95, 0.5, 1.1] * 40, [float(n) for n in range(3, 203)]),
        "usual": (between(1, 0, 3, 200), between(2, -10, 10, 200)),
        "near 1": (between(3, 0.9, 1.1, 150), between(4, -6000, 6000, 150)),
        "nearest 1": (between(5, 1 - 1e-8, 1 + 1e-8, 100), between(6, -6e10, 6e10, 100)),
        "subnormal": (between(7, 0.4, 0.6, 80), between(8, 900, 1070, 80)),
        "all": ([abs(x) for x in any_doubles(9, 100)], between(10, -0.99, 0.99, 100)),
    },
}  # fmt: skip


@pytest.mark.parametrize(("which", "kind"), [(which, kind) for which in ONE for kind in ONE[which]])
def test_functions_of_one_number_are_right_to_half_a_unit(which, kind):
    xs = ONE[which][kind]
    worst = max((error(r, EXACT[which](x)), x) for x, r in zip(xs, results(which, xs), strict=True))
    assert worst[0] < BOUND


@pytest.mark.parametrize(("which", "kind"), [(which, kind) for which in TWO for kind in TWO[which]])
def test_functions_of_two_numbers_are_right_to_half_a_unit(which, kind):
    xs, ys = TWO[which][kind]
    found = results(which, xs, ys)
    worst = max((error(r, EXACT[which](x, y)), x, y) for x, y, r in zip(xs, ys, found, strict=True) if 0 < abs(r) < INF)
    assert worst[0] < BOUND


def test_a_remainder_is_exact():
    xs = [*between(1, -1e3, 1e3, 500), *any_doubles(2, 500), *between(3, 0, 1e-318, 50), *between(4, 0, 1e-306, 50)]
    ys = [*between(5, -7, 7, 500), *any_doubles(6, 500), *between(7, 0, 1e-321, 50), *between(8, 0, 1e-319, 50)]
    assert list(map(bits, results(REMAINDER, xs, ys))) == [bits(math.fmod(x, y)) for x, y in zip(xs, ys, strict=True)]


SPECIAL: dict[int, list[tuple[float, float, float]]] = {
    SINE: [(0.0, 0, 0.0), (-0.0, 0, -0.0), (INF, 0, NAN), (-INF, 0, NAN), (NAN, 0, NAN)],
    COSINE: [(0.0, 0, 1.0), (-0.0, 0, 1.0), (INF, 0, NAN), (-INF, 0, NAN), (NAN, 0, NAN), (math.pi, 0, -1.0)],
    ARCTANGENT: [
        (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, math.pi), (-0.0, -1.0, -math.pi),
        (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, math.pi), (-0.0, -0.0, -math.pi),
        (1.0, 0.0, math.pi / 2), (-1.0, -0.0, -math.pi / 2), (1.0, INF, 0.0), (-1.0, INF, -0.0), (1.0, -INF, math.pi),
        (INF, 1.0, math.pi / 2), (-INF, -1.0, -math.pi / 2), (INF, INF, math.pi / 4), (-INF, INF, -math.pi / 4),
        (INF, -INF, 3 * math.pi / 4), (TINY, LARGEST, 0.0), (TINY, -LARGEST, math.pi), (TINY, TINY, math.pi / 4),
        (LARGEST, LARGEST, math.pi / 4), (NAN, 1.0, NAN), (1.0, -NAN, NAN), (NAN, INF, NAN),
    ],
    LOGARITHM: [
        (0.0, 0, -INF), (-0.0, 0, -INF), (1.0, 0, 0.0), (-1.0, 0, NAN), (-TINY, 0, NAN), (INF, 0, INF),
        (-INF, 0, NAN), (NAN, 0, NAN), (-NAN, 0, NAN),
    ],
    EXPONENTIAL: [
        (0.0, 0, 1.0), (-0.0, 0, 1.0), (1.0, 0, math.e), (INF, 0, INF), (-INF, 0, 0.0), (NAN, 0, NAN),
        (709.782712893384, 0, 1.7976931348622732e308), (709.7827128933841, 0, INF), (1e300, 0, INF),
        (-745.1332191019411, 0, TINY), (-745.1332191019412, 0, 0.0), (-1e300, 0, 0.0),
    ],
    POWER: [
        (NAN, 0.0, 1.0), (1.0, NAN, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (-NAN, 3.0, NAN), (2.0, 10.0, 1024.0),
        (-2.0, 3.0, -8.0), (-2.0, 4.0, 16.0), (-8.0, 0.5, NAN), (-8.0, -0.5, NAN), (3.0, 2.0, 9.0), (7.0, 1.0, 7.0),
        (4.0, 0.5, 2.0), (10.0, 22.0, 1e22), (0.1, -1.0, 10.0), (2.0, -1074.0, TINY), (2.0, -1075.0, 0.0),
        (2.0, 1024.0, INF), (-2.0, 1025.0, -INF), (-2.0, -1075.0, -0.0), (LARGEST, 2.0, INF), (TINY, 2.0, 0.0),
        (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (-0.0, 4.0, 0.0), (-0.0, 0.5, 0.0), (0.0, -1.0, INF), (-0.0, -1.0, -INF),
        (-0.0, -2.0, INF), (-0.0, -0.5, INF), (INF, 0.5, INF), (INF, -1.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF),
        (-INF, 0.5, INF), (-INF, -3.0, -0.0), (-INF, -4.0, 0.0), (2.0, INF, INF), (2.0, -INF, 0.0), (-0.5, INF, 0.0),
        (0.5, -INF, INF), (-1.0, INF, 1.0), (-1.0, -INF, 1.0), (-1.0, 2.0**53 + 2, 1.0), (-1.0, 2.0**53 - 1, -1.0),
        (1.0, INF, 1.0), (1.0000000000000002, LARGEST, INF), (0.9999999999999999, LARGEST, 0.0), (3.0, TINY, 1.0),
    ],
    REMAINDER: [
        (5.0, 3.0, 2.0), (-5.0, 3.0, -2.0), (5.0, -3.0, 2.0), (6.0, 3.0, 0.0), (-6.0, 3.0, -0.0), (-0.0, 1.0, -0.0),
        (1.0, INF, 1.0), (-1.0, -INF, -1.0), (INF, 1.0, NAN), (1.0, 0.0, NAN), (0.0, -0.0, NAN), (NAN, 1.0, NAN),
        (1.0, NAN, NAN), (INF, INF, NAN), (LARGEST, TINY, 0.0), (LEAST_NORMAL, TINY, 0.0), (TINY, LEAST_NORMAL, TINY),
    ],
    QUOTIENT: [
        (1.0, 3.0, 1.0 / 3.0), (1.0, 0.0, INF), (-1.0, 0.0, -INF), (1.0, -0.0, -INF), (INF, -0.0, -INF),
        (0.0, 0.0, NAN), (-0.0, 0.0, NAN), (INF, INF, NAN), (NAN, 0.0, NAN), (1.0, NAN, NAN), (1.0, INF, 0.0),
        (LARGEST, 0.5, INF),
    ],
}  # fmt: skip


@pytest.mark.parametrize("which", SPECIAL)
def test_special_values_are_those_of_c_and_every_nan_is_the_same(which):
    for x, y, expected in SPECIAL[which]:
        assert (x, y, bits(result(which, x, y))) == (x, y, bits(expected))


def test_signs_are_symmetric():
    xs = [*any_doubles(1, 300), *between(2, -10, 10, 300)]
    ys = [*any_doubles(3, 300), *between(4, -10, 10, 300)]
    minus_x, minus_y = [-x for x in xs], [-y for y in ys]
    assert results(SINE, minus_x) == [-r for r in results(SINE, xs)]
    assert results(COSINE, minus_x) == results(COSINE, xs)
    assert results(ARCTANGENT, minus_x, ys) == [-r for r in results(ARCTANGENT, xs, ys)]
    assert results(REMAINDER, minus_x, minus_y) == [-r for r in results(REMAINDER, xs, ys)]


def test_exact_powers_are_exact():
    pairs = [(b, n) for b in range(2, 40) for n in range(3, 30) if b**n <= 2**53]
    found = results(POWER, [float(b) for b, _ in pairs], [float(n) for _, n in pairs])
    assert found == [float(b**n) for b, n in pairs]
    assert results(POWER, [2.0] * 2098, [float(n) for n in range(-1074, 1024)]) == [
        math.ldexp(1.0, n) for n in range(-1074, 1024)
    ]


DIGESTS = {
    SINE: "7e38c349e15a4983",
    COSINE: "ffe7fd6a58ccc46e",
    ARCTANGENT: "99e024782ded68ad",
    LOGARITHM: "ea3d452d18da72c8",
    EXPONENTIAL: "c4ee0f0864ee49c6",
    POWER: "6bb591f6dc504b93",
    REMAINDER: "bff2b954c8d6bc5f",
    QUOTIENT: "13509b922441260f",
}
"""The bits of a thousand results each: they hold for every machine, and with the compiler and without."""


@pytest.mark.parametrize("which", DIGESTS)
def test_every_machine_and_plain_python_give_the_same_bits(which):
    xs = [*any_doubles(21, 400), *between(22, -12, 12, 400), *between(23, 0, 720, 200)]
    ys = [*any_doubles(24, 400), *between(25, -12, 12, 400), *between(26, -3, 3, 200)]
    found = results(which, xs, ys)
    assert hashlib.sha256(b"".join(map(bits, found))).hexdigest()[:16] == DIGESTS[which]


# --- nothing of the machine's library ---


EXACT_CALLS = {"math.sqrt", "math.copysign", "math.floor"}
"""Functions of Python's modules that kernels may call: IEEE 754 fixes their results to the bit."""


def kernel_functions() -> list[tuple[Path, ast.FunctionDef]]:
    root = Path(__file__).parents[2]
    found = []
    for folder in ("engine", "evaluators", "generators", "pcg", "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not re.search(r"@(inner|inlined|entry_point)\b", text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and any(
                    re.match(r"(inner|inlined|entry_point)\b", ast.unparse(d)) for d in node.decorator_list
                ):
                    found.append((path.relative_to(root), node))
    return found


def test_kernels_call_no_function_whose_last_bit_depends_on_the_machine():
    functions = kernel_functions()
    assert len(functions) > 500
    wrong = []
    for path, function in functions:
        for node in ast.walk(function):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            outside = re.match(r"(math|np|numpy)\.", name) and name not in EXACT_CALLS
            if outside or name in {"pow", "round", "divmod"}:
                wrong.append(f"{path}:{node.lineno}: {name}")
            if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
                wrong.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []
