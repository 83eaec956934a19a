"""What all tests share: the reference material beside the repository, and kernels that are compiled once."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

ROOT = Path(__file__).resolve().parent.parent

# Same examples in every run: a failure seen once can be seen again. HYPOTHESIS_PROFILE=explore looks further.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build the kernels before worker processes start, so that they need not wait for one that builds."""
    from pcg.engine.kernel.runtime import MODE

    if MODE == "aot" and getattr(session.config.option, "numprocesses", None):
        from pcg.engine.native.loader import prepare

        prepare()


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
