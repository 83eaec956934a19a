"""An editor's session with `pcg lsp`, over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from typer.testing import CliRunner

from pcg.cli import app

# 𝕏 is one character and two UTF-16 code units, the unit of columns in editors
GAME = """\
BasicGame
    SpriteSet
        𝕏 >  MovingAvatr
        wall > Immovable
    InteractionSet
        𝕏 wall > stepBack
    LevelMapping
        A > 𝕏
    TerminationSet
        Timeout limit=100 win=True
"""
LATEST = 20.0
"""Seconds that an answer may take on a machine that does much else."""


class Editor:
    """A client that remembers the latest findings about each file."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.findings: dict[str, list[lsp.Diagnostic]] = {}
        self.changed = asyncio.Event()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.findings[params.uri] = list(params.diagnostics)
            self.changed.set()

    async def found(self, uri: str) -> list[lsp.Diagnostic]:
        async with asyncio.timeout(LATEST):
            while uri not in self.findings:
                await self.changed.wait()
                self.changed.clear()
        return self.findings.pop(uri)


async def session(folder: Path) -> None:
    editor = Editor()
    client: Any = editor.client
    await client.start_io(sys.executable, "-c", "from pcg.cli import main; main()", "lsp")
    async with asyncio.timeout(4 * LATEST):
        told = await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=folder.as_uri()))
        assert told.capabilities.rename_provider and told.capabilities.document_formatting_provider
        client.initialized(lsp.InitializedParams())

        path = folder / "game.vgdl"
        path.write_text(GAME)
        uri = path.as_uri()
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "vgdl", 1, GAME)))
        wrong = next(d for d in await editor.found(uri) if "MovingAvatr" in d.message)
        assert "did you mean `MovingAvatar`?" in wrong.message and wrong.severity == lsp.DiagnosticSeverity.Error
        assert (wrong.range.start, wrong.range.end) == (lsp.Position(2, 14), lsp.Position(2, 25))

        typed = lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(2, 14), lsp.Position(2, 25)), "MovingAv")
        here = lsp.VersionedTextDocumentIdentifier(2, uri)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(here, [typed]))
        await editor.found(uri)
        at = lsp.TextDocumentPositionParams(lsp.TextDocumentIdentifier(uri), lsp.Position(2, 22))
        offered = await client.text_document_completion_async(lsp.CompletionParams(at.text_document, at.position))
        assert [item.label for item in offered.items] == ["MovingAvatar"]
        fixed = lsp.TextDocumentContentChangePartial(
            lsp.Range(lsp.Position(2, 14), lsp.Position(2, 22)), "MovingAvatar"
        )
        here = lsp.VersionedTextDocumentIdentifier(3, uri)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(here, [fixed]))
        assert not [d for d in await editor.found(uri) if d.severity == lsp.DiagnosticSeverity.Error]

        hover = await client.text_document_hover_async(lsp.HoverParams(at.text_document, lsp.Position(5, 18)))
        assert "**stepBack**: effect" in hover.contents.value
        sprite = lsp.Position(5, 8)
        defined = await client.text_document_definition_async(lsp.DefinitionParams(at.text_document, sprite))
        assert defined[0].range.start == lsp.Position(2, 8)
        edit = await client.text_document_rename_async(lsp.RenameParams(at.text_document, sprite, "hero"))
        assert [e.range.start for e in edit.changes[uri]] == [
            lsp.Position(2, 8),
            lsp.Position(5, 8),
            lsp.Position(7, 12),
        ]
        with pytest.raises(JsonRpcException, match="`wall` is taken"):
            await client.text_document_rename_async(lsp.RenameParams(at.text_document, sprite, "wall"))
        options = lsp.FormattingOptions(4, True)
        laid_out = await client.text_document_formatting_async(lsp.DocumentFormattingParams(at.text_document, options))
        assert "𝕏    > MovingAvatar\n" in laid_out[0].new_text
        outline = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(at.text_document))
        assert [s.name for s in outline] == ["SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet"]

        # a level is held against its game, a rule sheet has another language
        level = (folder / "lvl0.txt").as_uri()
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(level, "plaintext", 1, "wQ\n"))
        )
        assert any("Q" in d.message for d in await editor.found(level))
        sheet = (folder / "game.kif").as_uri()
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(sheet, "gdl", 1, "(role x) (<= terminal (not open))"))
        )
        assert any("no rule defines `open`" in d.message for d in await editor.found(sheet))

        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def test_an_editor_is_served(tmp_path: Path) -> None:
    asyncio.run(session(tmp_path))


def test_the_extension_is_written_to_an_empty_folder_only(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["lsp", "--extension", str(tmp_path / "ext")])
    assert done.exit_code == 0 and (tmp_path / "ext" / "package.json").is_file()
    again = CliRunner().invoke(app, ["lsp", "--extension", str(tmp_path / "ext")])
    assert again.exit_code == 2 or "not an empty folder" in str(again.exception)
