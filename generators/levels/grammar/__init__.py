"""Missions from graph grammars and spaces from shape grammars, drawn at random or evolved."""

from pcg.generators.levels.grammar.evolution import GrammaticalEvolution
from pcg.generators.levels.grammar.generator import GrammarGenerator
from pcg.generators.levels.grammar.language import LevelGrammar, parse_grammar, read_grammar
from pcg.generators.levels.grammar.mission import Mission

__all__ = ["GrammarGenerator", "GrammaticalEvolution", "LevelGrammar", "Mission", "parse_grammar", "read_grammar"]
