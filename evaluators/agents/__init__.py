"""Players for any game with a forward model: planning agents, whole plays, and a solver.

`make_agent(name, seed=..., budget=...)` makes an agent of the table `AGENTS`; a subclass of `Agent` with an `act`
method is an agent too. `play` plays a game to the end and `solve` searches a deterministic one for a shortest win.
Compiled agents are written against `pcg.engine.kernel.protocol`, so they serve every engine.
All are imported when first asked for.

Each agent or family has a file here (class, parameters, memory); what is compiled lies in `kernel`: the shell of a
decision, the tree, the plan, the rollout, and one search per agent. Beside them: `base` (the contract), `compiled` (its
base class), `registry` (the table), `heuristics` and `goal_heuristic`, `subgoals`, `graph_search`, and `playout`.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.evaluators.agents.base import Agent as Agent
from pcg.evaluators.agents.base import AgentError as AgentError
from pcg.evaluators.agents.base import Budget as Budget
from pcg.evaluators.agents.base import Game as Game
from pcg.evaluators.agents.base import GameState as GameState
from pcg.evaluators.agents.base import Timer as Timer
from pcg.evaluators.agents.base import parameter as parameter
from pcg.evaluators.agents.registry import AGENTS as AGENTS
from pcg.evaluators.agents.registry import AgentType as AgentType
from pcg.evaluators.agents.registry import make_agent as make_agent
from pcg.evaluators.agents.registry import register as register

if TYPE_CHECKING:
    from pcg.evaluators.agents.alphabeta import AlphaBeta as AlphaBeta
    from pcg.evaluators.agents.compiled import CompiledAgent as CompiledAgent
    from pcg.evaluators.agents.fast_evo import FastEvo as FastEvo
    from pcg.evaluators.agents.ga import GeneticAlgorithm as GeneticAlgorithm
    from pcg.evaluators.agents.graph_search import Pair as Pair
    from pcg.evaluators.agents.graph_search import Progress as Progress
    from pcg.evaluators.agents.graph_search import Solution as Solution
    from pcg.evaluators.agents.graph_search import solve as solve
    from pcg.evaluators.agents.greedy_tree import GreedyTree as GreedyTree
    from pcg.evaluators.agents.guided_mcts import GuidedMCTS as GuidedMCTS
    from pcg.evaluators.agents.heuristics import HEURISTICS as HEURISTICS
    from pcg.evaluators.agents.heuristics import Heuristic as Heuristic
    from pcg.evaluators.agents.human import Human as Human
    from pcg.evaluators.agents.mcts import MCTS as MCTS
    from pcg.evaluators.agents.mcts import Enhanced as Enhanced
    from pcg.evaluators.agents.mcts import SarsaUCT as SarsaUCT
    from pcg.evaluators.agents.memory_mcts import MemoryMCTS as MemoryMCTS
    from pcg.evaluators.agents.memory_mcts import OwnStateMCTS as OwnStateMCTS
    from pcg.evaluators.agents.olets import OLETS as OLETS
    from pcg.evaluators.agents.playout import MAX_TICKS as MAX_TICKS
    from pcg.evaluators.agents.playout import Play as Play
    from pcg.evaluators.agents.playout import Playout as Playout
    from pcg.evaluators.agents.playout import begin as begin
    from pcg.evaluators.agents.playout import play as play
    from pcg.evaluators.agents.playout import replay as replay
    from pcg.evaluators.agents.portfolio import Portfolio as Portfolio
    from pcg.evaluators.agents.recorded_play import Replay as Replay
    from pcg.evaluators.agents.rhea import RandomSearch as RandomSearch
    from pcg.evaluators.agents.rhea import RollingHorizon as RollingHorizon
    from pcg.evaluators.agents.simple import Nothing as Nothing
    from pcg.evaluators.agents.simple import OneStep as OneStep
    from pcg.evaluators.agents.simple import Random as Random
    from pcg.evaluators.agents.solver import Solver as Solver
    from pcg.evaluators.agents.uct import UCT as UCT
    from pcg.evaluators.agents.uct import FlatMonteCarlo as FlatMonteCarlo
    from pcg.evaluators.agents.value_field import ValueField as ValueField
    from pcg.evaluators.agents.width import IW as IW
    from pcg.evaluators.agents.width import YBCriber as YBCriber

_EXPORTS: dict[str, str] = {
    "AlphaBeta": "alphabeta",
    "begin": "playout",
    "CompiledAgent": "compiled",
    "Enhanced": "mcts",
    "FastEvo": "fast_evo",
    "FlatMonteCarlo": "uct",
    "GeneticAlgorithm": "ga",
    "GreedyTree": "greedy_tree",
    "GuidedMCTS": "guided_mcts",
    "Heuristic": "heuristics",
    "HEURISTICS": "heuristics",
    "Human": "human",
    "IW": "width",
    "MAX_TICKS": "playout",
    "MCTS": "mcts",
    "MemoryMCTS": "memory_mcts",
    "Nothing": "simple",
    "OLETS": "olets",
    "OneStep": "simple",
    "OwnStateMCTS": "memory_mcts",
    "Pair": "graph_search",
    "Play": "playout",
    "play": "playout",
    "Playout": "playout",
    "Portfolio": "portfolio",
    "Progress": "graph_search",
    "Random": "simple",
    "RandomSearch": "rhea",
    "Replay": "recorded_play",
    "replay": "playout",
    "RollingHorizon": "rhea",
    "SarsaUCT": "mcts",
    "Solution": "graph_search",
    "solve": "graph_search",
    "Solver": "solver",
    "UCT": "uct",
    "ValueField": "value_field",
    "YBCriber": "width",
}

__all__ = [
    "AGENTS",
    "HEURISTICS",
    "IW",
    "MAX_TICKS",
    "MCTS",
    "OLETS",
    "UCT",
    "Agent",
    "AgentError",
    "AgentType",
    "AlphaBeta",
    "Budget",
    "CompiledAgent",
    "Enhanced",
    "FastEvo",
    "FlatMonteCarlo",
    "Game",
    "GameState",
    "GeneticAlgorithm",
    "GreedyTree",
    "GuidedMCTS",
    "Heuristic",
    "Human",
    "MemoryMCTS",
    "Nothing",
    "OneStep",
    "OwnStateMCTS",
    "Pair",
    "Playout",
    "Portfolio",
    "Progress",
    "Random",
    "RandomSearch",
    "Replay",
    "RollingHorizon",
    "SarsaUCT",
    "Solution",
    "Solver",
    "Timer",
    "ValueField",
    "YBCriber",
    "make_agent",
    "parameter",
    "play",
    "register",
    "replay",
    "solve",
]


__getattr__, __dir__ = _lazy_exports(__name__, _EXPORTS)
