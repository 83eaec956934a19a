"""The real server on loopback: its port, its end, and the commands that start it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import websockets
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.web.serving import PORT, address, hosts_of, listen


def test_a_free_port_is_taken_when_the_usual_one_is_not_free() -> None:
    with socket.socket() as other:
        try:
            other.bind(("127.0.0.1", PORT))
            other.listen()
        except OSError:
            pass  # something else has it, which is as good
        bound = listen()
        try:
            assert bound.getsockname()[1] != PORT
            assert address(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}/"
        finally:
            bound.close()


def test_a_port_that_was_asked_for_is_not_replaced() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with pytest.raises(PcgError, match=f"cannot listen on 127.0.0.1, port {taken}: Address already in use"):
            listen(port=taken)


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", None), ("127.0.0.1", 70_000), ("203.0.113.7", 0)])
def test_an_impossible_address_is_one_message(host: str, port: int | None) -> None:
    with pytest.raises(PcgError, match=r"cannot listen on|expected 0 to 65535"):
        listen(host, port)


def test_the_server_answers_to_local_names_and_its_own() -> None:
    assert hosts_of("127.0.0.1") == ("localhost", "127.0.0.1", "::1")
    assert "192.0.2.1" in hosts_of("192.0.2.1")
    assert hosts_of("0.0.0.0") == ("*",)


@contextlib.contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `pcg` command that serves, and the address it prints."""
    program = "import sys; from pcg.cli import main; sys.argv = ['pcg', *sys.argv[1:]]; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": "true"},
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("http://"), line + (server.stderr.read() if server.stderr and server.poll() else "")
        yield server, line.split()[0]
    finally:
        server.kill()
        server.communicate()


async def play_a_little(url: str) -> int:
    """Open a play as a browser does, play a few ticks, and return the last tick shown; the connection stays open."""
    with urllib.request.urlopen(url) as page:
        token = page.url.rstrip("/").split("/")[-1]
    host = url.removeprefix("http://").rstrip("/")
    async with websockets.connect(f"ws://{host}/play/{token}/socket", origin=f"http://{host}") as play:
        assert json.loads(await play.recv())["type"] == "welcome"
        await play.send('{"type": "resume"}')
        tick = 0
        while tick < 5:
            message = json.loads(await play.recv())
            tick = message.get("tick", tick)
        return int(tick)


def test_play_in_the_browser_runs_at_its_pace_and_ctrl_c_ends_it_cleanly() -> None:
    with serving("play", "invaders", "--browser", "--port", "0", "--fps", "60") as (server, url):
        assert asyncio.run(play_a_little(url)) >= 5
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=120)
        assert server.returncode == 0, err
        assert "Traceback" not in out + err


@pytest.mark.full
def test_ctrl_c_ends_the_server_while_someone_plays() -> None:
    async def play_until_it_ends(server: subprocess.Popen[str], url: str) -> None:
        with urllib.request.urlopen(url) as page:
            token = page.url.rstrip("/").split("/")[-1]
        host = url.removeprefix("http://").rstrip("/")
        async with websockets.connect(f"ws://{host}/play/{token}/socket") as play:
            await play.recv()
            await play.send('{"type": "resume"}')
            await play.recv()
            server.send_signal(signal.SIGINT)
            with contextlib.suppress(websockets.ConnectionClosed):
                async for _ in play:
                    pass
            assert play.close_code == 1012  # the server is going away

    with serving("play", "invaders", "--browser", "--port", "0") as (server, url):
        asyncio.run(play_until_it_ends(server, url))
        _, err = server.communicate(timeout=120)
        assert server.returncode == 0, err
        assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["archive", "no-such-folder"], "no-such-folder is no folder"),
        (["archive", "."], "is no run: it has no run.json"),
        (["play", "boxes", "--browser", "--agent", "mcts"], "leave out --agent"),
        (["play", "duel", "--browser"], "2 players"),
        (["play", "boxes", "--browser", "--fps", "500"], "expected 0.5 to 60"),
        (["play", "boxes", "--browser", "--level", "77"], "has no level 77"),
        (["play", "boxes", "--browser", "--port", "99999"], "expected 0 to 65535"),
    ],
)
def test_bad_input_is_one_message_before_anything_is_served(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
