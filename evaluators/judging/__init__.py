"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence."""

from typing import TYPE_CHECKING, Any

from pcg.evaluators.judging.judgement import Judgement, Part

if TYPE_CHECKING:
    from pcg.evaluators.judging.boardgames import judge_board_game

__all__ = ["Judgement", "Part", "judge_board_game"]


def __getattr__(name: str) -> Any:
    # every evaluation of a level has a judgement, and few processes judge board games, which takes an optimiser
    if name == "judge_board_game":
        from pcg.evaluators.judging.boardgames import judge_board_game

        return judge_board_game
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
