"""The layers of the toolkit: engine <- evaluators <- generators <- pcg. Nothing imports upwards."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "engine": ("engine",),
    "evaluators": ("engine", "evaluators"),
    "generators": ("engine", "evaluators", "generators"),
    "games": ("games",),
}


def imported_modules(source: str, module: str) -> set[str]:
    """Full names of all modules that a text imports, wherever the import stands (also for type checkers only).

    `module` is the name of the package that holds the text; relative imports start there.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")[: len(module.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def forbidden(source: str, module: str, layer: str) -> list[str]:
    """Imports of `source` that its layer may not have."""
    allowed = MAY_IMPORT[layer]
    wrong = []
    for name in sorted(imported_modules(source, module)):
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
