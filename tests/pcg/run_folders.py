"""Contents of run folders that tests compare."""

from __future__ import annotations

from pathlib import Path


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a run that must not depend on how it came about: all but the one that holds times."""
    paths = (p for p in folder.rglob("*") if p.is_file() and p.name != "timing.jsonl" and p.suffix != ".draft")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}
