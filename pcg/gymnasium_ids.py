"""Gymnasium ids of the built-in games, such as ``pcg/Boxes-v0``, known as soon as both packages are imported.

Gymnasium 1.0 and later no longer ask installed packages for environments (there was an entry point for that before),
so `import pcg` registers them: at once when Gymnasium is there already, else when it comes. Registering reads the
first lines of the games' texts; nothing of the engine is imported until an environment is made.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

BOARD = "pcg/ConnectX-v0"
"""The board game, against an agent."""

_TWO_PLAYERS = re.compile(r"^[^\s#].*\bno_players\s*=\s*2\b", re.MULTILINE)


def single_player_games() -> Iterator[str]:
    """Names of the built-in games for one player."""
    from importlib.resources import files

    root = files("pcg.games").joinpath("vgdl")
    for folder in sorted(root.iterdir(), key=lambda entry: entry.name) if root.is_dir() else ():
        text = folder.joinpath("game.vgdl")
        if text.is_file() and not _TWO_PLAYERS.search(text.read_text(encoding="utf-8")):
            yield folder.name


def environment_id(game: str) -> str:
    """The id of a built-in game.

    >>> environment_id("fixed_shooter")
    'pcg/FixedShooter-v0'
    """
    return f"pcg/{''.join(word.capitalize() for word in game.split('_'))}-v0"


def register() -> None:
    """Make the built-in games known to Gymnasium; those that are known stay as they are."""
    from gymnasium.envs import registration

    for game in single_player_games():
        name = environment_id(game)
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="pcg.envs:make_registered",
                vector_entry_point="pcg.envs:make_registered_vector",
                kwargs={"game": game},
            )
    if BOARD not in registration.registry:
        registration.register(BOARD, entry_point="pcg.connectx.training:ConnectEnv")


class _WhenImported:
    """A finder that lets the other ones find Gymnasium, and registers the games once it has been imported."""

    def __init__(self) -> None:
        self._searching = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Gymnasium's own spec, with a loader that goes on to register; None for everything else."""
        if name != "gymnasium" or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                register()

            loader: Any = spec.loader
            loader.exec_module = execute_and_register
        return spec


def register_when_imported() -> None:
    """Register now if Gymnasium is imported, else when it is."""
    if "gymnasium" in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _WhenImported())
