"""The layers of the toolkit: engine <- evaluators <- generators <- pcg. Nothing imports upwards or in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "engine": ("engine",),
    "evaluators": ("engine", "evaluators"),
    "generators": ("engine", "evaluators", "generators"),
    "games": ("games",),
}


PARTS = ("body", "orelse", "handlers", "finalbody", "cases")
"""Fields of statements that hold statements; imports stand nowhere else, and expressions are most of a tree."""


def statements(tree: ast.AST, types: bool) -> Iterator[ast.AST]:
    """All statements of a syntax tree; without those for type checkers only unless `types`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for_types = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for part in ("orelse",) if for_types and not types else PARTS:
            waiting += getattr(node, part, ())


parsed = cache(ast.parse)


def imports(source: str, package: str, types: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what a text imports, also inside functions: modules with "", and modules with a name taken from them.

    `package` holds the text; relative imports start there. Imports for type checkers only count if `types`.
    """
    for node in statements(parsed(source), types):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            yield from ((base, alias.name) for alias in node.names)


def imported_modules(source: str, package: str) -> set[str]:
    """Full names of all modules that a text may import, wherever the import stands (also for type checkers only)."""
    pairs = list(imports(source, package))
    return {base for base, _ in pairs} | {f"{base}.{name}" for base, name in pairs if name}


def circles(sources: dict[str, str]) -> list[set[str]]:
    """Sets of modules each of which imports itself by way of the others, from the texts of modules by their names.

    An import of a module is none of the package that it is in.
    """
    graph = networkx.DiGraph()
    for module, source in sources.items():
        for base, name in imports(source, module.rpartition(".")[0], types=False):
            found = f"{base}.{name}" if f"{base}.{name}" in sources else base
            if found in sources and found != module:
                graph.add_edge(module, found)
    return sorted((c for c in networkx.strongly_connected_components(graph) if len(c) > 1), key=sorted)


def forbidden(source: str, package: str, layer: str) -> list[str]:
    """Imports of `source` that its layer may not have."""
    allowed = MAY_IMPORT[layer]
    wrong = []
    for name in sorted(imported_modules(source, package)):
        top, _, rest = name.partition(".")
        if top in MAY_IMPORT:  # `import engine` works from a checkout's root only
            wrong.append(name)
        elif top == "pcg" and rest.split(".")[0] not in allowed:
            # `from pcg.engine import x` also yields "pcg.engine.x"; a bare "pcg" is the front door
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_layer_imports_only_what_lies_below_it(layer: str) -> None:
    files = sorted((ROOT / layer).rglob("*.py"))
    assert files, f"the layer {layer} has no modules"
    wrong = {}
    for path in files:
        module = ".".join(["pcg", *path.relative_to(ROOT).parent.parts])
        if found := forbidden(path.read_text(encoding="utf-8"), module, layer):
            wrong[str(path.relative_to(ROOT))] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("engine", "import pcg"),
        ("engine", "from pcg import load"),
        ("engine", "def f():\n    from pcg.evaluators import agents"),
        ("engine", "from ..evaluators import agents"),
        ("evaluators", "import pcg.generators.levels as levels"),
        ("generators", "from pcg.runs import search"),
        ("generators", "import engine.game"),
    ],
)
def test_upward_imports_are_noticed(layer: str, source: str) -> None:
    assert forbidden(source, f"pcg.{layer}", layer)


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("engine", "from pcg.engine.kernel import ids\nimport numpy"),
        ("engine", "from .kernel import ids"),
        ("generators", "from pcg.evaluators.agents import play"),
    ],
)
def test_downward_imports_are_allowed(layer: str, source: str) -> None:
    assert forbidden(source, f"pcg.{layer}", layer) == []


def all_sources() -> dict[str, str]:
    """The texts of all modules by their import names."""
    found = {}
    for layer in ("pcg", *MAY_IMPORT):
        for path in (ROOT / layer).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts if layer == "pcg" else ("pcg", *parts)).removesuffix(".__init__")
            found[name] = path.read_text(encoding="utf-8")
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    sources = all_sources()
    assert {"pcg", "pcg.cli", "pcg.engine.game", "pcg.games"} <= set(sources)
    assert circles(sources) == []


@pytest.mark.parametrize(
    "second",
    [
        "from pcg import a",
        "import pcg.a",
        "from pcg.a import f",
        "def f():\n    from pcg.a import f",
        "from . import a",
        "from .a import f",
        "if TYPE_CHECKING:\n    import x\nelse:\n    import pcg.a",
    ],
)
def test_circles_are_noticed(second: str) -> None:
    assert circles({"pcg": "", "pcg.a": "from pcg.b import g", "pcg.b": second}) == [{"pcg.a", "pcg.b"}]


@pytest.mark.parametrize(
    "second", ["import pcg", "from pcg import c", "if TYPE_CHECKING:\n    from pcg.a import f", "import numpy"]
)
def test_what_is_no_circle(second: str) -> None:
    assert circles({"pcg": "", "pcg.a": "from pcg.b import g", "pcg.b": second}) == []
