"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence."""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.evaluators.judging.judgement import Judgement, Part

if TYPE_CHECKING:
    from pcg.evaluators.judging.boardgames import judge_board_game

# every evaluation of a level has a judgement, and few processes judge board games, which takes an optimiser
__getattr__, __dir__ = _lazy_exports(__name__, {"judge_board_game": "boardgames"})

__all__ = ["Judgement", "Part", "judge_board_game"]
