"""Exports of a package that are imported on first use (PEP 562), so that importing the package costs little."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_exports(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: its name, `__name__` where this is called.
        homes: exported name -> submodule that defines it; `MODULE:NAME` where it has another name there, and `MODULE:`
            for the submodule itself.

    >>> find, names = lazy_exports("pcg.engine.vgdl", {"read_level": "level", "read": "level:read_level"})
    >>> find("read") is find("read_level")
    True
    >>> find("reed")
    Traceback (most recent call last):
    AttributeError: module 'pcg.engine.vgdl' has no attribute 'reed'; its lazy exports are read, read_level
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}; its lazy exports are {', '.join(sorted(homes))}"
            )
        home, renamed, original = homes[name].partition(":")
        found: object = import_module(f"{package}.{home}")
        if original or not renamed:
            found = getattr(found, original or name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return find, names
