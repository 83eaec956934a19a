"""The examples in the docstrings of the generators."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import pcg.generators

MODULES = sorted(module.name for module in pkgutil.walk_packages(pcg.generators.__path__, "pcg.generators."))


def with_examples() -> list[str]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = (name for name in MODULES if any(test.examples for test in finder.find(import_module(name))))
    return list(found)


@pytest.mark.parametrize("name", with_examples())
def test_examples_are_true(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert tried and not failed


def test_what_users_call_has_an_example() -> None:
    called = {"levels.registry", "rules.registry", "games.registry", "tuning.registry", "levels.repair.level"}
    assert {f"pcg.generators.{name}" for name in called} <= set(with_examples())
