"""What a person says of the levels of a run: stars, levels thrown away, and votes between any two.

Everything is a line in `marks.jsonl` of the run, on the disk before the page hears of it, so nothing is lost when the
browser or the server is killed. A level goes by the digest of its text, which is the same wherever in the run it is
shown. Written anew from the log are `starred/`, the starred levels in the layout of `levels/`, and `votes.csv` with
`features.csv`, the tables of `pcg prefer fit`. The preference is fitted anew after each vote
(`pcg.breeding.preference`).

Each line is one of

`{"id", "type": "star", "level", "on", "text", "entry"}`
    A level is starred, or no longer; `text` and `entry` (what is known of it) come along.
`{"id", "type": "discard", "level", "on", "key"}`
    A level is thrown away, or taken back; `key` is where it was shown.
`{"id", "type": "vote", "first", "second", "answer", "measures"}`
    Of two levels; of several votes on the same two the last counts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from pcg.breeding.preference import Comparison, LearntPreference
from pcg.breeding.votes import told_preference, write_comparisons
from pcg.evaluators.preferences import Vote
from pcg.runs.store import EventLog, write_levels
from pcg.web.guard import Refused
from pcg.web.run_levels import Entry

LOG = "marks.jsonl"
STARRED = "starred"
ANSWERS = ("first", "second", "both", "neither")
MOST_PAIRED = 40
"""Levels among which the next pair to vote on is looked for."""


def digest_of(level: str) -> str:
    """Return the name of a level in the log.

    >>> digest_of("www")
    '7c2ecd07f155'
    """
    return sha256(level.rstrip("\n").encode()).hexdigest()[:12]


class Marks:
    """The marks of one run; may be used by several threads.

    Args:
        folder: of the run.
        game: text of the game, put beside the starred levels.
    """

    def __init__(self, folder: Path, game: str) -> None:
        self.folder, self.game = folder, game
        self.starred: dict[str, dict[str, Any]] = {}
        """Entries of the starred levels, by digest, in the order of starring; each with its `text`."""
        self.discarded: dict[str, str] = {}
        """Keys of the levels that are thrown away, by digest."""
        self._votes: dict[tuple[str, str], str] = {}
        self._measures: dict[str, dict[str, float]] = {}
        self._preference: tuple[LearntPreference, dict[str, int]] | None = None
        self._lock = threading.RLock()
        events = EventLog.repair(folder / LOG)
        for event in events:
            self._apply(event)
        self._next = len(events)
        if events:
            self._write_starred()
            self._write_votes()

    def __repr__(self) -> str:
        return f"<marks of {self.folder}: {len(self.starred)} starred, {len(self._votes)} votes>"

    # -- saying --------------------------------------------------------------------------------------------------------

    def star(self, entry: Entry, on: bool) -> None:
        """Star a level, or take the star back."""
        about = {k: v for k, v in asdict(entry).items() if k not in ("key", "level", "cell")}
        about["actions"] = list(entry.actions)
        with self._lock:
            self._record({"type": "star", "level": digest_of(entry.level), "on": on, "text": entry.level,
                          "entry": about})  # fmt: skip
            self._write_starred()

    def discard(self, entry: Entry, on: bool) -> None:
        """Throw a level away, or take it back; nothing is deleted."""
        with self._lock:
            self._record({"type": "discard", "level": digest_of(entry.level), "on": on, "key": entry.key})

    def vote(self, first: Entry, second: Entry, answer: str) -> None:
        """Say which of two levels is liked better; an earlier vote on the two is replaced.

        Raises:
            Refused: for the same level twice, and words that are no answer.
        """
        one, other = digest_of(first.level), digest_of(second.level)
        if one == other:
            raise Refused("a level cannot be compared with itself")
        if answer not in ANSWERS:
            raise Refused(f"{answer[:40]!r} is no answer (expected {', '.join(ANSWERS)})")
        with self._lock:
            measures = {one: dict(first.metrics), other: dict(second.metrics)}
            self._record({"type": "vote", "first": one, "second": other, "answer": answer, "measures": measures})
            self._write_votes()

    def _record(self, event: Mapping[str, Any]) -> None:
        """Write an event down, and let it happen."""
        whole = {"id": self._next, **event}
        log = EventLog(self.folder / LOG)
        try:
            log.append(whole)
            log.sync()
        finally:
            log.close()
        self._next += 1
        self._apply(whole)

    def _apply(self, event: Mapping[str, Any]) -> None:
        kind, level = event.get("type"), str(event.get("level", ""))
        if kind == "star":
            self.starred.pop(level, None)
            if event["on"]:
                self.starred[level] = {**event["entry"], "text": event["text"]}
        elif kind == "discard":
            self.discarded.pop(level, None)
            if event["on"]:
                self.discarded[level] = str(event["key"])
        elif kind == "vote":
            first, second = str(event["first"]), str(event["second"])
            self._votes.pop((second, first), None)
            self._votes[first, second] = str(event["answer"])
            self._measures.update(event["measures"])
            self._preference = None

    # -- files ---------------------------------------------------------------------------------------------------------

    def _write_starred(self) -> None:
        entries = []
        for digest, about in self.starred.items():
            rows = str(about["text"]).split("\n")
            data = {k: v for k, v in about.items() if k != "text"}
            entries.append((str(about["text"]), {**data, "digest": digest, "width": len(rows[0]), "height": len(rows)}))
        write_levels(self.folder / STARRED, entries, self.game if entries else "")

    def _write_votes(self) -> None:
        if not self._votes:
            return
        preference, _ = self._fitted()
        votes = [Vote("eye", first, second, answer) for (first, second), answer in self._votes.items()]
        write_comparisons(self.folder, votes, {d: self._measures[d] for d in sorted(self._measures)}, preference.names)

    # -- what is known -------------------------------------------------------------------------------------------------

    def _fitted(self) -> tuple[LearntPreference, dict[str, int]]:
        """The preference, and the numbers by which it knows the levels."""
        with self._lock:
            if self._preference is None:
                numbers = {digest: k for k, digest in enumerate(sorted(self._measures))}
                comparisons: list[Comparison] = []
                for (first, second), answer in self._votes.items():
                    a, b = numbers[first], numbers[second]
                    if answer == "first":
                        comparisons.append(Comparison(a, b))
                    elif answer == "second":
                        comparisons.append(Comparison(b, a))
                    else:
                        comparisons += [Comparison(a, b, 0.5), Comparison(b, a, 0.5)]
                known = {numbers[digest]: found for digest, found in self._measures.items()}
                self._preference = LearntPreference(known, comparisons), numbers
            return self._preference

    def told(self) -> dict[str, Any]:
        """Return what was learnt from the votes: `votes`, their number, and `preference`, its sure measures."""
        return {"votes": len(self._votes), "preference": told_preference(self._fitted()[0])}

    def answer(self, first: str, second: str) -> str:
        """Return what was said of two levels, given by digest; "" for nothing."""
        turned = {"first": "second", "second": "first"}
        found = self._votes.get((first, second))
        if found is None:
            found = self._votes.get((second, first), "")
            found = turned.get(found, found)
        return found

    def pair(self, entries: Iterable[Entry]) -> tuple[Entry, Entry] | None:
        """Return two of some levels about which a vote would teach most; None when all were compared."""
        found = {digest_of(entry.level): entry for entry in entries if entry.feasible}
        chosen = dict(list(found.items())[:MOST_PAIRED])
        open_ = [pair for pair in combinations(chosen, 2) if not self.answer(*pair)]
        if not open_:
            return None
        voted, numbers = self._fitted()
        known = {digest: dict(entry.metrics) for digest, entry in chosen.items()}
        # levels that nobody voted on yet count with their measures
        order = {**numbers, **{d: len(numbers) + k for k, d in enumerate(d for d in chosen if d not in numbers)}}
        measures = {order[d]: self._measures.get(d, known.get(d, {})) for d in order}
        preference = LearntPreference(measures, voted.comparisons)
        best = max(open_, key=lambda pair: round(preference.doubt(order[pair[0]], order[pair[1]]), 9))
        return chosen[best[0]], chosen[best[1]]
