"""Libraries in files: found by the digest of their sources, or missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pcg.engine.kernel.modes import CHECKED
from pcg.engine.native import objects
from pcg.engine.native.selections import Selection, selections
from pcg.engine.native.sources import package_digest
from pcg.engine.native.targets import compiler, host

if TYPE_CHECKING:
    from pcg.engine.native.foreign import ForeignModule

ENGINE = "pcg.engine.kernel"
"""The package whose kernels call functions of users."""


def find(label: str, digest: str, target: str = "") -> tuple[objects.Header, bytes] | None:
    """Return the library of that name and digest, for this machine by default; None where it has to be built."""
    return objects.find(label, digest, target or host().name, CHECKED, compiler())


def missing(names: Iterable[str], target: str = "") -> list[str]:
    """Return the packages of which there is no library in a file for a target, this machine's by default."""
    return [name for name in names if find(name, package_digest(name), target) is None]


def find_selection(wanted: Selection) -> tuple[objects.Header, bytes] | None:
    """Return the library of a selection; None where it has to be built. It is never one with bounds checks."""
    return objects.find(wanted.label, wanted.digest, wanted.target, False, compiler())


def missing_selections() -> list[Selection]:
    """Return the selections of which there is no library in a file.

    Whoever asks for bounds checks is after the kernels of packages, so none is missing then.
    """
    return [] if CHECKED else [one for one in selections().values() if find_selection(one) is None]


def together(unit: ForeignModule) -> tuple[str, str]:
    """Return name and digest of the library that holds the engine and functions of users in one module."""
    return f"{ENGINE}+{unit.label}", hashlib.sha256(f"{package_digest(ENGINE)} {unit.digest}".encode()).hexdigest()[:40]
