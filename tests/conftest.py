"""Fixtures, tiers and settings that all tests share.

Two tiers: the fast one is all that carries none of the markers in `FULL`; `make test` runs it. `make test-rest` runs
the others, and once more the property tests, then with the hypothesis profile `full`.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest
import time_limits
from entry_points import write_used
from tiers import FAST_EXAMPLES, PROFILE

os.environ.setdefault("MPLBACKEND", "Agg")

ROOT = Path(__file__).resolve().parent.parent

FIXTURES = {"shared": "corpus", "postgres_server": "postgres"}
"""Fixtures and the markers of the tests that ask for them."""

FULL = ("browser", "corpus", "fuzz", "modes", "postgres")
"""Markers that say why a test is of the full tier; each of them implies the marker `full`."""

# A shell starts background jobs with SIGINT ignored, and a child inherits that: tests that press Ctrl-C, here or in a
# program that they start, would wait for an end that never comes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Same examples in every run: a failure seen once can be seen again. HYPOTHESIS_PROFILE=explore looks further.
PROFILES: dict[str, dict[str, Any]] = {
    "fast": {"max_examples": FAST_EXAMPLES, "derandomize": True},
    "full": {"derandomize": True},
    "explore": {},
}
for name, options in PROFILES.items():
    hypothesis.settings.register_profile(name, deadline=None, print_blob=True, **options)
hypothesis.settings.load_profile(PROFILE)


def pytest_configure(config: pytest.Config) -> None:
    """Put every test under a limit of time."""
    config.pluginmanager.register(time_limits)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `full` what is marked with a reason for it, or asks for a fixture that is one."""
    for item in items:
        for fixture, name in FIXTURES.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(name)
        if any(item.get_closest_marker(name) for name in FULL):
            item.add_marker("full")


def pytest_collection_finish() -> None:
    """Leave what was collected out of further garbage collections: it stays until the end, and is most of the heap."""
    gc.collect()
    gc.freeze()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build the kernels before worker processes start, so that they need not wait for one that builds."""
    from pcg.engine.kernel.runtime import MODE

    if MODE == "aot" and getattr(session.config.option, "numprocesses", None):
        from pcg.engine.native.loader import prepare

        prepare()


def pytest_sessionfinish() -> None:
    """Write which entry points of the kernels were used, into the folder ``$PCG_ENTRY_POINTS`` (`entry_points`)."""
    folder = os.environ.get("PCG_ENTRY_POINTS")
    if folder:
        write_used(Path(folder))


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference games, levels and recorded plays: the folder `shared` beside the repository, or ``$PCG_SHARED``."""
    folder = Path(os.environ.get("PCG_SHARED", ROOT.parent / "shared"))
    if not (folder / "gvgai").is_dir():
        pytest.skip(f"needs the reference material in {folder}")
    return folder


@pytest.fixture
def registrations() -> Iterator[None]:
    """Take away what a test registers: other tests, and worker processes, know nothing of it."""
    from pcg.engine import registry
    from pcg.evaluators.agents.heuristics import HEURISTICS
    from pcg.evaluators.agents.registry import AGENTS
    from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS
    from pcg.evaluators.metrics import METRICS
    from pcg.generators.games.registry import GAME_GENERATORS
    from pcg.generators.levels.registry import GENERATORS
    from pcg.generators.rules.registry import RULE_GENERATORS
    from pcg.generators.tuning.registry import OPTIMISERS

    tables: tuple[registry.Registry[Any], ...] = (
        AGENTS, FITNESS_FUNCTIONS, GAME_GENERATORS, GENERATORS, HEURISTICS, METRICS, OPTIMISERS, RULE_GENERATORS,
    )  # fmt: skip
    known = [set(table) for table in tables]
    files = set(registry.loaded_plugins())
    yield
    for table, before in zip(tables, known, strict=True):
        for name in set(table) - before:
            table.unregister(name)
    for file in set(registry.loaded_plugins()) - files:
        del registry._plugins[file]


@pytest.fixture(scope="session")
def wheels(repo_root: Path) -> ModuleType:
    """The program that makes wheels, `tools/wheels.py`."""
    spec = importlib.util.spec_from_file_location("wheels", repo_root / "tools" / "wheels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def pure_wheel(wheels: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel without kernels, built with the installed build backend and no network."""
    return wheels.build_pure(tmp_path_factory.mktemp("dist"))
