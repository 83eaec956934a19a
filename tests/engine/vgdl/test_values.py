"""Reading of values from texts, and when they reach a field (reference/language 1.4)."""

from __future__ import annotations

import math

import pytest

from pcg.engine.vgdl.values import convert, fit, parse_double, parse_int


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("+7", 7), ("-3", -3), ("007", 7), ("2147483647", 2**31 - 1), ("-2147483648", -(2**31))],
)
def test_java_ints(text: str, value: int) -> None:
    assert parse_int(text) == value


@pytest.mark.parametrize(
    "text", ["", "+", "--1", "1.0", "2147483648", "0x10", "1_000", "١", "1 ", "00000000000000000099999999999"]
)
def test_what_is_no_java_int(text: str) -> None:
    assert parse_int(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-1", 0.1), ("2f", 2.0), ("3d", 3.0), (".5", 0.5), ("1.", 1.0), ("-Infinity", -math.inf), ("0x1p3", 8.0),
        ("1e400", math.inf),
    ],
)  # fmt: skip
def test_java_doubles(text: str, value: float) -> None:
    assert parse_double(text) == value


def test_nan_is_a_java_double() -> None:
    assert math.isnan(parse_double("NaN") or 0.0)


@pytest.mark.parametrize("text", ["", ".", "e5", "nan", "inf", "1_0.5", "1,0", "0x1", "f"])
def test_what_is_no_java_double(text: str) -> None:
    assert parse_double(text) is None


def test_an_int_too_large_is_a_double() -> None:
    assert convert("limit", "2147483648") == ("double", 2147483648.0)


def test_constants_come_before_everything_else() -> None:
    assert convert("stype", "GOLD") == ("colour", "GOLD")
    assert convert("orientation", "DUP") == ("direction", (0.0, -1.0))
    assert convert("physicstype", "CONT") == ("int", 1)
    assert convert("physicstype", "cont") == ("text", "cont")


@pytest.mark.parametrize("key", ["scoreChange", "scorechange", "scoreChangeIfKilled"])
def test_score_parameters_stay_text(key: str) -> None:
    assert convert(key, "3") == ("text", "3")
    assert convert(key, "0.5") == ("text", "0.5")


@pytest.mark.parametrize("key", ["win", "WIN", "hidden", "invisible"])
def test_player_flags_stay_text_but_numbers_do_not(key: str) -> None:
    assert convert(key, "True") == ("text", "True")
    assert convert(key, "1") == ("int", 1)


def test_booleans_in_any_case() -> None:
    assert convert("solid", "tRuE") == ("bool", True)


@pytest.mark.parametrize(
    ("key", "text", "field"),
    [
        ("cooldown", "2.0", "int"),
        ("maxDistance", "20.5", "float"),
        ("solid", "1", "bool"),
        ("orientation", "right", "direction"),
        ("color", "NOPE", "colour"),
        ("counter", "1", "text"),
        ("stype", "7", "text"),
        ("stype", "true", "text"),
        ("stype", "UP", "text"),
        ("cooldown", "True", "int"),
    ],
)
def test_misfits_are_dropped(key: str, text: str, field: str) -> None:
    assert fit(key, text, field) is None


def test_values_widen_but_never_narrow() -> None:
    assert fit("speed", "2", "double") == 2.0 and isinstance(fit("speed", "2", "double"), float)
    assert fit("maxDistance", "20", "float") == 20.0
    assert fit("counter", "1,0", "text") == "1,0"
