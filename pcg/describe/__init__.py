"""Explaining games: what a game is, in plain English or Chinese and as a diagram, so that a person can judge it.

`describe` reads the rules of a game and says them; `to_text`, `to_markdown` and `to_html` lay a description out;
`draw_diagram` draws what does what to what; `goals_in` says how a game is won and lost. The wordings are templates
(`templates`): those of effects stand in their declarations, all others in a file for each language (`en.toml`).

    import pcg
    print(pcg.describe("dungeon"))
"""

from pcg.callable_module import make_callable as _make_callable
from pcg.describe.description import ROLES, Control, Controls, Description, Group, Rule, Thing
from pcg.describe.diagram import draw_diagram, save_diagram
from pcg.describe.goals import goals_in
from pcg.describe.languages import LANGUAGES
from pcg.describe.layout import to_html, to_json, to_markdown, to_text
from pcg.describe.writer import describe

_make_callable(__name__, "pcg.api:describe")

__all__ = [
    "LANGUAGES",
    "ROLES",
    "Control",
    "Controls",
    "Description",
    "Group",
    "Rule",
    "Thing",
    "describe",
    "draw_diagram",
    "goals_in",
    "save_diagram",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
]
