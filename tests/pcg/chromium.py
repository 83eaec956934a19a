"""A real browser for tests: chromium without a window, steered through its DevTools protocol.

Only what the tests need: open a page, run JavaScript, press keys and fingers, and read the console's
complaints.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE_S = 60.0
_VIRTUAL_KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Space": 32}


class Chromium:
    """One tab. `complaints` collects errors and exceptions of the pages."""

    def __init__(self, profile: Path) -> None:
        assert PROGRAM is not None
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "about:blank"]
        self.process = subprocess.Popen(
            [PROGRAM, f"--user-data-dir={profile}", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.complaints: list[str] = []
        self._number = 0
        port_file = profile / "DevToolsActivePort"
        end = time.monotonic() + PATIENCE_S
        while not (port_file.is_file() and port_file.read_text().count("\n")):
            assert time.monotonic() < end, "chromium does not start"
            time.sleep(0.05)
        port, path = port_file.read_text().splitlines()[:2]
        self._open = contextlib.ExitStack()
        self.socket = self._open.enter_context(connect(f"ws://127.0.0.1:{port}{path}", max_size=2**26))
        target = self._send("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in target if t["type"] == "page")
        self.session = self._send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _send(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self.socket.send(json.dumps({**message, "sessionId": session} if session else message))
        while True:
            answer = json.loads(self.socket.recv(timeout=PATIENCE_S))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["args"])[:500])

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        """A command to the tab."""
        return self._send(method, self.session, **params)

    def js(self, code: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.command("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, code: str) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + PATIENCE_S
        while not (value := self.js(code)):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.02)
        return value

    def open(self, url: str, *, width: int = 1280, height: int = 900, touch: bool = False) -> None:
        """Show a page in a window of that size."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch
        )
        self.command("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.command("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def key(self, code: str, key: str = "") -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, code=code, key=key or code,
                         windowsVirtualKeyCode=_VIRTUAL_KEYS.get(code, 0))  # fmt: skip

    def tap(self, selector: str) -> None:
        """Touch the middle of an element with a finger."""
        x, y = self.js(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                       "return [b.left + b.width / 2, b.top + b.height / 2]; })()")  # fmt: skip
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
