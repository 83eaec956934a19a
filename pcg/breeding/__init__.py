"""Breeding levels by eye: a person says which they like, the generator's operators breed the next generation of those.

    BreedingRun        configuration of a run
    LevelPopulation    the population, the votes, and how the next one is bred
    LearntPreference   the model of the person's preferences
    breeding_app       the pages

Interactive evolution (Takagi: Interactive Evolutionary Computation, 2001) with a model of the preference that chooses
among many children those a person gets to see, because people tire sooner than machines.

A run is a folder: `run.json` (`kind` "breeding", `game`, `seed`, `wants`, all parameters, `versions`), `config.toml`,
`game/` (the game as it was), `events.jsonl` and `levels/` (the liked ones, best first, in the layout of all runs).
Each line of `events.jsonl` is one of

`{"id", "type": "generation", "generation", "members": [...]}`
    A population: `number` (counted through the run), `level`, `origin`, `parents` (numbers), and the verdict of the
    evaluation; a member that stays on is named by its number alone.
`{"id", "type": "vote", "generation", "first", "second", "answer"}`
    Of two members; of several votes on the same two the last counts.
`{"id", "type": "liked", "generation", "liked": [...]}`
    The members that are marked as liked, the last such line of a generation counts.

What is in the log is on the disk before the page hears of it. The same seed and the same votes give the same file, and
a run that was stopped or killed goes on from its log.
"""

from pcg.breeding.config import BreedingRun, read_breeding
from pcg.breeding.population import LevelPopulation, Member
from pcg.breeding.preference import LearntPreference

__all__ = ["BreedingRun", "LearntPreference", "LevelPopulation", "Member", "read_breeding"]
