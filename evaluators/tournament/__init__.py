"""Tournaments: which agents win which games, by the rules of the competitions (reference/agents 11.1).

In the order of work: `games` finds what is played, `schedule` says who meets whom, `match` plays one of these meetings
by `rules`, `workers` plays many side by side and survives agents that stall or crash, `ranking` gives out points and
`ratings` estimates strengths. Nothing here writes files: `pcg.runs` keeps a tournament in a folder.
"""

from pcg.evaluators.tournament.games import Entry as Entry
from pcg.evaluators.tournament.games import select_games as select_games
from pcg.evaluators.tournament.games import select_levels as select_levels
from pcg.evaluators.tournament.games import split_agents as split_agents
from pcg.evaluators.tournament.match import Fault as Fault
from pcg.evaluators.tournament.match import MatchResult as MatchResult
from pcg.evaluators.tournament.match import play_match as play_match
from pcg.evaluators.tournament.ranking import POINTS as POINTS
from pcg.evaluators.tournament.ranking import Place as Place
from pcg.evaluators.tournament.ranking import Standing as Standing
from pcg.evaluators.tournament.ranking import Standings as Standings
from pcg.evaluators.tournament.ranking import Tally as Tally
from pcg.evaluators.tournament.ranking import rank as rank
from pcg.evaluators.tournament.ranking import shared_points as shared_points
from pcg.evaluators.tournament.ratings import Rating as Rating
from pcg.evaluators.tournament.ratings import rate as rate
from pcg.evaluators.tournament.ratings import wilson as wilson
from pcg.evaluators.tournament.rules import Rules as Rules
from pcg.evaluators.tournament.schedule import Match as Match
from pcg.evaluators.tournament.schedule import schedule as schedule
from pcg.evaluators.tournament.workers import run_matches as run_matches

__all__ = [
    "POINTS",
    "Entry",
    "Fault",
    "Match",
    "MatchResult",
    "Place",
    "Rating",
    "Rules",
    "Standing",
    "Standings",
    "Tally",
    "play_match",
    "rank",
    "rate",
    "run_matches",
    "schedule",
    "select_games",
    "select_levels",
    "shared_points",
    "split_agents",
    "wilson",
]
