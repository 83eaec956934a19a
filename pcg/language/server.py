"""Server of the Language Server Protocol for VGDL games, their levels, and GDL rule sheets.

Needs the extra `lsp` (pygls). The language is told by the file's name (`.kif` is GDL), then by the editor's name for
it, then by the text. A level (`lvl0.txt` beside `game.vgdl`, `name_lvl0.txt` beside `name.txt`) is checked
against its game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument
from pygls.workspace.position_codec import ServerTextPosition, ServerTextRange

from pcg.engine.gdl import check as check_sheet
from pcg.engine.vgdl import check_game, check_level, read_game
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.engine.vgdl.formatter import format_text
from pcg.language import gdl_help, vgdl_help
from pcg.language.places import Proposal, Span, Symbol
from pcg.language.vgdl_words import Word

NAME = "pcg"
VGDL, GDL, LEVEL = "vgdl", "gdl", "vgdl-level"
"""Names of the languages for editors."""
_LEVEL_NAME = re.compile(r"(?:(?P<game>.+)_)?lvl\d+\.txt")
_COMPLETION = {
    "section": lsp.CompletionItemKind.Module,
    "class": lsp.CompletionItemKind.Class,
    "effect": lsp.CompletionItemKind.Function,
    "termination": lsp.CompletionItemKind.Event,
    "parameter": lsp.CompletionItemKind.Property,
    "sprite": lsp.CompletionItemKind.Variable,
    "value": lsp.CompletionItemKind.Value,
    "relation": lsp.CompletionItemKind.Function,
    "object": lsp.CompletionItemKind.Constant,
}
_SYMBOL = {
    "section": lsp.SymbolKind.Namespace,
    "sprite": lsp.SymbolKind.Class,
    "effect": lsp.SymbolKind.Method,
    "termination": lsp.SymbolKind.Event,
    "relation": lsp.SymbolKind.Function,
}


def make_server() -> LanguageServer:
    """Return a server that has not been started.

    >>> make_server().name
    'pcg'
    """
    server = LanguageServer(NAME, version("pcg-toolkit"))

    def document(given: lsp.TextDocumentIdentifier) -> TextDocument:
        return server.workspace.get_text_document(given.uri)

    def publish(of: TextDocument) -> None:
        server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(of.uri, list(findings(of)), version=of.version)
        )

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def check(
        params: lsp.DidOpenTextDocumentParams | lsp.DidChangeTextDocumentParams | lsp.DidSaveTextDocumentParams,
    ) -> None:
        changed = server.workspace.get_text_document(params.text_document.uri)
        publish(changed)
        if language_of(changed) == VGDL:  # its levels are checked against it, so their findings may have changed
            for other in server.workspace.text_documents.values():
                if language_of(other) == LEVEL and _game_of(other) == _path(changed):
                    publish(other)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[" ", "=", ",", ">", "(", "?"])
    )
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        of = document(params.text_document)
        helper = _helper(of)
        if helper is None:
            return lsp.CompletionList(is_incomplete=False, items=[])
        place = of.position_from_client_units(params.position)
        found: list[Proposal] = helper.complete(of.source, place.line, place.character)
        items = [
            lsp.CompletionItem(one.text, kind=_COMPLETION[one.kind], detail=one.detail or None, documentation=one.help)
            for one in found
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        of = document(params.text_document)
        helper, place = _helper(of), of.position_from_client_units(params.position)
        said = helper.explain(of.source, place.line, place.character) if helper else None
        if said is None:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said[0]), _range(of, said[1]))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        of = document(params.text_document)
        _, places = _places(of, params.position)
        defined = [w for w in places if getattr(w, "role", "") in ("definition", "relation")] or places
        return [lsp.Location(of.uri, _range(of, w.at)) for w in defined[:1]]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        of = document(params.text_document)
        return [lsp.Location(of.uri, _range(of, w.at)) for w in _places(of, params.position)[1]]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        of = document(params.text_document)
        return [lsp.DocumentHighlight(_range(of, w.at)) for w in _places(of, params.position)[1]]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        of = document(params.text_document)
        place = of.position_from_client_units(params.position)
        here = [w for w in _places(of, params.position)[1] if w.at.holds(place.line, place.character)]
        return _range(of, here[0].at) if here else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        of = document(params.text_document)
        old, places = _places(of, params.position)
        helper = _helper(of)
        if not places or helper is None:
            return None
        refusal = helper.check_name(of.source, old, params.new_name)
        if refusal:
            raise JsonRpcInvalidParams(refusal)
        return lsp.WorkspaceEdit({of.uri: [lsp.TextEdit(_range(of, w.at), params.new_name) for w in places]})

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        of = document(params.text_document)
        try:
            new = {VGDL: format_text, GDL: gdl_help.format_sheet}.get(language_of(of), str)(of.source)
        except PcgError:
            return []  # the error is shown as a diagnostic already
        if new == of.source:
            return []
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(of.lines) + 1, 0))
        return [lsp.TextEdit(whole, new)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        of = document(params.text_document)
        helper = _helper(of)
        return [_symbol(of, one) for one in helper.outline(of.source)] if helper else []

    return server


# --- documents --------------------------------------------------------------------------------------------------------


def language_of(of: TextDocument) -> str:
    """Return VGDL, GDL, LEVEL, or "" for a document of another kind."""
    name = Path(of.path).name.lower()
    if name.endswith((".kif", ".gdl")):
        return GDL
    if name.endswith(".vgdl"):
        return VGDL
    if _LEVEL_NAME.fullmatch(name):
        return LEVEL
    if of.language_id in (VGDL, GDL, LEVEL):
        return str(of.language_id)
    return VGDL if re.match(r"\s*(#.*\s+)*(BasicGame|GameSpace)\b", of.source) else ""


def findings(of: TextDocument) -> Iterable[lsp.Diagnostic]:
    """Yield what is wrong or doubtful in a document: in the strict reading, as `pcg check` says it."""
    kind = language_of(of)
    found: list[Diagnostic] = []
    if kind == VGDL:
        found = list(check_game(of.source + "\n", reading="strict"))
    elif kind == GDL:
        found = list(check_sheet(of.source + "\n"))
    elif kind == LEVEL:
        game = _game_of(of)
        if game is not None:
            try:
                found = list(check_level(of.source, read_game(game, reading="gvgai"), reading="strict"))
            except PcgError:
                found = []  # the game's own document shows its errors
    for one in found:
        yield _diagnostic(of, one)


def _diagnostic(of: TextDocument, one: Diagnostic) -> lsp.Diagnostic:
    line, column = max(0, one.line - 1), max(0, one.column - 1)
    text = of.lines[line] if line < len(of.lines) else ""
    word = re.match(r"[^\s#=,()]+", text[column:])
    message = one.message + (f", did you mean `{one.suggestion}`?" if one.suggestion else "")
    message += f" (expected {one.expected})" if one.expected else ""
    severity = lsp.DiagnosticSeverity.Error if one.severity == "error" else lsp.DiagnosticSeverity.Warning
    span = Span(line, column, column + (len(word.group()) if word else 1))
    return lsp.Diagnostic(_range(of, span), message, severity=severity, source=NAME, code=one.rule or None)


def _path(of: TextDocument) -> Path | None:
    name = to_fs_path(of.uri)
    return Path(name) if name else None


def _game_of(level: TextDocument) -> Path | None:
    """Return the file of the game that a level is for, None where there is none."""
    path = _path(level)
    match = _LEVEL_NAME.fullmatch(path.name) if path is not None else None
    if path is None or match is None:
        return None
    stem = match.group("game")
    names = [f"{stem}.vgdl", f"{stem}.txt"] if stem else ["game.vgdl", "game.txt"]
    return next((path.parent / name for name in names if (path.parent / name).is_file()), None)


def _helper(of: TextDocument) -> ModuleType | None:
    return {VGDL: vgdl_help, GDL: gdl_help}.get(language_of(of))


def _places(of: TextDocument, position: lsp.Position) -> tuple[str, list[Word | gdl_help.Token]]:
    helper, place = _helper(of), of.position_from_client_units(position)
    if helper is None:
        return "", []
    name, places = helper.places_of(of.source, place.line, place.character)
    return name, list(places)


def _range(of: TextDocument, span: Span) -> lsp.Range:
    """Return a place in the editor's units, UTF-16 code units where it has asked for no others."""
    first, last = (ServerTextPosition(span.line, column) for column in (span.start, span.end))
    return of.range_to_client_units(ServerTextRange(first, last))


def _symbol(of: TextDocument, one: Symbol) -> lsp.DocumentSymbol:
    last = of.lines[one.last_line].rstrip("\r\n") if one.last_line < len(of.lines) else ""
    end = _range(of, Span(one.last_line, 0, len(last))).end
    at = _range(of, one.at)
    kind = _SYMBOL.get(one.kind, lsp.SymbolKind.Constant)
    return lsp.DocumentSymbol(
        one.name, kind, lsp.Range(at.start, end), at, children=[_symbol(of, p) for p in one.parts]
    )
