"""Faults of accessibility in a page that is open in a browser, found by rules of WCAG 2.2 that a program can check.

Used in place of axe-core, which cannot be installed offline. Checked are: language and title of the page, one main
heading, names of buttons, links, fields, pictures and drawings, unique ids, references that exist, no tab order of its
own, the roles of tabs, and the contrast of text against what is behind it (4.5, for large text 3).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").partition("\n")[2]


def faults(page: Any) -> list[str]:
    """Return the faults of a page of playwright, in words; none for a page that passes."""
    found: list[str] = page.evaluate(SCRIPT)
    return found
