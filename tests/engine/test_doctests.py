"""Docstrings of the engine: examples run, everything that users call has one, and none opens as a question."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

from pcg.engine.boards import ConnectX
from pcg.engine.envs import Env, ParallelEnv, VectorEnv
from pcg.engine.envs.boards import ConnectAEC
from pcg.engine.envs.observers import Entities, JsonDictionary, Planes
from pcg.engine.envs.single import make_observer
from pcg.engine.game import Game, builtin_games, builtin_sheets, load
from pcg.engine.gdl import GdlGame
from pcg.engine.gdl import load as load_sheet
from pcg.engine.gdl.game import SheetState
from pcg.engine.model import Model
from pcg.engine.observation import StateObservation
from pcg.engine.observation_json import as_json
from pcg.engine.state import State
from pcg.engine.vgdl import check_game, check_level, dumps, format_text, loads, read_game, read_level

ENGINE = Path(__file__).resolve().parent.parent.parent / "engine"
MODULES = [
    ".".join(("pcg.engine", *path.relative_to(ENGINE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(ENGINE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
CALLED_BY_USERS = [
    load, builtin_games, builtin_sheets, Game, Game.read_level, Game.start, Game.vectorize, Game.restore,
    State, State.advance, State.copy, State.reseed, State.winner, State.actions, State.avatar, State.sprites,
    State.grid, State.render, State.events, State.observe, State.arrays, State.key, State.to_bytes,
    StateObservation, as_json, Model, Model.pool, Planes, Entities, JsonDictionary, make_observer, Env, VectorEnv,
    ParallelEnv, ConnectAEC, ConnectX, load_sheet, GdlGame, GdlGame.playouts, SheetState.legal, SheetState.advance,
    check_game, check_level, dumps, format_text, loads, read_game, read_level,
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("thing", CALLED_BY_USERS, ids=lambda thing: getattr(thing, "fget", thing).__qualname__)
def test_what_users_call_has_an_example(thing: object) -> None:
    assert ">>> " in (thing.__doc__ or "")


def test_docstrings_open_with_a_noun_phrase_or_an_imperative() -> None:
    question = re.compile(r"(What|How|Whether|Who|Whom|Whose|Which|Where|Why)\b")
    found = []
    for path in sorted(ENGINE.rglob("*.py")):
        for line in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = str(line.value.value) if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) else ""
            if question.match(text.strip()):
                found.append(f"{path.relative_to(ENGINE)}:{line.lineno}")
    assert found == []
