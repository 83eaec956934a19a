"""Sources of games and levels: from a path or a text to checked lines, with bounds on their size.

The reference reads any bytes of any length. Here a text has bounds, far above every known game, so that bad input
ends in one message instead of a hang.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pcg.engine.vgdl.diagnostics import Diagnostic, VGDLError

MAX_TEXT = 2_000_000
"""Characters in a text."""
MAX_GAME = 300_000
"""Characters in a game text."""
MAX_LINE = 10_000
"""Characters in a line."""

# Tab and line ends are the only control characters of a text; anything else means a binary file. Halves of surrogate
# pairs are what Python makes of bytes that are no text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_END = re.compile("\r\n|\r|\n")


def fail(
    message: str,
    *,
    file: str,
    line: int = 0,
    column: int = 0,
    source_line: str = "",
    expected: str = "",
    rule: str = "",
) -> VGDLError:
    """A VGDLError with a single finding."""
    return VGDLError([Diagnostic("error", message, file, line, column, source_line, expected, "", rule)])


def is_text(source: str | Path) -> bool:
    """Return true if `source` is VGDL text rather than a path: a str with a line end, or the empty str."""
    return isinstance(source, str) and (source == "" or "\n" in source or "\r" in source)


def is_plain(line: str) -> bool:
    """Return true if a line holds nothing but characters of a text, no line end and no comment.

    >>> is_plain("a b > killSprite"), is_plain("a # b"), is_plain("a" + chr(0))
    (True, False, False)
    """
    return "#" not in line and _LINE_END.search(line) is None and _CONTROL.search(line) is None


@dataclass(frozen=True, slots=True)
class MixedIndentation:
    """A line that is indented with other characters than a line before it."""

    line: int
    column: int
    message: str
    expected: str


def mixed_indentation(text: str) -> MixedIndentation | None:
    r"""Return the first line that is indented with tabs where others have blanks, or the other way round.

    A tab counts as one column (reference/language 1.1.4), so that lines which look alike have other parents.

    >>> mixed_indentation("BasicGame\n    SpriteSet\n\ta > Door\n").message
    'the line is indented with a tab, line 2 with blanks'
    """
    first: tuple[int, str] | None = None
    for number, line in enumerate(_LINE_END.split(text), 1):
        content = line.lstrip(" \t")
        indent = line[: len(line) - len(content)]
        if not indent or not content or content.startswith("#"):
            continue
        kind = indent[0] if indent.strip(indent[0]) == "" else "mixed"
        if kind == "mixed":
            message = "the line is indented with tabs and blanks together"
            return MixedIndentation(number, len(indent) + 1, message, _ONE_KIND)
        if first is None:
            first = number, kind
        elif kind != first[1]:
            this, that = ("a tab", "blanks") if kind == "\t" else ("blanks", "a tab")
            message = f"the line is indented with {this}, line {first[0]} with {that}"
            return MixedIndentation(number, len(indent) + 1, message, _ONE_KIND)
    return None


_ONE_KIND = "blanks only, or tabs only; a tab counts as one column"


def read_source(source: str | Path) -> tuple[str, str]:
    """The text and the file name of a path, or `source` itself and "<text>". Raises VGDLError if unreadable."""
    if isinstance(source, str) and is_text(source):
        return source, "<text>"
    name = str(source)
    if len(name) > 4096 or "\x00" in name:
        raise fail(
            "this is neither a file name nor VGDL text", file="<text>", expected="a path, or a text with line ends"
        )
    path = Path(source)
    try:
        with path.open("rb") as stream:
            data = stream.read(4 * MAX_TEXT + 1)
    except OSError as error:
        raise fail(f"cannot read the file: {error.strerror or error}", file=name) from error
    if len(data) > 4 * MAX_TEXT:
        raise fail(f"the file is larger than {4 * MAX_TEXT} bytes", file=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise fail(
            f"not a text file: byte 0x{data[error.start]:02x} is not UTF-8", file=name, line=line, column=column
        ) from error
    return text, name


def split_lines(text: str, file: str, limit: int = MAX_TEXT) -> list[str]:
    """The lines of a text without their ends (LF, CRLF or CR; a final one makes no further line).

    Raises VGDLError for control characters and halves of characters, for a text of more than `limit` characters and for
    a line beyond the bound.
    """
    if len(text) > limit:
        longest = max((len(line), number) for number, line in enumerate(_LINE_END.split(text), 1))
        if longest[0] > MAX_LINE:
            raise fail(f"line {longest[1]} has {longest[0]} characters", file=file, expected=f"at most {MAX_LINE}")
        raise fail(f"the text has {len(text)} characters", file=file, expected=f"at most {limit}")
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    control = _CONTROL.search(text)
    if control:
        start = control.start()
        line = len(_LINE_END.findall(text, 0, start)) + 1
        column = start - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
        code = ord(text[start])
        what = "half of a character" if code >= 0xD800 else "control character"
        raise fail(f"not a text: {what} 0x{code:02x}", file=file, line=line, column=column)
    for number, content in enumerate(lines, 1):
        if len(content) > MAX_LINE:
            raise fail(
                f"the line has {len(content)} characters",
                file=file,
                line=number,
                column=MAX_LINE + 1,
                expected=f"at most {MAX_LINE}",
            )
    return lines
