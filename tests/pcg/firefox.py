"""Firefox without a window, steered by WebDriver BiDi (W3C): pages can be opened and asked, no more."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
PATIENCE = 120.0

needs_firefox = pytest.mark.skipif(PROGRAM is None, reason="needs firefox (Debian: apt-get install firefox-esr)")


class FirefoxPage:
    """A tab, with the part of playwright's interface that comparing plays needs."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._calls = 0
        self._call("session.new", capabilities={})
        self._tab = self._call("browsingContext.create", type="tab")["context"]

    def goto(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self._call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """Return what a function of the page makes of plain data."""
        answer = self._call(
            "script.callFunction",
            functionDeclaration=f"(text) => JSON.stringify(({function})(JSON.parse(text)))",
            arguments=[{"type": "string", "value": json.dumps(argument)}],
            awaitPromise=True,
            target={"context": self._tab},
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def wait_for_function(self, expression: str) -> None:
        """Wait until an expression of the page is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(f"() => Boolean({expression})"):
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)

    def _call(self, method: str, **parameters: Any) -> Any:
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._calls:
                assert answer["type"] == "success", answer
                return answer["result"]


@contextmanager
def firefox_page() -> Iterator[FirefoxPage]:
    """A tab of a Firefox with a profile of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(PROGRAM), "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            place = _address(process)
            with connect(f"{place}/session", max_size=None) as socket:
                yield FirefoxPage(socket)
        finally:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    """Return where a browser listens; what it says later is read and dropped."""
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
        if found:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1]
    raise AssertionError("firefox did not start")
