"""Files that people have: levels of Tiled, LDtk and PuzzleScript, corpora of text levels, and runs as tables.

`read_levels` reads level texts of a game from any of these, with a mapping of the file's characters, tiles and names to
the characters of the game where they differ; `write_tiled` and `write_ldtk` write levels for editors; `write_game`
makes a game with other levels, for generators that learn from examples; `write_table` writes a run as CSV or Parquet.
"""

from pcg.files.ldtk import read_ldtk, write_ldtk
from pcg.files.mapping import Mapping, read_mapping
from pcg.files.puzzlescript import read_puzzlescript
from pcg.files.sources import FORMATS, read_levels, write_game
from pcg.files.tables import run_rows, write_dataset, write_table
from pcg.files.tiled import read_tiled, write_tiled

__all__ = [
    "FORMATS",
    "Mapping",
    "read_ldtk",
    "read_levels",
    "read_mapping",
    "read_puzzlescript",
    "read_tiled",
    "run_rows",
    "write_dataset",
    "write_game",
    "write_ldtk",
    "write_table",
    "write_tiled",
]
