"""Making games smaller: rules that never matter are removed, as long as recorded plays stay the same tick by tick.

`minimise` is delta debugging (Zeller and Hildebrandt 2002) on what a game does rather than on a failure; `rename`
gives sprite types names that say what they are for.

    import pcg
    from pcg.minimise import minimise
    print(minimise(pcg.load("dungeon"), max_ticks=100).text)
"""

from pcg.minimise.minimiser import Minimised, Removal, minimise
from pcg.minimise.plays import Play, Plays, record_plays
from pcg.minimise.rename import rename

__all__ = ["Minimised", "Play", "Plays", "Removal", "minimise", "record_plays", "rename"]
