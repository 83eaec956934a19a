"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence."""

from pcg.evaluators.judging.boardgames import judge_board_game
from pcg.evaluators.judging.judgement import Judgement, Part

__all__ = ["Judgement", "Part", "judge_board_game"]
