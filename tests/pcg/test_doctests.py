"""The examples in docstrings of the front door run, and everything that users call of these packages has one."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from pcg import connectx, ggp, render
from pcg.connectx import Environment
from pcg.envs import env, parallel_env, vector_env
from pcg.ggp import messages

PCG = Path(__file__).resolve().parent.parent.parent / "pcg"
MODULES = [
    ".".join(("pcg", *path.relative_to(PCG).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PCG.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
CALLED_BY_USERS = [
    render.rgb_array, render.render_png, render.render_level, render.render_cells, render.contact_sheet,
    render.render_gif, render.write_gif, render.render_ansi,
    connectx.make, connectx.evaluate, connectx.get_win_percentages, connectx.Trainer, Environment, Environment.run,
    Environment.render,
    ggp.GamePlayer, ggp.LocalServer, ggp.play_match, ggp.read_message, messages.write_message,
    env, vector_env, parallel_env,
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("called", CALLED_BY_USERS, ids=lambda called: called.__qualname__)
def test_what_users_call_has_an_example(called: object) -> None:
    assert ">>> " in (called.__doc__ or "")
