"""pcg: procedural content generation for games.

Three words explain it: an *engine* runs games, *evaluators* judge them, *generators* make them. This module exports the
dozen names that most users need and imports nothing until one of them is used; everything else is reachable by a path
that can be guessed (`pcg.engine.vgdl`, `pcg.evaluators.agents`, `pcg.generators.levels`, `pcg.runs`).

    import pcg
    game = pcg.load("boxes")
    state = game.start(level=0, seed=1)
    agent = pcg.make_agent("mcts", seed=1)
    state.advance(agent.act(state))

Jobs are functions, each like the command of the same name: `generate`, `evaluate`, `measure`, `repair`, `solve`,
`tournament`, `render`, `describe`, `evolve_rules` (`pcg.api`). Everything bad that is put in raises a `PcgError`.
"""

from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING

# A checkout keeps the sub-packages beside this folder; a non-editable install has them inside it.
_root = _Path(__file__).resolve().parent.parent
if (_root / "engine" / "vgdl").is_dir() and (_root / "generators").is_dir():
    __path__.append(str(_root))

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pcg.api import Games as Games
    from pcg.api import Levels as Levels
    from pcg.api import describe as describe
    from pcg.api import evaluate as evaluate
    from pcg.api import evolve_rules as evolve_rules
    from pcg.api import generate as generate
    from pcg.api import measure as measure
    from pcg.api import render as render
    from pcg.api import repair as repair
    from pcg.api import solve as solve
    from pcg.api import tournament as tournament
    from pcg.engine.game import Game as Game
    from pcg.engine.game import load as load
    from pcg.engine.state import Outcome as Outcome
    from pcg.engine.state import State as State
    from pcg.engine.vgdl import PcgError as PcgError
    from pcg.engine.vgdl import VGDLError as VGDLError
    from pcg.engine.vgdl import check_game as check_game
    from pcg.engine.vgdl import check_level as check_level
    from pcg.envs import env as env
    from pcg.envs import parallel_env as parallel_env
    from pcg.envs import vector_env as vector_env
    from pcg.evaluators.agents import Agent as Agent
    from pcg.evaluators.agents import Budget as Budget
    from pcg.evaluators.agents import make_agent as make_agent
    from pcg.evaluators.agents import parameter as parameter
    from pcg.evaluators.agents import play as play
    from pcg.evaluators.analysis import analyse as analyse
    from pcg.generators.levels import make_generator as make_generator

_EXPORTS: dict[str, str] = {
    "Agent": "pcg.evaluators.agents",
    "Budget": "pcg.evaluators.agents",
    "Game": "pcg.engine.game",
    "Games": "pcg.api",
    "Levels": "pcg.api",
    "Outcome": "pcg.engine.state",
    "PcgError": "pcg.engine.vgdl",
    "State": "pcg.engine.state",
    "VGDLError": "pcg.engine.vgdl",
    "analyse": "pcg.evaluators.analysis",
    "check_game": "pcg.engine.vgdl",
    "check_level": "pcg.engine.vgdl",
    "describe": "pcg.describe",
    "env": "pcg.envs",
    "evaluate": "pcg.api",
    "evolve_rules": "pcg.api",
    "generate": "pcg.api",
    "load": "pcg.engine.game",
    "make_agent": "pcg.evaluators.agents",
    "make_generator": "pcg.generators.levels",
    "measure": "pcg.api",
    "parallel_env": "pcg.envs",
    "parameter": "pcg.evaluators.agents",
    "play": "pcg.evaluators.agents",
    "render": "pcg.render",
    "repair": "pcg.api",
    "solve": "pcg.api",
    "tournament": "pcg.api",
    "vector_env": "pcg.envs",
}

__all__ = ["__version__", *_EXPORTS]


def __getattr__(name: str) -> object:
    """Import an exported name on first use (PEP 562), so that `import pcg` costs nothing."""
    if name not in _EXPORTS:
        from pcg.engine.vgdl.diagnostics import did_you_mean

        hint = did_you_mean(name, _EXPORTS, f"; it exports {', '.join(_EXPORTS)}")
        raise AttributeError(f"module 'pcg' has no attribute {name!r}{hint}")
    module = _import_module(_EXPORTS[name])
    # a package of that name is the function itself: it can be called
    value = module if _EXPORTS[name] == f"pcg.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


# `gymnasium.make("pcg/Boxes-v0")` works after `import pcg`, whichever of the two comes first.
_import_module("pcg.gymnasium_ids").register_when_imported()
