"""Explaining games: what a game is, in plain English and as a diagram, so that a person can judge it.

`describe` reads the rules of a game and says them; `to_text`, `to_markdown` and `to_html` lay a description out;
`draw_diagram` draws what does what to what; `goals_in` says how a game is won and lost in another language.

    import pcg
    from pcg.describe import describe, to_text
    print(to_text(describe(pcg.load("dungeon"))))
"""

from pcg.describe.description import ROLES, Control, Controls, Description, Group, Rule, Thing
from pcg.describe.diagram import draw_diagram, save_diagram
from pcg.describe.goals import goals_in
from pcg.describe.layout import to_html, to_json, to_markdown, to_text
from pcg.describe.writer import describe

__all__ = [
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
