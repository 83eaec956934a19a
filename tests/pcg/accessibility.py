"""Faults of accessibility in a page that is open in a browser, found by rules of WCAG 2.2 that a program can check.

Beside axe's rules, which every page is held against when it is pictured (`browsers.Tab.shot`), for pages of the studio:
one main heading, all ids unique, all references to something, nothing wider than the window, contrast also where axe
cannot tell it; and once more what both can see (language, title, names, the roles of tabs, no tab order of its own).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").partition("\n")[2]


def faults(page: Any) -> list[str]:
    """Return the faults of a page of playwright, in words; none for a page that passes."""
    found: list[str] = page.evaluate(SCRIPT)
    return found
