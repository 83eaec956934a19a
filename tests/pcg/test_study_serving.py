"""Messages of `pcg study serve`, and the names it answers to."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from study_walks import small_study
from uvicorn.middleware.proxy_headers import _TrustedHosts

from pcg.study.server import running
from pcg.study.server.running import names_of_this_machine, run_study


def told(monkeypatch: pytest.MonkeyPatch, folder: Path, **options: Any) -> tuple[list[str], set[str]]:
    """The lines that are shown, and the names that are answered to, of a server that ends as soon as it is ready."""
    lines: list[str] = []
    hosts: set[str] = set()
    whole = running.study_app

    def app(*args: Any, **more: Any) -> Any:
        hosts.update(more["hosts"])
        return whole(*args, **more)

    def serve(app: object, bound: socket.socket, *, ready: Any, **more: Any) -> None:
        bound.close()
        ready("http://127.0.0.1:1/")

    monkeypatch.setattr(running, "study_app", app)
    monkeypatch.setattr(running, "serve", serve)
    run_study(folder, port=0, tell=lines.append, **options)
    return lines, hosts


def test_a_log_gets_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_study(tmp_path / "s").engine.dispose()
    token = (tmp_path / "s" / "researcher-token").read_text().strip()
    assert token in "".join(told(monkeypatch, tmp_path / "s")[0])
    lines, _ = told(monkeypatch, tmp_path / "s", show_token=False)
    assert token not in "".join(lines) and "researcher-token" in "".join(lines)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_server_for_everyone_answers_to_its_own_names_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    small_study(tmp_path / "s").engine.dispose()
    lines, hosts = told(monkeypatch, tmp_path / "s", host=host)
    assert "*" not in hosts and {"localhost", "127.0.0.1"} <= hosts
    assert any("--names" in line for line in lines) == (host == "0.0.0.0")
    _, named = told(monkeypatch, tmp_path / "s", host=host, names="Lab.example.org", address="https://a.example.org/x")
    assert {"lab.example.org", "a.example.org", "localhost"} <= named and "*" not in named


def test_the_names_of_this_machine_are_names_and_addresses() -> None:
    found = names_of_this_machine()
    assert socket.gethostname().lower() in found and len(set(found)) == len(found)


@pytest.mark.parametrize("proxy", [True, False])
def test_headers_of_proxies_are_believed_only_when_asked_and_from_networks_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: bool
) -> None:
    made: list[uvicorn.Config] = []

    def stop(self: uvicorn.Server, sockets: object = None) -> None:
        made.append(self.config)

    monkeypatch.setattr(uvicorn.Server, "run", stop)
    small_study(tmp_path / "s").engine.dispose()
    run_study(tmp_path / "s", port=0, proxy=proxy, tell=lambda line: None)
    (config,) = made
    assert not config.access_log and config.proxy_headers == proxy
    if proxy:
        believed = _TrustedHosts(config.forwarded_allow_ips)
        assert all(near in believed for near in ("127.0.0.1", "10.1.2.3", "192.168.0.9", "::1"))
        assert all(far not in believed for far in ("8.8.8.8", "203.0.113.5", "2001:db8::1"))
