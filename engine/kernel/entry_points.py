"""Entry points of compiled code: what they are called, what they take, and their addresses."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

from pcg.engine.kernel.modes import MODE
from pcg.engine.vgdl.diagnostics import PcgError

_PROVIDERS = {
    "aot": "pcg.engine.native.loader",
    "jit": "pcg.engine.kernel.jit",
    "python": "pcg.engine.kernel.primitives_python",
}
"""Module of each mode whose `address_of` gives the address of an entry point. The others are not imported."""
_lock = threading.RLock()


class EntryPoint:
    """An entry point of compiled code, called by address.

    Arguments of the function are int64 or float64 as declared in `signature`, for example ``"i8(i8, i8)"``. Its code is
    loaded, or built, on the first use of `address`.
    """

    registry: ClassVar[list[EntryPoint]] = []

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self.function = function
        self.module: str = function.__module__
        self.symbol = f"{self.module.rpartition('.')[2]}_{function.__name__}"
        """Its name in object code, unique in its package."""
        self.name = f"{self.module.rpartition('.')[2]}.{function.__name__}"
        self.signature = signature
        self._address = 0
        self.withdraw()
        EntryPoint.registry.append(self)

    def __repr__(self) -> str:
        return f"<entry point {self.name}{self.signature[2:]}>"

    def withdraw(self) -> None:
        """Forget earlier entry points of this name, so that a function typed anew takes the place of a faulty one.

        Code of theirs that is loaded stays.
        """
        EntryPoint.registry[:] = [e for e in EntryPoint.registry if (e.module, e.name) != (self.module, self.name)]

    @property
    def kinds(self) -> tuple[str, list[str]]:
        """The kind of the result and of each argument: "i8" (int64) or "f8" (float64)."""
        result, _, rest = self.signature.partition("(")
        return result.strip(), [a.strip() for a in rest.rstrip(")").split(",") if a.strip()]

    @property
    def address(self) -> int:
        """Address of the C function."""
        if self._address == 0:
            with _lock:
                if self._address == 0:
                    self._address = self._compile()
        return self._address

    @property
    def is_loaded(self) -> bool:
        """True once the address is known."""
        return self._address != 0

    def load(self, address: int) -> None:
        """Set the address of code that was loaded with that of another entry point."""
        self._address = address

    def _compile(self) -> int:
        if MODE not in _PROVIDERS:
            raise PcgError(f"the process that builds kernels cannot run them: {self.name}")
        return int(import_module(_PROVIDERS[MODE]).address_of(self))
