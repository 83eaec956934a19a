"""Networked general game playing: our agents behind the protocol of game managers, and a small manager.

`messages` reads and writes what is sent, `player` answers it with an agent, `server` does so over HTTP, and `manager`
is the other side: it starts a match, keeps the clocks and the rules, and says who has won. The protocol is the one in
chapter 4 of Genesereth and Thielscher, General Game Playing (2014), and in the GDL specification of 2008.
"""

from pcg.ggp.manager import Fault as Fault
from pcg.ggp.manager import MatchRecord as MatchRecord
from pcg.ggp.manager import play_match as play_match
from pcg.ggp.messages import MessageError as MessageError
from pcg.ggp.messages import read_message as read_message
from pcg.ggp.player import GamePlayer as GamePlayer
from pcg.ggp.server import LocalServer as LocalServer
from pcg.ggp.server import make_app as make_app

__all__ = [
    "Fault",
    "GamePlayer",
    "LocalServer",
    "MatchRecord",
    "MessageError",
    "make_app",
    "play_match",
    "read_message",
]
