"""Errors of rule sheets: one kind of error that carries every finding."""

from __future__ import annotations

from collections.abc import Iterable

from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError


class GDLError(PcgError):
    """A rule sheet that cannot be used; carries every finding."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[GDLError], tuple[tuple[Diagnostic, ...]]]:
        # worker processes send their errors back
        return GDLError, (self.diagnostics,)


class GroundingLimit(PcgError):
    """A sheet has more ground instances than the limits allow."""


def fail(
    message: str,
    *,
    file: str = "<text>",
    line: int = 0,
    column: int = 0,
    source_line: str = "",
    expected: str = "",
    suggestion: str = "",
) -> GDLError:
    """A `GDLError` with a single finding."""
    return GDLError([Diagnostic("error", message, file, line, column, source_line, expected, suggestion)])


__all__ = ["Diagnostic", "GDLError", "GroundingLimit", "fail"]
