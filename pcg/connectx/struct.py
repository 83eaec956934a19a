"""Dictionaries whose entries are attributes too: what agents see, and what an episode is recorded in."""

from __future__ import annotations

from typing import Any

from pcg.engine.vgdl.diagnostics import did_you_mean


class Struct(dict[str, Any]):
    """A dictionary with ``s.name`` for ``s["name"]``.

    >>> observation = Struct(mark=1, board=[0, 0])
    >>> observation.mark, observation["board"], observation.get("step", 0)
    (1, [0, 0], 0)
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            hint = did_you_mean(name, self, f" (it has: {', '.join(self)})")
            raise AttributeError(f"no `{name}`{hint}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"no `{name}`") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __reduce__(self) -> tuple[Any, ...]:
        return Struct, (dict(self),)


def structured(value: Any) -> Any:
    """A copy of JSON-like data with every dictionary a `Struct`."""
    if isinstance(value, dict):
        return Struct({str(name): structured(entry) for name, entry in value.items()})
    if isinstance(value, list | tuple):
        return [structured(entry) for entry in value]
    return value


def plain(value: Any) -> Any:
    """A copy of JSON-like data with every `Struct` a dictionary."""
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value
