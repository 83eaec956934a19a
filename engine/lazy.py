"""Attributes that are computed when they are first asked for, for objects that several threads use at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property  # noqa: TID251
    from functools import cached_property as shared_property  # noqa: TID251
else:

    class cached_property:
        """`functools.cached_property` without a lock, as it is from Python 3.12 on.

        That of Python 3.11 holds a lock per attribute, for all objects of a class together, while it computes: two
        threads could never search two levels at the same time, and two that asked for two attributes in different order
        waited for each other for ever. Here threads that ask one object at once may each compute the value; the last
        one is kept. Where they must not, use `shared_property`.

        >>> class Circle:
        ...     radius = 2
        ...     @cached_property
        ...     def diameter(self):
        ...         print("computed")
        ...         return 2 * self.radius
        >>> circle = Circle()
        >>> circle.diameter, circle.diameter
        computed
        (4, 4)
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.func = compute
            self.name = compute.__name__
            self.__doc__ = compute.__doc__
            self.__module__ = compute.__module__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            kept = instance.__dict__
            if self.name not in kept:
                kept[self.name] = self.func(instance)
            return kept[self.name]

    class shared_property(cached_property):
        """A cached property of which all threads get the same value, computed once: with a lock per object."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            kept, name = instance.__dict__, self.name
            if name not in kept:
                with kept.setdefault(f"_{name}_lock", threading.RLock()):
                    if name not in kept:
                        kept[name] = self.func(instance)
            return kept[name]


__all__ = ["cached_property", "shared_property"]
