"""Level generators for any VGDL game.

The generators share one contract (`contract`, ask/tell) and one knowledge of the game (`context`):

    portfolio       what suits the game, from the families below and from pieces of its own levels: the default
    random          things at random places: the baseline
    constructive    walls, filler and objects placed in one go
    ca              caves, mazes and more from cellular automata
    noise, midpoint, growth, diggers, bsp
                    terrains from noise, fractals, growth, digging agents and space partition
    wfc, markov     learnt from the game's own levels
    grammar         missions from a graph grammar, and rooms that enforce them
    ge              grammatical evolution of missions and rooms
    asp             by constraints, with a solver (clingo)
    evolve          two populations, one of them of playable levels (FI-2pop on DEAP)

They build with the same tools: `wall_layout` (walls, rooms, caves, lanes), `object_counts` (how many of what),
`object_placement` (where), `repair`, `operators` (crossover and mutation), `population` (what all that breed levels
share). All levels are texts in the game's own mapping.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.evaluators.metrics.likeness import level_distance
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, IndependentGenerator, LevelGenerator
from pcg.generators.levels.registry import GENERATORS, generator_class, make_generator, register

if TYPE_CHECKING:
    from pcg.generators.levels.asp.transition_model import puzzle_rules
    from pcg.generators.levels.constructive_completion import complete as complete_by_rules
    from pcg.generators.levels.grammar.game_elements import game_elements
    from pcg.generators.levels.grammar.language import parse_grammar, read_grammar
    from pcg.generators.levels.level_builder import LevelBuilder
    from pcg.generators.levels.noise.gradient import fractal as fractal_noise
    from pcg.generators.levels.object_counts import draw_counts
    from pcg.generators.levels.object_placement import place_objects
    from pcg.generators.levels.repair.by_rules import repair as repair_by_rules
    from pcg.generators.levels.repair.completion import complete as complete_level
    from pcg.generators.levels.repair.level import repair_level
    from pcg.generators.levels.wall_layout import draw_size

_HOMES = {
    "LevelBuilder": "level_builder:LevelBuilder",
    "complete_by_rules": "constructive_completion:complete",
    "complete_level": "repair.completion:complete",
    "draw_counts": "object_counts:draw_counts",
    "draw_size": "wall_layout:draw_size",
    "fractal_noise": "noise.gradient:fractal",
    "game_elements": "grammar.game_elements:game_elements",
    "parse_grammar": "grammar.language:parse_grammar",
    "place_objects": "object_placement:place_objects",
    "puzzle_rules": "asp.transition_model:puzzle_rules",
    "read_grammar": "grammar.language:read_grammar",
    "repair_by_rules": "repair.by_rules:repair",
    "repair_level": "repair.level:repair_level",
}
"""Tools of generators, imported on first use."""

__all__ = [
    "GENERATORS",
    "SIZE_PARAMETERS",
    "Candidate",
    "IndependentGenerator",
    "LevelBuilder",
    "LevelContext",
    "LevelGenerator",
    "complete_by_rules",
    "complete_level",
    "draw_counts",
    "draw_size",
    "fractal_noise",
    "game_elements",
    "generator_class",
    "level_distance",
    "make_generator",
    "parse_grammar",
    "place_objects",
    "puzzle_rules",
    "read_grammar",
    "register",
    "repair_by_rules",
    "repair_level",
]


__getattr__, __dir__ = _lazy_exports(__name__, _HOMES)
