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

from pcg.evaluators.metrics.likeness import level_distance
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import Candidate, LevelGenerator
from pcg.generators.levels.registry import GENERATORS, generator_class, make_generator, register

__all__ = [
    "GENERATORS",
    "Candidate",
    "LevelContext",
    "LevelGenerator",
    "generator_class",
    "level_distance",
    "make_generator",
    "register",
]
