"""Judgements that agree with people: qualities of levels and games made of named parts, each with a sentence."""

from pcg.evaluators.judging.judgement import Judgement, Part

__all__ = ["Judgement", "Part"]
