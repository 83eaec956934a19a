"""A description laid out: text for the terminal, markdown, one page of HTML, JSON."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from importlib import resources

from pcg.describe.description import ROLES, Description, Thing

_SPECIAL = re.compile(r"([\\*_{}\[\]<>#|~])")
WIDTH = 100

_HEADINGS = (
    ("meetings", "What happens when things meet"),
    ("timers", "What happens in time"),
    ("win", "How to win"),
    ("lose", "How to lose"),
    ("score", "Score"),
    ("resources", "Resources"),
    ("never", "Rules that never take effect"),
)
"""Sections that are lists of sentences, and their headings."""


def sections(description: Description) -> list[tuple[str, list[str]]]:
    """The lists of sentences with their headings, empty ones left out."""
    found = []
    for key, heading in _HEADINGS:
        entries = getattr(description, key)
        texts = [e if isinstance(e, str) else e.text for e in entries]
        if texts:
            found.append((heading, texts))
    return found


def things_by_role(description: Description) -> list[tuple[str, Sequence[Thing]]]:
    """The things under the headings of their roles, empty ones left out."""
    found = ((heading, description.things_of(role)) for role, heading in ROLES.items())
    return [(heading, things) for heading, things in found if things]


def _thing(thing: Thing) -> str:
    called = f" (`{thing.type}`)" if thing.type != thing.name else ""
    amount = "" if thing.count is None else f" [{thing.count} at the start]"
    return f"{thing.name}{called}{amount}: {thing.text}"


def to_text(description: Description, width: int = WIDTH) -> str:
    """Plain text, lines of at most `width` characters where words allow it."""
    lines = [_title(description), "", *textwrap.wrap(description.summary, width)]

    def listed(heading: str, texts: Iterable[str]) -> None:
        lines.extend(["", heading.upper()])
        for text in texts:
            lines.extend(
                textwrap.wrap(text, width, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False)
            )

    for avatar in description.controls:
        of = f" of the {avatar.avatar}" if len(description.controls) > 1 else ""
        listed(f"Keys{of}", [f"{c.keys}: {c.does}" for c in avatar.keys])
    for heading, things in things_by_role(description):
        listed(heading, map(_thing, things))
    if description.groups:
        listed("Groups", [f"{g.name}: {', '.join(g.members)}." for g in description.groups])
    for heading, texts in sections(description):
        listed(heading, texts)
    return "\n".join(lines) + "\n"


def to_markdown(description: Description, diagram: str = "", level: int = 1) -> str:
    """Markdown, headings from `level` on; `diagram` is the address of a picture to show."""
    top, sub = "#" * level, "#" * (level + 1)
    lines = [f"{top} {_escaped(_title(description))}", "", _escaped(description.summary)]
    if diagram:
        lines += ["", f"![What the things of {_escaped(description.title)} do to each other]({diagram})"]

    def listed(heading: str, texts: Iterable[str]) -> None:
        lines.extend(["", f"{sub} {heading}", "", *(f"- {text}" for text in texts)])

    for avatar in description.controls:
        of = f" of the {_escaped(avatar.avatar)}" if len(description.controls) > 1 else ""
        listed(f"Keys{of}", [f"**{c.keys}**: {_escaped(c.does)}" for c in avatar.keys])
    for heading, things in things_by_role(description):
        listed(heading, [_escaped(_thing(t)).replace(_escaped(t.name), f"**{_escaped(t.name)}**", 1) for t in things])
    if description.groups:
        listed("Groups", [f"**{_escaped(g.name)}**: {_escaped(', '.join(g.members))}." for g in description.groups])
    for heading, texts in sections(description):
        listed(heading, map(_escaped, texts))
    return "\n".join(lines) + "\n"


def _title(description: Description) -> str:
    return description.title + (f", {description.level}" if description.level else "")


def _escaped(text: str) -> str:
    """Text whose signs mean nothing in markdown; what stands between backticks stays."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _SPECIAL.sub(r"\\\1", text.replace("`", "\\`"))
    return "`".join(part if k % 2 else _SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts))


def to_json(description: Description) -> str:
    """JSON with the fields of `Description`."""
    return json.dumps(description.as_dict(), indent=2, ensure_ascii=False) + "\n"


def to_html(description: Description, diagram: str = "") -> str:
    """One page that needs nothing else; `diagram` is an ``<svg>`` element of `draw_diagram`."""
    import jinja2
    from markupsafe import Markup

    here = resources.files("pcg.describe")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string((here / "page.html.jinja").read_text(encoding="utf-8"))
    style = (resources.files("pcg.report") / "page.css").read_text(encoding="utf-8")
    return template.render(
        d=description,
        title=_title(description),
        roles=things_by_role(description),
        sections=sections(description),
        # our own drawing and style, not text of the game
        diagram=Markup(diagram),
        style=Markup(style + (here / "page.css").read_text(encoding="utf-8")),
        code=_code,
    )


def _code(text: str) -> object:
    """Escaped text in which backticks become code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if k % 2 else escape(part) for k, part in enumerate(parts)
    )
