"""One participant: found by the code that they were told to quote, and everything that is stored of them.

The code is the participant's id, which *My data* shows; it gives no access to anything, and stays valid when the cookie
is gone. What is stored is told as one JSON object, in which nothing is left out but the hash of the cookie.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.rows import SIDES, Participant
from pcg.study.store import StudyStore

SHORTEST = 8
"""Characters of the beginning of a code by which somebody is found."""


def find_participant(store: StudyStore, code: str) -> Participant:
    """Return the participant whom a code means: an id, its beginning, or the ID of their link.

    Args:
        store: of the study.
        code: as it was quoted; spaces and the case of letters do not matter for ids.

    Raises:
        PcgError: when it means nobody, or several.
    """
    given, typed = code.strip(), "".join(code.split()).lower()
    everybody = store.participants()
    found = [p for p in everybody if p.id == typed] or [p for p in everybody if given and p.identity == given]
    if not found and len(typed) >= SHORTEST:
        found = [p for p in everybody if p.id.startswith(typed)]
    if not found:
        short = f" (expected at least {SHORTEST} characters of it)" if len(typed) < SHORTEST else ""
        raise PcgError(f"nobody has the code {given[:80]!r}{short}")
    if len(found) > 1:
        raise PcgError(f"{len(found)} participants have the code {given[:80]!r}: {', '.join(p.id for p in found[:5])}")
    return found[0]


def stored_of(store: StudyStore, person: Participant) -> dict[str, Any]:
    """Return everything that is stored of a participant, as JSON.

    Keys are `study`, `participant`, `consent` (the text that they agreed to), `answers` (to questionnaires), `pairs`,
    `plays` (with every key press) and `votes`; items go by their names.
    """
    name = {item.id: item.name for item in store.items}
    pairs = store.pairs_of(person.id)
    plays = [play for pair in pairs for play in store.plays_of(pair.id)]
    item = {(pair.id, side): name[pair.item(side)] for pair in pairs for side in range(len(pair.items))}
    return {
        "study": store.name,
        "participant": asdict(person),
        "consent": next((row["text"] for row in store.answers.consents() if row["version"] == person.consent), ""),
        "answers": [_without(row, "participant") for row in store.answers.rows(person.id)],
        "pairs": [_named(_without(asdict(pair), "participant"), name) for pair in pairs],
        "plays": [{**_without(asdict(play), "lease"), "item": item[play.pair, play.side],
                   "presses": json.loads(play.presses)} for play in plays],
        "votes": [{**_named(_without(row, "participant", "number", "simulated"), name),
                   "scales": json.loads(row["scales"])} for row in store.vote_rows(of=person.id)],
    }  # fmt: skip


def _named(row: dict[str, Any], name: Mapping[int, str]) -> dict[str, Any]:
    """A row with the names of its items for their ids; a pair has no third and fourth."""
    row = {key: value for key, value in row.items() if key not in SIDES or value is not None}
    return row | {side: name[row[side]] for side in SIDES if side in row}


def _without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}
