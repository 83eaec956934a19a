"""One file for a game: levels, the kernels that play them, agents, pictures, and the page around them.

Everything but a little markup and the style is one block, compressed (raw deflate) and in base64, which the page
unpacks by itself (`DecompressionStream`): the WebAssembly modules, the memory images, the description of the game, and
the scripts. So the file asks nobody for anything, and works from a disk as well as from any server.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2

from pcg.engine.native.replay import SCRIPT
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export.bundle import Bundle
from pcg.export.kernels import modules_for
from pcg.export.pieces import deflated

SCRIPTS = ("machine.mjs", "board.js", "game.js", "agent.js", "frames.js", "share.js", "words.js", "input.js",
           "clock.js", "page.js", "main.js")  # fmt: skip
"""The modules of a page in an order in which each comes after those it imports."""
STYLES = ("base.css", "player.css", "page.css")
_FOLDERS = {"machine.mjs": SCRIPT.parent}
_PACKAGES = {"board.js": "pcg.web.player", "player.css": "pcg.web.player", "base.css": "pcg.web"}
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|const|function)\b)", re.MULTILINE)
_REMARK = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_STYLE_REMARK = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/\n?")


def source(name: str) -> str:
    """Return the text of one of the page's scripts or styles."""
    if name in _FOLDERS:
        return (_FOLDERS[name] / name).read_text(encoding="utf-8")
    package = resources.files(_PACKAGES.get(name, "pcg.export"))
    return package.joinpath("static", name).read_text(encoding="utf-8")


@cache
def template(name: str) -> jinja2.Template:
    """Return the template of a page or of the overview of a gallery."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pcg.export"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"{name}.html.jinja")


@cache
def script() -> str:
    """Return the scripts of a page as one module."""
    return joined({name: source(name) for name in SCRIPTS})


def joined(scripts: Mapping[str, str]) -> str:
    """Return scripts as one module: imports of each other and remarks are left out.

    Args:
        scripts: texts by name, each after those that it imports.

    Raises:
        PcgError: when a script imports something that does not come before it.
    """
    parts: dict[str, str] = {}
    for name, text in scripts.items():
        for other in _IMPORT.findall(text):
            if other not in parts:
                raise PcgError(f"{name} imports {other}, which does not come before it in a page")
        parts[name] = _REMARK.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))
    return "\n".join(parts.values())


@cache
def style() -> str:
    """Return the style of a page."""
    return "".join(_STYLE_REMARK.sub("", source(name)) for name in STYLES)


def page(bundle: Bundle) -> str:
    """Return the page of a game, one HTML text that needs nothing else.

    Args:
        bundle: the game.

    Raises:
        PcgError: when functions of users cannot be built for browsers.
    """
    modules = modules_for(bundle.functions)
    about = {**bundle.about, "modules": [{"size": len(m.code), "names": m.names} for m in modules]}
    text = script().encode()
    told = json.dumps(about, separators=(",", ":"), ensure_ascii=False).encode()
    data = b"".join([text, told, *(m.code for m in modules), bundle.data])
    return template("page").render(
        title=about["title"],
        summary=about["text"]["en"]["summary"],
        style=style(),
        parts=f"{len(text)} {len(told)}",
        pack=base64.b64encode(deflated(data)).decode(),
        start=_REMARK.sub("", source("start.js")),
    )


def write_page(bundle: Bundle, path: Path | str) -> Path:
    """Write the page of a game, and return its path."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(bundle), encoding="utf-8", newline="\n")
    return target
