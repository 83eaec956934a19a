"""Rule sheets as text: one sentence per line, bodies indented. Comments are not part of a sheet and are not kept."""

from __future__ import annotations

from pcg.engine.gdl.tree import Rule, Sheet


def dumps(sheet: Sheet) -> str:
    """The KIF text of a sheet; reading it gives an equal sheet.

    >>> from pcg.engine.gdl.parser import parse
    >>> print(dumps(parse("(role x)(<= (legal x stay) (true   (step 1)))")), end="")
    (role x)
    (<= (legal x stay)
        (true (step 1)))
    """
    return "".join(f"{_rule(rule)}\n" for rule in sheet.rules)


def _rule(rule: Rule) -> str:
    if not rule.body:
        return str(rule)
    return f"(<= {rule.head}\n    " + "\n    ".join(map(str, rule.body)) + ")"


__all__ = ["dumps"]
