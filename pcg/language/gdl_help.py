"""Completion, explanations, places of names, renaming, outlines and a layout of GDL rule sheets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pcg.language.places import Proposal, Span, Symbol

KEYWORDS = {
    "role": "`(role r)`: r is a player.",
    "init": "`(init f)`: the fact f holds at the start.",
    "true": "`(true f)`: the fact f holds now.",
    "does": "`(does r m)`: the player r makes the move m.",
    "legal": "`(legal r m)`: the player r may make the move m.",
    "next": "`(next f)`: the fact f holds in the next state.",
    "terminal": "`terminal`: the game is over.",
    "goal": "`(goal r n)`: the state is worth n, 0 to 100, to the player r.",
    "base": "`(base f)`: f can be a fact.",
    "input": "`(input r m)`: m can be a move of the player r.",
    "not": "`(not l)`: l does not hold.",
    "or": "`(or a b ...)`: at least one of them holds.",
    "distinct": "`(distinct a b)`: the terms differ.",
    "<=": "`(<= head body ...)`: the head holds where all of the body do.",
}
"""Words of the language, with what each says (Love, Hinrichs, Haley, Schkufza and Genesereth 2008)."""
_TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a sheet.

    Attributes:
        text: the token, or a comment with its semicolon.
        at: its place.
        role: "open", "close", "comment", "keyword", "variable", "relation" (what follows a parenthesis) or "object".
        form: number of the outermost parenthesis that it is in.
    """

    text: str
    at: Span
    role: str
    form: int


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a sheet, also of one that is not finished.

    >>> [(t.text, t.role) for t in tokens("(role white)")][1:3]
    [('role', 'keyword'), ('white', 'object')]
    """
    depth = form = 0
    opened = False
    for number, line in enumerate(text.split("\n")):
        for match in _TOKEN.finditer(line):
            word = match.group()
            if depth == 0 and word[0] != ";":
                form += 1
            role = "object"
            if word == "(":
                depth, role = depth + 1, "open"
            elif word == ")":
                depth, role = max(0, depth - 1), "close"
            elif word[0] == ";":
                role = "comment"
            elif word[0] == "?":
                role = "variable"
            elif word.lower() in KEYWORDS and (opened or word.lower() == "terminal"):
                role = "keyword"
            elif opened:
                role = "relation"
            if role != "comment":
                opened = role == "open"
            yield Token(word, Span(number, match.start(), match.end()), role, form)


def complete(text: str, line: int, column: int) -> list[Proposal]:
    r"""Return what can stand at a place of a sheet: words of the language and names that the sheet has.

    >>> [p.text for p in complete("(role white)\n(init (cell 1))\n(<= (legal wh", 2, 13)]
    ['white']
    """
    lines = text.split("\n")
    before = lines[line][:column] if line < len(lines) else ""
    if ";" in before:
        return []
    match = re.search(r"[^\s();]*$", before)
    written = match.group() if match else ""
    opening = before[: len(before) - len(written)].endswith("(")
    here = Span(line, column - len(written), column)
    known = [t for t in tokens(text) if t.at.line != line or not t.at.holds(line, here.end)]
    if written.startswith("?"):
        form = next((t.form for t in tokens(text) if t.at.holds(line, column)), 0)
        names = {t.text for t in known if t.role == "variable" and t.form == form}
        return [Proposal(name, "value", "variable") for name in sorted(names) if name.startswith(written)]
    found = [
        Proposal(word, "relation", "GDL", said) for word, said in KEYWORDS.items() if opening or word == "terminal"
    ]
    role = "relation" if opening else "object"
    found += [Proposal(name, role) for name in sorted({t.text for t in known if t.role == role})]
    return [one for one in found if one.text.lower().startswith(written.lower())]


def explain(text: str, line: int, column: int) -> tuple[str, Span] | None:
    """Return an explanation in Markdown of the token at a place, and its place; None where there is none.

    >>> explain("(role white)", 0, 2)[0]
    '**role**: `(role r)`: r is a player.'
    """
    token = _token_at(text, line, column)
    if token is None:
        return None
    if token.role == "keyword":
        return f"**{token.text}**: {KEYWORDS[token.text.lower()]}", token.at
    if token.role in ("relation", "object"):
        _, places = places_of(text, line, column)
        heads = sum(t.role == "relation" for t in places)
        what = f"relation or function, {heads} times" if heads else f"object or proposition, {len(places)} times"
        return f"**{token.text}**: {what} in this sheet", token.at
    return None


def _token_at(text: str, line: int, column: int) -> Token | None:
    named = ("keyword", "variable", "relation", "object")
    return next((t for t in tokens(text) if t.role in named and t.at.holds(line, column)), None)


def places_of(text: str, line: int, column: int) -> tuple[str, list[Token]]:
    """Return the name at a place and all tokens that are it: variables within their rule, other names in the sheet."""
    here = _token_at(text, line, column)
    if here is None or here.role == "keyword":
        return "", []
    if here.role == "variable":
        same: Iterable[Token] = (t for t in tokens(text) if t.form == here.form)
    else:
        same = (t for t in tokens(text) if t.role in ("relation", "object"))
    return here.text, [t for t in same if t.text == here.text]


def check_name(text: str, old: str, new: str) -> str:
    """Return why a name cannot be changed so, "" when it can.

    >>> check_name("(role white)", "white", "role")
    '`role` is a word of the language'
    """
    if old.startswith("?") != new.startswith("?"):
        return f"`{new}` is no variable: expected ?{new}" if old.startswith("?") else f"`{new}` is a variable"
    if not re.fullmatch(r"[^\s();?]+", new.removeprefix("?")):
        return f"`{new}` is no name: expected a word without blanks and parentheses"
    if new.lower() in KEYWORDS:
        return f"`{new}` is a word of the language"
    if new != old and any(t.text == new for t in tokens(text)):
        return f"`{new}` is taken"
    return ""


def outline(text: str) -> list[Symbol]:
    """Return the relations that a sheet's rules and facts are about, each where it first is."""
    found: dict[str, Symbol] = {}
    before: list[Token] = []
    form = 0
    for token in tokens(text):
        if token.role == "comment":
            continue
        if token.form != form:
            form, before = token.form, []
        heads = [t for t in before if t.text not in ("(", "<=")]
        if not heads and token.role in ("keyword", "relation", "object") and token.text != "<=":
            found.setdefault(token.text, Symbol(token.text, "relation", token.at, token.at.line))
        before.append(token)
    return list(found.values())


# --- layout -----------------------------------------------------------------------------------------------------------


def format_sheet(text: str, *, file: str = "<text>") -> str:
    r"""Return a sheet with each rule's conditions on lines of their own, comments kept; what it means stays the same.

    Raises:
        GDLError: the text is no sheet.

    >>> print(format_sheet("(<= (legal x  stay) ; wait\n(true (step 1)))"), end="")
    (<= (legal x stay)  ; wait
        (true (step 1)))
    """
    from pcg.engine.gdl.parser import parse

    parse(text, file=file)  # raises the error of a sheet that cannot be read
    lines: list[str] = []
    row = ""
    depth, last, rule = 0, "", False
    line_of_last = -1
    for token in tokens(text):
        word = token.text
        if token.role == "comment":
            own = token.at.line != line_of_last
            if own:
                if row:
                    lines.append(row)
                    row = "    " if depth else ""
                elif lines and token.at.line > line_of_last + 1 and line_of_last >= 0:
                    lines.append("")
                lines.append(f"{'    ' if depth else ''}{word.rstrip()}")
            elif row.strip():
                lines.append(f"{row.rstrip()}  {word.rstrip()}")
                row = "    " if depth else ""
            else:
                lines[-1] += f"  {word.rstrip()}"
            line_of_last = token.at.line
            last = ";"
            continue
        if depth == 0:
            if lines and line_of_last >= 0 and token.at.line > line_of_last + 1:
                lines.append("")
            row, rule, last = "", False, ""
        line_of_last = token.at.line
        if last == "(" and word == "<=":
            rule = depth == 1
        if rule and depth == 1 and word != ")" and last not in ("<=", "(") and row.strip():
            lines.append(row)
            row = "    "
        if row.strip() and last != "(" and word != ")":
            row += " "
        row += word
        depth += {"(": 1, ")": -1}.get(word, 0)
        last = word
        if depth == 0:
            lines.append(row)
            row = ""
    return "\n".join([*lines, ""]) if lines else ""
