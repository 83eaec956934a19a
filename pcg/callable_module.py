"""Packages that can be called: `pcg.render(game)` beside `pcg.render.render_gif`.

A package and the function that most users want of it have the same name. Python binds a package to its name in the
parent when anything of it is imported, so the function cannot stand there; the package answers the call instead.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def make_callable(package: str, function: str) -> None:
    """Let a call of a package be a call of a function.

    Args:
        package: name of the imported package.
        function: ``"module:name"``, imported when it is called.

    >>> import pcg.render
    >>> callable(pcg.render)
    True
    """
    module, _, name = function.partition(":")

    class CallableModule(ModuleType):
        """Package that does what its main function does."""

        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            return getattr(import_module(module), name)(*arguments, **keywords)

    sys.modules[package].__class__ = CallableModule
