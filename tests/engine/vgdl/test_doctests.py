"""The examples in the docstrings of the language package run."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = (
    "checker", "diagnostics", "findings", "formatter", "interaction_set", "level", "lexer", "lint", "ontology",
    "ontology_params", "parser", "resolver", "source", "space", "sprite_set", "tree", "values",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"pcg.engine.vgdl.{name}")
    assert doctest.testmod(module).failed == 0


def test_the_package_lists_what_it_exports() -> None:
    package = importlib.import_module("pcg.engine.vgdl")
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError):
        package.nothing_of_the_kind  # noqa: B018
