"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence.

`judge_game` judges a game with its levels and `judge_board_game` a rule sheet; levels are judged as a part of their
evaluation (`pcg.evaluate(...).judgement`). Both are imported on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

from pcg.evaluators.judging.judgement import Judgement, Part

if TYPE_CHECKING:
    from pcg.evaluators.judging.boardgames import judge_board_game
    from pcg.evaluators.judging.games import judge_game

__all__ = ["Judgement", "Part", "judge_board_game", "judge_game"]

_HOMES = {"judge_board_game": "boardgames", "judge_game": "games"}


def __getattr__(name: str) -> Any:
    # every evaluation of a level has a judgement, and few processes judge games, which takes agents and an optimiser
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
