"""Turn-based board games behind the forward-model protocol: pieces dropped into columns or placed in cells, for lines.

`ConnectX` is the game of dropping discs for any number of rows, columns and discs in a row; `ConnectState` is a
position of it. `MnkGame` is the game of placing pieces in cells, from Tic-Tac-Toe to Gomoku, also misere and with
different goals for the two players; `MnkState` is a position of it. `rule_sheet` writes an m,n,k-game in GDL. The
kernels are in `kernel` and `mnk_kernel`. The environment with the interface of the teaching site is `pcg.connectx`.
"""

from pcg.engine.boards.connect import ConnectState as ConnectState
from pcg.engine.boards.connect import ConnectX as ConnectX
from pcg.engine.boards.mnk import MnkGame as MnkGame
from pcg.engine.boards.mnk import MnkState as MnkState
from pcg.engine.boards.mnk_sheet import rule_sheet as rule_sheet

__all__ = ["ConnectState", "ConnectX", "MnkGame", "MnkState", "rule_sheet"]
