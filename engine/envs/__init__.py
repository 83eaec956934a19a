"""Games as reinforcement-learning environments: Gymnasium (one play or thousands at once) and PettingZoo.

`Env` (module `single`), `VectorEnv` (`vector`) and `ParallelEnv` (`parallel`, two players); what they show is made in
`observers` and `pictures`. Needs the extra `envs`. `pcg.env` and its sisters (`pcg.envs`) draw with the toolkit's own
tiles; used directly, the classes here draw plain coloured cells, since the engine knows nothing of tiles.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pcg.engine.envs.parallel import ParallelEnv as ParallelEnv
    from pcg.engine.envs.single import Env as Env
    from pcg.engine.envs.vector import VectorEnv as VectorEnv

_EXPORTS = {"Env": "single", "ParallelEnv": "parallel", "VectorEnv": "vector"}

__all__ = ["Env", "ParallelEnv", "VectorEnv"]


def __getattr__(name: str) -> object:
    """Import a class on first use (PEP 562), or say what is missing."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'pcg.engine.envs' has no attribute {name!r}; it exports {', '.join(__all__)}")
    try:
        value = getattr(_import_module(f"pcg.engine.envs.{_EXPORTS[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name not in ("gymnasium", "pettingzoo"):
            raise
        from pcg.engine.vgdl.diagnostics import PcgError

        raise PcgError(f"{name} needs {error.name}: install pcg-toolkit[envs]") from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
