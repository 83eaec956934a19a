"""`pcg study serve`: a study on this machine until Ctrl-C."""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.folders import TOKEN, open_study
from pcg.study.panels import LINKS
from pcg.study.server.app import study_app
from pcg.study.server.connections import Connections, keep_log_short, limited_protocols, most_connections
from pcg.study.server.security import Limits
from pcg.web.guard import LOCAL_HOSTS
from pcg.web.serving import listen, serve

PROXIES = "127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
"""Addresses of proxies whose X-Forwarded-* headers are believed: this machine and private networks."""


EVERYWHERE = ("0.0.0.0", "::")
"""Hosts to listen on that mean all of this machine's addresses."""


def run_study(
    folder: Path,
    *,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    root: str = "",
    proxy: bool = False,
    names: str = "",
    address: str = "",
    limits: Limits | None = None,
    most: int | None = None,
    open_browser: bool = False,
    show_token: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve a study until it is told to stop.

    Args:
        folder: of the study, or with `database` its name.
        database: address of a database that is not the folder's.
        host: to listen on.
        port: to listen on; None: the usual one, or any that is free.
        root: path under which a proxy shows it.
        proxy: believe X-Forwarded-* headers.
        names: by which browsers may address the server, separated by commas.
        address: that participants see, where a proxy stands before this; for the links.
        limits: on how much one may ask for.
        most: plays at once.
        open_browser: show the researcher's page.
        show_token: tell the researcher's link with the token; without it where the token is.
        tell: called with lines for the person who started it.

    Raises:
        PcgError: when there is no such study, or the address cannot be used.
    """
    store = open_study(folder, database)
    if address and not re.match(r"https?://[^/\s]+", address):
        raise PcgError(f"--address {address!r}: expected an address with http:// or https://")
    hosts = [name.strip().lower() for name in names.split(",") if name.strip()]
    hosts += [urlsplit(address).hostname or ""] if address else []
    hosts += names_of_this_machine() if host in EVERYWHERE and not hosts else LOCAL_HOSTS
    hosts += [] if host in EVERYWHERE else [host.lower()]
    root = f"/{root.strip('/')}" if root.strip("/") else ""
    more = {} if most is None else {"most": most}
    secure = True if address.startswith("https:") else None
    app = study_app(store, hosts=hosts, root=root, secure=secure, limits=limits, **more)
    bound = listen(host, port)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of every browser that goes away
    keep_log_short()
    compile_kernels()
    token = read_token(folder)

    def ready(url: str) -> None:
        base = address.rstrip("/") or f"{url.rstrip('/')}{root}"
        secret = f"#{token}" if token and show_token else f"   (the token is in {folder / TOKEN})"
        if open_browser:
            # Some browsers' starters wait until the browser is closed.
            link = f"{base}/researcher#{token or ''}"
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
        panel = LINKS.get(store.config.platform)
        tell(f"participants  {base}/{panel or ''}")
        if panel is not None and store.config.identity:
            tell(f"to try it out {base}/?{store.config.identity}=test-1")
        tell(f"researcher    {base}/researcher{secret}")
        if host in EVERYWHERE:
            others = "" if names or address else "; other names with --names"
            tell(f"answers to     {', '.join(dict.fromkeys(hosts))}{others}")
        tell(f"{len(store.items)} items, {store.state}; Ctrl-C ends")

    believed = PROXIES if proxy else ""
    allowed = Connections(most_connections(), (limits or Limits()).connections, proxies=believed)
    serve(app, bound, ready=ready, proxies=believed, protocols=limited_protocols(allowed))


def names_of_this_machine() -> list[str]:
    """Names and addresses by which browsers in this machine's networks know it."""
    found = [*LOCAL_HOSTS, socket.gethostname().lower()]
    with contextlib.suppress(OSError):
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))  # sends nothing; it only chooses the address that the answer would come to
            found.append(str(probe.getsockname()[0]))
    return list(dict.fromkeys(name.partition("%")[0] for name in found))


def read_token(folder: Path) -> str | None:
    """The researcher's token, if the folder has it."""
    try:
        return (folder / TOKEN).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PcgError(f"cannot read {folder / TOKEN}: {error.strerror}") from None


def compile_kernels() -> None:
    """Compile now what the first play would otherwise wait for."""
    from pcg.engine.kernel.runtime import compile_all

    compile_all()
