"""A description laid out: text for the terminal, markdown, one page of HTML, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import resources

from pcg.describe.description import ROLES, Description, Group, Thing
from pcg.describe.languages import LANGUAGES
from pcg.describe.wording import Given

_SPECIAL = re.compile(r"([\\*_{}\[\]<>#|~])")
WIDTH = 100

_SECTIONS = ("meetings", "timers", "win", "lose", "score", "resources", "never")
"""Fields that are lists of sentences; their headings are in the section `headings` of a language's file."""


def _say(description: Description, key: str, /, **values: Given) -> str:
    return LANGUAGES[description.language].say(key, **values)


def sections(description: Description, fields: Sequence[str] = _SECTIONS) -> list[tuple[str, list[str]]]:
    """The lists of sentences with their headings, empty ones left out."""
    found = []
    for key in fields:
        entries = getattr(description, key)
        texts = [e if isinstance(e, str) else e.text for e in entries]
        if texts:
            found.append((_say(description, f"headings.{key}"), texts))
    return found


def things_by_role(description: Description) -> list[tuple[str, Sequence[Thing]]]:
    """The things under the headings of their roles, empty ones left out."""
    found = ((_say(description, f"roles.{role}"), description.things_of(role)) for role in ROLES)
    return [(heading, things) for heading, things in found if things]


def _thing(description: Description, thing: Thing) -> str:
    called = thing.type if thing.type != thing.name else ""
    amount = "" if thing.count is None else _say(description, "page.at_the_start", n=thing.count)
    return _say(description, "page.thing", name=thing.name, type=called, amount=amount, text=thing.text)


def _keys_of(description: Description, avatar: str) -> str:
    """The heading of the keys of one of the avatars."""
    return _say(description, "headings.keys", avatar=avatar if len(description.controls) > 1 else "")


def to_text(description: Description, width: int = WIDTH) -> str:
    """Plain text, lines of at most `width` characters where words allow it."""
    language = LANGUAGES[description.language]
    lines = [_title(description), "", *language.wrapped(description.summary, width)]

    def listed(heading: str, texts: Iterable[str]) -> None:
        lines.extend(["", language.heading(heading)])
        for text in texts:
            lines.extend(language.wrapped(text, width, "  - ", "    "))

    for avatar in description.controls:
        keys = [_say(description, "page.key", keys=c.keys, does=c.does) for c in avatar.keys]
        listed(_keys_of(description, avatar.avatar), keys)
    for heading, things in things_by_role(description):
        listed(heading, [_thing(description, thing) for thing in things])
    if description.groups:
        listed(_say(description, "headings.groups"), [_group(description, g, g.name) for g in description.groups])
    for heading, texts in sections(description):
        listed(heading, texts)
    return "\n".join(lines) + "\n"


def to_markdown(description: Description, diagram: str = "", level: int = 1) -> str:
    """Markdown, headings from `level` on; `diagram` is the address of a picture to show."""
    top, sub = "#" * level, "#" * (level + 1)
    lines = [f"{top} {_escaped(_title(description))}", "", _escaped(description.summary)]
    if diagram:
        shown = _say(description, "page.picture", title=_escaped(description.title))
        lines += ["", f"![{shown}]({diagram})"]

    def listed(heading: str, texts: Iterable[str]) -> None:
        lines.extend(["", f"{sub} {heading}", "", *(f"- {text}" for text in texts)])

    for avatar in description.controls:
        keys = [_say(description, "page.key", keys=f"**{c.keys}**", does=_escaped(c.does)) for c in avatar.keys]
        listed(_keys_of(description, _escaped(avatar.avatar)), keys)
    for heading, things in things_by_role(description):
        told = [(_escaped(_thing(description, t)), _escaped(t.name)) for t in things]
        listed(heading, [text.replace(name, f"**{name}**", 1) for text, name in told])
    if description.groups:
        listed(
            _say(description, "headings.groups"),
            [_group(description, g, f"**{_escaped(g.name)}**", _escaped) for g in description.groups],
        )
    for heading, texts in sections(description):
        listed(heading, map(_escaped, texts))
    return "\n".join(lines) + "\n"


def _title(description: Description) -> str:
    return _say(description, "page.title", title=description.title, level=description.level)


def _group(description: Description, group: Group, name: str, escaped: Callable[[str], str] = str) -> str:
    members = escaped(LANGUAGES[description.language].listed(group.members))
    return _say(description, "page.group", name=name, members=members)


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
        say=partial(_say, description),
        keys_of=partial(_keys_of, description),
        listed=LANGUAGES[description.language].listed,
        title=_title(description),
        roles=things_by_role(description),
        endings=sections(description, ("win", "lose")),
        sections=sections(description, [key for key in _SECTIONS if key not in ("win", "lose")]),
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
