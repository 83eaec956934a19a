"""Turn-based board games behind the forward-model protocol: discs dropped into columns until some are in a line.

`ConnectX` is the game for any number of rows, columns and discs in a row; `ConnectState` is a position of it. The
kernel is in `kernel`. The environment with the interface of the teaching site is `pcg.connectx`.
"""

from pcg.engine.boards.connect import ConnectState as ConnectState
from pcg.engine.boards.connect import ConnectX as ConnectX

__all__ = ["ConnectState", "ConnectX"]
