"""Registries of generators: the toolkit's own are found in its packages, users add theirs.

Every package of a generator says in its ``__init__`` what it provides, in a mapping ``PROVIDES`` from names to
``"module:class"`` within the package, and holds nothing else there: looking through all packages imports no generator
and no library. Users add generators by decorators (`pcg.generators.levels.register` and its like), in a file named
with ``--load``, or as entry points of an installed package.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeVar

from pcg.engine.registry import Registry
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.contract import Generator

__all__ = ["GeneratorRegistry", "provided"]

G = TypeVar("G", bound=Generator[Any, Any])
K = TypeVar("K", bound=Generator[Any, Any])


def provided(package: str) -> dict[str, str]:
    """Return what the packages inside a package declare in ``PROVIDES``: name -> ``"module:class"``, sorted by name.

    >>> provided("pcg.generators.rules")["random"]
    'pcg.generators.rules.random.generator:RandomRules'
    """
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        if module.ispkg:
            declared: Mapping[str, str] = getattr(import_module(module.name), "PROVIDES", {})
            found |= {name: f"{module.name}.{place}" for name, place in declared.items()}
    return dict(sorted(found.items()))


class GeneratorRegistry(Registry[type[G]]):
    """Classes of generators by name.

    Args:
        kind: what an entry is, for messages: "level generator".
        base: class that every entry derives from.
        package: package whose sub-packages provide the toolkit's own.
        group: entry-point group in which installed packages declare generators.
    """

    def __init__(self, kind: str, base: type[G], *, package: str, group: str) -> None:
        super().__init__(kind, builtin=provided(package), group=group)
        self.base = base

    def add(self, generator: type[K]) -> type[K]:
        """Register a class under its `name` and return it.

        Raises:
            PcgError: when it is no complete generator of this kind, or another one has that name.
        """
        self.register(str(getattr(generator, "name", "")), self._checked(generator))
        return generator

    def __getitem__(self, name: str) -> type[G]:
        known = self.loaded(name)
        if known is not None:
            return known
        try:
            return self._checked(super().__getitem__(name))
        except PcgError:
            self.unregister(name)  # an entry point that is none is looked at, and refused, again
            raise

    def _checked(self, found: Any) -> type[G]:
        """Return a class after a look at what the rest of the toolkit takes for granted of it."""
        where = getattr(found, "__qualname__", repr(found))
        if not (isinstance(found, type) and issubclass(found, self.base)):
            raise PcgError(f"{where} is no {self.kind}: expected a class derived from {self.base.__name__}")
        for attribute in ("name", "help"):
            text = getattr(found, attribute, "")
            if not (isinstance(text, str) and text):
                raise PcgError(f"{self.kind} {where}: class variable `{attribute}` is {text!r}, expected a text")
        missing = sorted(found.__abstractmethods__) if inspect.isabstract(found) else []
        if missing:
            raise PcgError(f"{self.kind} {where}: missing {', '.join(missing)}")
        return found
