"""Libraries of chosen entry points: what one use needs of several packages, linked as one module.

A page in the browser needs some thirty of the engine's and the agents' entry points. Linked as one library, whatever
else the packages hold falls away, and what they share is there once. Such a library is declared by a file
`library.toml` in the package that uses it, so that it is built and shipped with all others without importing its user:

    label = "pcg.export"
    target = "wasm32"

    [entry_points]
    "pcg.engine.kernel.tick" = ["copy_state", "advance"]
"""

from __future__ import annotations

import functools
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.native.sources import digest_of, module_files, package_folders
from pcg.engine.native.targets import target_named
from pcg.engine.vgdl.diagnostics import PcgError

DECLARATION = "library.toml"
"""Name of the file in a package that declares a selection."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Entry points of several packages that make one library together, for one target."""

    label: str
    """Stands for the package in the name of a file."""
    target: str
    symbols: tuple[tuple[str, str], ...]
    """Module and symbol of each entry point."""
    digest: str
    """Digest of everything that the entry points are made of."""

    @property
    def main_package(self) -> str:
        """The package that most of the entry points are of."""
        return Counter(module.rpartition(".")[0] for module, _ in self.symbols).most_common(1)[0][0]


def selection(label: str, target: str, symbols: Sequence[tuple[str, str]]) -> Selection:
    """Return a selection of entry points, with the digest of their sources.

    Args:
        label: a name for it, as it appears in the name of a file.
        target: name of the target that it is built for.
        symbols: module and symbol of each entry point.

    Raises:
        PcgError: when there is no such target.
    """
    files = module_files(sorted({module for module, _ in symbols}))
    digest = digest_of(files, label, *(word for pair in symbols for word in pair))
    return Selection(label, target_named(target).name, tuple(symbols), digest)


@functools.cache
def selections() -> dict[str, Selection]:
    """Return the selections that the packages of the toolkit declare, by label."""
    found = []
    for _, folder in package_folders():
        path = folder / DECLARATION
        if path.is_file():
            words = tomllib.loads(path.read_text(encoding="utf-8"))
            symbols = [
                (module, f"{module.rpartition('.')[2]}_{name}")
                for module, names in words["entry_points"].items()
                for name in names
            ]
            found.append(selection(words["label"], words["target"], symbols))
    return {one.label: one for one in sorted(found, key=lambda one: one.label)}


def selection_named(label: str) -> Selection:
    """Return the selection of that label.

    Raises:
        PcgError: when no package declares it.
    """
    known = selections()
    if label not in known:
        raise PcgError(f"no package declares the library `{label}` (expected one of {', '.join(known)})")
    return known[label]
