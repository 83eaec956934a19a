"""The language package exports what it lists."""

from __future__ import annotations

import importlib

import pytest


def test_the_package_lists_what_it_exports() -> None:
    package = importlib.import_module("pcg.engine.vgdl")
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError):
        package.nothing_of_the_kind  # noqa: B018
