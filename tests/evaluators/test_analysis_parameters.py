"""Parameters: declared once, checked in one place, refused with a hint."""

from __future__ import annotations

import pytest

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, resolve

DECLARED = (
    Parameter("population", 40, "members", 4, 100),
    Parameter("share", 0.5, "a share", 0.0, 1.0),
    Parameter("style", "mixed", "how", choices=("mixed", "rooms")),
    Parameter("fast", False, "whether"),
)


def test_defaults_are_filled_in_order_and_given_values_replace_them() -> None:
    assert list(resolve(DECLARED, {"share": 0.25}, "x").items()) == [
        ("population", 40), ("share", 0.25), ("style", "mixed"), ("fast", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"population": "12"}, 12),
        ({"share": "0.25"}, 0.25),
        ({"fast": "yes"}, True),
        ({"share": 1}, 1.0),
        ({"population": 7.0}, 7),
    ],
)
def test_text_and_whole_floats_are_converted(given: dict[str, object], value: object) -> None:
    assert value in resolve(DECLARED, given, "x").values()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"populaton": 3}, "did you mean `population`"),
        ({"qqq": 3}, "it has: population, share, style, fast"),
        ({"population": 3}, "whole number from 4 to 100"),
        ({"population": 4.5}, "whole number from 4 to 100"),
        ({"population": True}, "whole number from 4 to 100"),
        ({"share": float("nan")}, "number from 0 to 1"),
        ({"share": "much"}, "number from 0 to 1"),
        ({"style": "room"}, "did you mean `rooms`"),
        ({"fast": "perhaps"}, "true or false"),
    ],
)
def test_mistakes_are_refused_with_what_was_expected(given: dict[str, object], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        resolve(DECLARED, given, "generator x")
