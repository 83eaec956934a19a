"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence.

`judge_game` judges a game with its levels and `judge_board_game` a rule sheet; levels are judged as a part of their
evaluation (`pcg.evaluate(...).judgement`). Both are imported on first use.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.evaluators.judging.judgement import Judgement, Part

if TYPE_CHECKING:
    from pcg.evaluators.judging.boardgames import judge_board_game
    from pcg.evaluators.judging.games import judge_game

__all__ = ["Judgement", "Part", "judge_board_game", "judge_game"]

# every evaluation of a level has a judgement, and few processes judge games, which takes agents and an optimiser
__getattr__, __dir__ = _lazy_exports(__name__, {"judge_board_game": "boardgames", "judge_game": "games"})
