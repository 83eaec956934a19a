"""The Python reference (`docs/api`): what it names exists, has a home of two levels, types and an example."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"^::: (pcg[\w.]+)(?:\n    options:\n      heading: ([\w.]+))?$", re.M)
BLOCK = re.compile(r"^```python.*?\n(.*?)^```$", re.M | re.S)
PAGES = sorted((ROOT / "docs" / "api").glob("*.md"))
ENTRIES = [found for page in PAGES for found in ENTRY.findall(page.read_text(encoding="utf-8"))]
"""Names of docstrings, and the name under which users import it, "" where that is the same."""


def named(path: str) -> Any:
    """The object of a full name."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def functions() -> list[tuple[str, Callable[..., Any]]]:
    """The functions of the reference by the name of their docstring; what kernels are made of is typed by Numba."""
    found = [(path, named(path)) for path, _ in ENTRIES]
    return [(path, o) for path, o in found if inspect.isfunction(o) and ".kernel." not in o.__module__]


def used_on_pages() -> set[str]:
    """Names that the examples of the documentation call, which the tests run."""
    names: set[str] = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for body in BLOCK.findall(page.read_text(encoding="utf-8")):
            names |= {n.id for n in ast.walk(ast.parse(body)) if isinstance(n, ast.Name)}
            names |= {n.attr for n in ast.walk(ast.parse(body)) if isinstance(n, ast.Attribute)}
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                names |= set(re.findall(r"\b[a-z_]+(?=\()", "".join(cell["source"])))
    return names


def test_the_reference_names_things_once() -> None:
    assert len(ENTRIES) > 150
    assert len({path for path, _ in ENTRIES}) > len(ENTRIES) - 3  # a distance is a tool of generators and a metric


def test_everything_in_it_has_a_home_of_two_levels() -> None:
    for path, heading in ENTRIES:
        name = heading or path
        assert name.count(".") <= 3, f"{name} is imported from below two levels"
        if heading.startswith("pcg."):
            # `pcg.render` is a package that can be called
            home = named(heading)
            assert inspect.ismodule(home) or home is named(path), (path, heading)


def test_functions_have_types() -> None:
    untyped = []
    for path, function in functions():
        signature = inspect.signature(function)
        bare = [p.name for p in signature.parameters.values() if p.annotation is inspect.Parameter.empty]
        if bare or signature.return_annotation is inspect.Signature.empty:
            untyped.append((path, bare))
    assert untyped == []


def test_functions_have_an_example() -> None:
    used = used_on_pages()
    assert [p for p, f in functions() if ">>> " not in (f.__doc__ or "") and f.__name__ not in used] == []


def test_examples_in_docstrings_are_fenced() -> None:
    pytest.importorskip("griffe")
    spec = importlib.util.spec_from_file_location("python_reference", ROOT / "docs" / "hooks" / "python_reference.py")
    assert spec is not None and spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    assert (
        hook.fenced("One.\n\n>>> f(\n...     1)\n2\n\nTwo.") == "One.\n\n```pycon\n>>> f(\n...     1)\n2\n```\n\nTwo."
    )
    assert hook.fenced("None here: a >> b.") == "None here: a >> b."


def test_every_page_of_the_reference_is_linked_from_a_guide() -> None:
    guides = [p for p in (ROOT / "docs").rglob("*.md") if p.parent.name != "api" and p.name != "index.md"]
    linked = {name for p in guides for name in re.findall(r"\]\((?:\.\./)?api/([\w-]+)\.md", p.read_text("utf-8"))}
    assert linked == {page.stem for page in PAGES}
