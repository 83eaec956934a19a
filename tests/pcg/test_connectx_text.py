"""The scripts of the text on ConnectX run from end to end with their import changed, and print what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def scripts(text: str) -> list[str]:
    """The Python blocks of the text, one after the other, with our environment in place of the one it uses."""
    return [
        body.replace("from kaggle_environments import", "from pcg.connectx import")
        for body in re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    ]


def printed(name: str, output: str) -> list[float]:
    """The numbers behind a line's name, in the order in which they were printed."""
    return [float(number) for number in re.findall(rf"^{re.escape(name)}: ([\d.]+)$", output, flags=re.M)]


def test_the_scripts_of_the_text_run_with_only_their_import_changed(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = scripts((shared / "sources" / "004_connectx.txt").read_text(encoding="utf-8"))
    assert len(blocks) >= 8 and sum("pcg.connectx" in block for block in blocks) == 2
    names: dict[str, object] = {"__name__": "text"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"<block {number}>", "exec", dont_inherit=True), names)
    output = capsys.readouterr().out
    # always the middle, against random columns: loses when its column is full
    invalid = printed("Number of Invalid Plays by Agent 1", output)
    assert len(invalid) == 2 and invalid[0] > 0
    # one-step look-ahead, against random columns: the text prints 1.0, 0.0, 0 and 0
    assert printed("Agent 1 Win Percentage", output)[1] >= 0.95
    assert printed("Agent 2 Win Percentage", output)[1] <= 0.05
    assert invalid[1] == printed("Number of Invalid Plays by Agent 2", output)[1] == 0
