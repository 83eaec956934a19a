"""The command `lsp`: a language server for editors, and the extension for VS Code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import bad, write_file

PANEL = "Language"


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(lsp)


def lsp(
    extension: Annotated[
        Path | None, typer.Option(help="Write an extension for VS Code to this folder instead; it has the grammars.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Listen on this local port; standard input without it.")
    ] = None,
) -> None:
    """Serve the Language Server Protocol for VGDL games, levels and GDL rule sheets.

    Editors start it: it gives errors as one types, completion, explanations, renaming, an outline and formatting.
    docs/editors.md says how to set up VS Code, Neovim, Emacs and Helix.
    """
    if extension is not None:
        from pcg.language.extension import extension_files

        if extension.is_file() or (extension.is_dir() and any(extension.iterdir())):
            raise bad(f"{extension} is not an empty folder; name a new one")
        extension.mkdir(parents=True, exist_ok=True)
        for name, text in extension_files().items():
            write_file(extension / name, text)
        print(f"{extension}: the extension for VS Code; README.md in it says how to install it")
        return
    try:
        from pcg.language.server import make_server
    except ImportError as error:
        raise bad(f"the language server needs pygls ({error}): pip install 'pcg-toolkit[lsp]'") from None
    server = make_server()
    if port is None:
        server.start_io()
    else:
        server.start_tcp("127.0.0.1", port)
