"""The tables of the language, written from the ontology registry each time the documentation is built.

mkdocs calls `on_files`; the texts come from `pages`, which the tests read too. Nothing here knows a class or parameter
by name. Tables say what can be written; every entry links to the section of the written reference that says what it
does (`docs/reference/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pcg.engine.vgdl import ontology

LATER = "\n\n!!! note\n    It can be written, checked and formatted, but the engine cannot run it yet.\n"


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to the documentation (a hook of mkdocs)."""
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def pages() -> dict[str, str]:
    """Path below `docs/` -> Markdown of every generated page."""
    classes = ontology.SPRITE_CLASSES.values()
    return {
        "language/sprites.md": _classes_page(
            "Sprite classes",
            "Classes of the sprites that no player controls. Every class also has the parameters of its parents.",
            [c for c in classes if not c.avatar],
            common=_alive(ontology.SPRITE_BASE_PARAMS),
        ),
        "language/avatars.md": _classes_page(
            "Avatars",
            "Classes of the sprites that players control. Actions are listed in the order in which they are offered; "
            "doing nothing (`NIL`) is always possible.",
            [c for c in classes if c.avatar],
        ),
        "language/effects.md": _effects_page(ontology.EFFECTS.values()),
        "language/terminations.md": _terminations_page(ontology.TERMINATIONS.values()),
    }


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _code(value: object) -> str:
    return "none" if value is None else f"`{_cell(value)}`"


def _range(param: ontology.Param) -> str:
    return "" if param.range is None else f"{param.range[0]:g} to {param.range[1]:g}"


def _table(params: Iterable[ontology.Param]) -> str:
    rows = [
        f"| `{p.name}` | {ontology.TYPE_HELP[p.type]} | {'required' if p.required else _code(p.default)} "
        f"| {_range(p)} | {_cell(p.help)}{f' ({_cell(p.unit)})' if p.unit else ''} |"
        for p in params
    ]
    if not rows:
        return ""
    head = "| parameter | value | default | sensible range | what it does |\n|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def _alive(params: Mapping[str, ontology.Param]) -> list[ontology.Param]:
    """Those that make a difference to play or to pictures; the reference accepts a few that do nothing."""
    return [param for param in params.values() if not param.inert]


def _behaviour(entry: ontology.SpriteClass | ontology.EffectSpec | ontology.TerminationSpec) -> str:
    """A link to the section of the reference that describes an entry; "" for what users registered themselves."""
    found = re.fullmatch(r"(\w+) ([\d.]+)", entry.rule)
    return "" if found is None else f" Its rules: [reference/{entry.rule}](../reference/{found[1]}.md#{entry.name})."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _classes_page(
    title: str, intro: str, classes: list[ontology.SpriteClass], common: Iterable[ontology.Param] = ()
) -> str:
    parts = [f"# {title}\n\n{intro}\n"]
    shared = _table(common)
    if shared:
        parts.append(f"## Parameters of every sprite\n\n{shared}")
    for entry in classes:
        lines = [f"## {entry.name}\n\n{_sentence(entry.help)}{_behaviour(entry)}"]
        facts = list(_class_facts(entry))
        if facts:
            lines.append("\n\n" + "\n".join(f"- {fact}" for fact in facts))
        if not entry.runnable:
            lines.append(LATER)
        lines.append("\n\n" + _table(entry.params[name] for name in entry.own))
        parts.append("".join(lines).rstrip() + "\n")
    return "\n".join(parts)


def _class_facts(entry: ontology.SpriteClass) -> Iterator[str]:
    if entry.parent:
        yield f"a kind of `{entry.parent}`"
    if entry.avatar:
        yield f"actions: {', '.join(f'`{a}`' for a in entry.actions) or 'none'}"
    if entry.defaults:
        yield "differs in: " + ", ".join(f"`{name}={value}`" for name, value in entry.defaults.items())
    if entry.creates:
        yield "creates what is named by " + ", ".join(f"`{name}`" for name in entry.creates)
    if entry.stochastic:
        yield "draws random numbers"


def _effects_page(effects: Iterable[ontology.EffectSpec]) -> str:
    parts = [
        "# Effects\n\nEffects run when two sprites meet. In `A B > effect`, A is the first sprite and B the second; "
        "with `EOS` in place of B, the effect runs when A leaves the screen.\n",
        f"## Parameters of every effect\n\n{_table(_alive(ontology.EFFECT_BASE_PARAMS))}",
    ]
    for entry in effects:
        text = f"## {entry.name}\n\n{_sentence(entry.help)}{_behaviour(entry)}"
        facts = [fact for fact, holds in (
            ("needs A", entry.needs_first and not entry.needs_second),
            ("needs A and B", entry.needs_first and entry.needs_second),
            ("runs once for each A with all B that overlap it", entry.batch),
            ("draws random numbers", entry.stochastic),
        ) if holds]  # fmt: skip
        if facts:
            text += "\n\n" + "\n".join(f"- {fact}" for fact in facts)
        if not entry.runnable:
            text += LATER
        parts.append((text + "\n\n" + _table(entry.params[name] for name in entry.own)).rstrip() + "\n")
    return "\n".join(parts)


def _terminations_page(terminations: Iterable[ontology.TerminationSpec]) -> str:
    parts = [
        "# Terminations\n\nTerminations end a game and say who has won. They are tested in the order of the text after "
        "every tick; the first that holds ends the game.\n"
    ]
    for entry in terminations:
        text = f"## {entry.name}\n\n{_sentence(entry.help)}{_behaviour(entry)}"
        text += LATER if not entry.runnable else ""
        parts.append(f"{text}\n\n{_table(entry.params.values())}".rstrip() + "\n")
    return "\n".join(parts)
