"""Export of a study as tables: participants, answers, items, pairs, plays and votes, and a codebook that explains them.

Every table is written twice, for spreadsheets (CSV) and for programs (JSON lines, `plays.jsonl` with every key press).
`votes.csv` is what `pcg.evaluators.preferences` reads. Personal data are not stored in the first place; what comes from
the participants' link and what they wrote can be left out.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.metrics.registry import METRICS
from pcg.runs.store import to_json, write_whole
from pcg.study.folders import CONFIG
from pcg.study.monitoring import identities
from pcg.study.panels import code_of
from pcg.study.questionnaire import AFTER, BEFORE, COMPREHENSION, PAIR, PARTS, Ask
from pcg.study.rows import SIDES, Pair, Participant, Play
from pcg.study.store import StudyStore

CODEBOOK = "codebook"
SCRIPTS = ("analysis.py", "analysis.R")
"""Programs that work out the numbers of the report again from the tables."""
TABLES = ("participants", "answers", "items", "pairs", "plays", "votes", "consents")
PEOPLE = ("real", "simulated", "all")
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of the codebook."""

    name: str
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class StudyData:
    """The rows of all tables, each in the order in which things happened."""

    people: str
    """The participants whose data are exported: one of `PEOPLE`."""
    participants: Sequence[Row] = field(repr=False)
    items: Sequence[Row] = field(repr=False)
    pairs: Sequence[Row] = field(repr=False)
    plays: Sequence[Row] = field(repr=False)
    votes: Sequence[Row] = field(repr=False)
    answers: Sequence[Row] = field(repr=False, default=())
    consents: Sequence[Row] = field(repr=False, default=())

    @property
    def tables(self) -> dict[str, Sequence[Row]]:
        """Name of the table -> its rows."""
        return {name: getattr(self, name) for name in TABLES}


def study_data(store: StudyStore, people: str = "", *, links: bool = True, reasons: bool = True) -> StudyData:
    """Data of a study so far.

    Args:
        store: of the study.
        people: one of `PEOPLE`; empty: the real ones if there are any, else the simulated.
        links: with the parameters of the participants' link that were kept.
        reasons: with what they wrote.

    Raises:
        PcgError: for another word.
    """
    if people not in ("", *PEOPLE):
        raise PcgError(f"no participants called {people!r} (expected {', '.join(PEOPLE)})")
    # What refers is read before what it refers to: a running study only adds, but for people who delete their data.
    votes, plays, pairs, persons = store.vote_rows(), store.plays(), store.pairs(), store.participants()
    chosen = people or ("real" if any(not p.simulated for p in persons) or not persons else "simulated")
    who = {p.id: p for p in persons if chosen == "all" or p.simulated == (chosen == "simulated")}
    pair = {p.id: p for p in pairs if p.participant in who}
    plays = [p for p in plays if p.pair in pair]
    votes = [v for v in votes if v["pair"] in pair]
    name = {item.id: item.name for item in store.items}
    group = {item.id: item.group for item in store.items}
    last: dict[tuple[int, int], Play] = {(p.pair, p.side): p for p in plays}
    shown: dict[str, list[Pair]] = {}
    for p in pair.values():
        shown.setdefault(p.participant, []).append(p)
    same = identities(persons)
    asks = {ask.name: ask for ask in store.config.asks}
    given = [row for row in store.answers.rows() if row["participant"] in who]
    if not reasons:
        given = [row for row in given if row["question"] not in asks or asks[row["question"]].kind != "text"]

    def more(row: Mapping[str, Any]) -> Row:
        """The third and fourth item of a set; a pair has none, and a study of pairs no columns for them."""
        if store.config.size == 2:
            return {}
        return {side: "" if row[side] is None else name[row[side]] for side in SIDES[2:]}

    kinds = {q.name: {"asked": q.answers} for q in store.config.questions if q.is_of_sets}
    wide: dict[str, Row] = {}
    after_pair: dict[tuple[str, int], Row] = {}
    for row in given:
        if row["part"] in (BEFORE, AFTER):
            wide.setdefault(row["participant"], {})[f"{row['part']}.{row['question']}"] = row["value"]
        elif row["part"] == PAIR:
            own = after_pair.setdefault((row["participant"], row["position"]), {})
            own[f"pair.{row['question']}"] = row["value"]
    checks: dict[str, list[bool]] = {}
    for v in votes:
        if v["check"]:
            checks.setdefault(v["participant"], []).append(v["answer"] == v["expected"])
    return StudyData(
        chosen,
        [{**_participant(p, store, shown.get(p.id, ()), checks.get(p.id, ()), links),
          "device": p.device, "returns": p.returns, "same_id": max(0, same[p.identity] - 1),
          "end": p.end, "cause": p.cause, "code": code_of(store.config, p.end, store.key, p.id) if p.end else "",
          "consent": p.consent, **wide.get(p.id, {})} for p in who.values()],
        [{"item": i.name, "group": i.group, "game": i.game, "check": i.check, "digest": i.digest, "level": i.level,
          **{f"measure.{k}": v for k, v in i.features.items()}} for i in store.items],
        [{"pair": p.id, "participant": p.participant, "position": p.position, "first": name[p.first],
          "second": name[p.second], "check": p.check, "expected": p.expected, "shown": p.shown, "voted": p.voted,
          **more(asdict(p))} for p in pair.values()],
        [{"play": p.id, "pair": p.pair, "participant": pair[p.pair].participant,
          "item": name[pair[p.pair].item(p.side)],
          "side": SIDES[p.side], "attempt": p.attempt, "seed": p.seed, "started": p.started,
          "seconds": p.seconds, "ticks": p.ticks, "score": p.score, "outcome": outcome(p), "over": p.over,
          "input": p.input, "client": p.client, "refused": p.refused, "state": p.key, "actions": p.actions,
          "presses": json.loads(p.presses)} for p in plays],
        [{"participant": v["participant"], "first": name[v["first"]], "second": name[v["second"]],
          "answer": v["answer"], "question": v["question"], "time": v["time"],
          "first_outcome": outcome(last.get((v["pair"], 0))), "second_outcome": outcome(last.get((v["pair"], 1))),
          "seconds": v["seconds"], "check": v["check"], "pair": v["pair"], "position": v["position"],
          "first_group": group[v["first"]], "second_group": group[v["second"]],
          **more(v), **kinds.get(v["question"], {}),
          "device": who[v["participant"]].device,
          "passed": None if not v["check"] else v["answer"] == v["expected"],
          **_scales(v["scales"]), **after_pair.get((v["participant"], v["position"]), {}),
          **({"reason": v["reason"]} if reasons else {})} for v in votes],
        [{"participant": row["participant"], "part": row["part"], "position": row["position"],
          "question": row["question"], "value": row["value"], "time": row["time"],
          "right": _right(asks.get(row["question"]), row)} for row in given],
        [{"version": row["version"], "language": row["language"], "created": row["created"], "text": row["text"],
          "participants": sum(p.consent == row["version"] for p in who.values())} for row in store.answers.consents()],
    )  # fmt: skip


def _right(ask: Ask | None, row: Row) -> bool | None:
    """True where an answer is the right one; None where there is none."""
    if ask is None or not ask.answer or row["part"] != ask.when:
        return None
    return ask.is_right(row["value"])


def outcome(play: Play | None) -> str:
    """win, loss, or nothing for a play that was not played to an end of the one or the other kind."""
    return {1: "win", 0: "loss"}.get(play.winner, "") if play is not None and play.over else ""


def _participant(
    person: Participant, store: StudyStore, pairs: Sequence[Pair], checks: Sequence[bool], links: bool
) -> Row:
    kept = {f"link.{key}": person.external.get(key, "") for key in store.config.kept_parameters} if links else {}
    return {
        "participant": person.id, "number": person.number, "language": person.language,
        "simulated": person.simulated, "created": person.created, "consented": person.consented,
        "seen": person.seen, "finished": person.finished, "pairs_shown": len(pairs),
        "pairs_voted": sum(q.voted is not None for q in pairs), "checks": len(checks), "checks_passed": sum(checks),
        **kept,
    }  # fmt: skip


def _scales(text: str) -> Row:
    """Likert answers: one column for all that is shown, or one for each side."""
    found: Row = {}
    for name, value in json.loads(text).items():
        if isinstance(value, list):
            found.update({f"scale.{name}.{side}": v for side, v in zip(SIDES, value, strict=False)})
        else:
            found[f"scale.{name}"] = value
    return found


# -- files -------------------------------------------------------------------------------------------------------------


def export_study(
    store: StudyStore, out: Path | str, *, people: str = "", links: bool = True, reasons: bool = True
) -> StudyData:
    """Write all tables, the codebook and programs that analyse them to a folder, which is made.

    An earlier export there is replaced.

    Raises:
        PcgError: when the folder holds something else.
    """
    out = Path(out)
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / f"{CODEBOOK}.csv").is_file()):
        raise PcgError(f"{out} is there already and is no earlier export; name another folder")
    data = study_data(store, people, links=links, reasons=reasons)
    draft = out.with_name(f".{out.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        for name, rows in data.tables.items():
            columns = [c.name for c in codebook(data, store)[name]]
            _write_csv(draft / f"{name}.csv", columns, rows)
            lines = (to_json({c: row.get(c) for c in columns}) + "\n" for row in rows)
            write_whole(draft / f"{name}.jsonl", "".join(lines))
        _write_features(draft / "features.csv", store)
        write_whole(draft / CONFIG, store.config.to_toml())
        _write_codebook(draft, data, store)
        for script in SCRIPTS:
            source = script if store.config.size == 2 else script.replace("analysis", "sets")
            text = resources.files("pcg.study").joinpath("scripts", f"{source}.txt").read_text(encoding="utf-8")
            write_whole(draft / script, text)
        if out.exists():
            shutil.rmtree(out)
        draft.rename(out)
    except OSError as error:
        raise PcgError(f"cannot write the export to {out}: {error.strerror}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return data


def _write_features(path: Path, store: StudyStore) -> None:
    """The measures of the items that are judged by their plain names, as `pcg prefer fit --features` reads them."""
    judged = [item for item in store.items if not item.check and item.features]
    columns = sorted({name for item in judged for name in item.features})
    if columns:
        _write_csv(path, ["item", *columns], [{"item": item.name, **item.features} for item in judged])


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    write_whole(path, text.getvalue())


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list):
        return to_json(value)
    if isinstance(value, str) and value and value[0] in "=+-@\t\r\n":
        return f"'{value}"  # a spreadsheet would take it for a formula
    return value


_NUMBER, _TEXT, _TIME, _YES = "number", "text", "time", "0 or 1"
_SINCE = "seconds since 1970-01-01 UTC"
_PARTICIPANT = Column("participant", _TEXT, "", "random id of the participant; gives no access to anything")

_WHEN = {BEFORE: "before all pairs", AFTER: "after all pairs", PAIR: "after the pair", COMPREHENSION: "to understand"}

_FIXED: Mapping[str, tuple[Column, ...]] = {
    "participants": (
        _PARTICIPANT,
        Column("number", _NUMBER, "", "counted from 0 in the order of arrival; decides order and sides of pairs"),
        Column("language", _TEXT, "", "code of the language in which the pages were read last"),
        Column("simulated", _YES, "", "1: a program (`pcg study simulate`), no person"),
        Column("created", _TIME, _SINCE, "first visit"),
        Column("consented", _TIME, _SINCE, "when they agreed to take part; empty: never"),
        Column("seen", _TIME, _SINCE, "last visit"),
        Column("finished", _TIME, _SINCE, "when they came to the end; empty: not yet, or never"),
        Column("pairs_shown", _NUMBER, "pairs", "pairs that were shown, attention checks among them"),
        Column("pairs_voted", _NUMBER, "pairs", "pairs that they voted on, attention checks among them"),
        Column("checks", _NUMBER, "answers", "answers to attention checks"),
        Column("checks_passed", _NUMBER, "answers", "of these the expected ones"),
        Column("device", _TEXT, "", "phone, tablet or computer, by what the browser said; empty: not known"),
        Column("returns", _NUMBER, "times", "the same ID came again from another browser"),
        Column("same_id", _NUMBER, "participants", "others with the same ID in their link"),
        Column("end", _TEXT, "", "finished, screened, failed or expired; empty: not ended"),
        Column("cause", _TEXT, "", "question or quota that ended it before the end"),
        Column("code", _TEXT, "", "completion code that they were told"),
        Column("consent", _TEXT, "", "version of the text that they agreed to, as in `consents`"),
    ),
    "answers": (
        _PARTICIPANT,
        Column("part", _TEXT, "", "before, comprehension, pair or after; practice: a game was tried"),
        Column("position", _NUMBER, "", "of the pair; else how often the page was answered before"),
        Column("question", _TEXT, "", "name of the question"),
        Column("value", _TEXT, "", "the answer; several options with spaces between"),
        Column("time", _TIME, _SINCE, "when it came"),
        Column("right", _YES, "", "1: the right answer; empty: there is none that is"),
    ),
    "consents": (
        Column("version", _TEXT, "", "beginning of the hash of language and text"),
        Column("language", _TEXT, "", "code"),
        Column("created", _TIME, _SINCE, "when it was agreed to first"),
        Column("text", _TEXT, "", "what the page said"),
        Column("participants", _NUMBER, "", "who agreed to it"),
    ),
    "items": (
        Column("item", _TEXT, "", "name of the level or game; what votes, pairs and plays name"),
        Column("group", _TEXT, "", "what it belongs to, as its generator"),
        Column("game", _TEXT, "", "name of the game"),
        Column("check", _TEXT, "", "name of the attention check that it is for; empty: it is judged"),
        Column("digest", _TEXT, "", "hash of the game's text"),
        Column("level", _TEXT, "", "level text, rows joined by line ends"),
    ),
    "pairs": (
        Column("pair", _NUMBER, "", "id of the pair"),
        _PARTICIPANT,
        Column("position", _NUMBER, "", "counted from 0 for each participant"),
        Column("first", _TEXT, "", "item shown first (left)"),
        Column("second", _TEXT, "", "item shown second (right)"),
        Column("check", _TEXT, "", "name of the attention check, if the pair was one"),
        Column("expected", _TEXT, "", "answer that passes the check"),
        Column("shown", _TIME, _SINCE, "when it was shown first"),
        Column("voted", _TIME, _SINCE, "when the vote came; empty: none came"),
    ),
    "plays": (
        Column("play", _NUMBER, "", "id of the play"),
        Column("pair", _NUMBER, "", "id of the pair"),
        _PARTICIPANT,
        Column("item", _TEXT, "", "what was played"),
        Column("side", _TEXT, "", "first or second; of a set of four also third or fourth"),
        Column("attempt", _NUMBER, "", "counted from 0; more after restarts"),
        Column("seed", _NUMBER, "", "of the game's chance"),
        Column("started", _TIME, _SINCE, "when the play was opened"),
        Column("seconds", _NUMBER, "s", "for which the clock ran, pauses not counted"),
        Column("ticks", _NUMBER, "ticks", "played"),
        Column("score", _NUMBER, "points", "at the end of the play"),
        Column("outcome", _TEXT, "", "win or loss; empty: it did not come to that"),
        Column("over", _YES, "", "1: played to an end of the game"),
        Column("input", _TEXT, "", "what was used of keys, touch and pointer (a mouse on the buttons)"),
        Column("client", _YES, "", "1: some of it ran in the participant's browser, and was played again here"),
        Column("refused", _TEXT, "", "reason why something that the browser sent was refused last; empty: nothing was"),
        Column("state", _TEXT, "", "hash of the game's state after the last tick, hexadecimal"),
        Column(
            "actions", _TEXT, "", "one letter per tick: . nothing, U up, L left, D down, R right, X use, E escape"
        ),
        Column(
            "presses", "JSON", "", "every key: [ticks played before, letter as in `actions`, 1 it went down or 0 up]"
        ),
    ),
    "votes": (
        _PARTICIPANT,
        Column("first", _TEXT, "", "item shown first (left)"),
        Column("second", _TEXT, "", "item shown second (right)"),
        Column("answer", _TEXT, "", "first, second, both or neither; about a set of four first to fourth"),
        Column("question", _TEXT, "", "name of the question that was answered"),
        Column("time", _TIME, _SINCE, "when the vote came"),
        Column("first_outcome", _TEXT, "", "of the last play of the first: win, loss or empty"),
        Column("second_outcome", _TEXT, "", "of the last play of the second: win, loss or empty"),
        Column("seconds", _NUMBER, "s", "from the first sight of the pair to the vote"),
        Column("check", _TEXT, "", "name of the attention check, if the pair was one; such votes are not analysed"),
        Column("pair", _NUMBER, "", "id of the pair"),
        Column("position", _NUMBER, "", "of the pair, counted from 0 for each participant"),
        Column("first_group", _TEXT, "", "group of the first item"),
        Column("second_group", _TEXT, "", "group of the second item"),
        Column("device", _TEXT, "", "of the participant: phone, tablet or computer"),
        Column("passed", _YES, "", "whether the attention check was passed; empty: it is none"),
    ),
}  # fmt: skip


def codebook(data: StudyData, store: StudyStore) -> dict[str, list[Column]]:
    """The columns of each table, those that only this study has among them."""
    tables = {name: list(columns) for name, columns in _FIXED.items()}
    for name, rows in data.tables.items():
        known = {column.name for column in tables[name]}
        for extra in dict.fromkeys(key for row in rows for key in row if key not in known):
            tables[name].append(_extra(extra, store))
    return tables


def _extra(name: str, store: StudyStore) -> Column:
    kind, _, rest = name.partition(".")
    if kind == "link":
        return Column(name, _TEXT, "", f"parameter `{rest}` of the link that the participant came by")
    if kind == "measure":
        metric = METRICS.get(rest)
        meaning = metric.help if metric is not None else "measured when the item was made"
        if rest == "fitness":
            meaning = "how good the level was found to be by its evaluation, 0 to 1"
        return Column(name, _NUMBER, metric.unit if metric is not None else "", meaning)
    if kind in PARTS:
        ask = next((ask for ask in store.config.asks if ask.name == rest), None)
        if ask is None:
            return Column(name, _TEXT, "", f"answer to `{rest}`, asked {_WHEN[kind]}")
        numeric = ask.kind in ("likert", "number")
        unit = f"1 to {ask.points}" if ask.kind == "likert" else ", ".join(ask.choices)
        return Column(name, _NUMBER if numeric else _TEXT, unit, f"answer to `{rest}`, asked {_WHEN[kind]}")
    if name == "asked":
        return Column(name, _TEXT, "", "best or worst: what of the four the question asks for")
    if name in SIDES:
        return Column(name, _TEXT, "", f"item shown {name}, in a set of four; empty: it was a pair")
    if kind == "scale":
        scale, _, side = rest.partition(".")
        points = next((s.points for s in store.config.scales if s.name == scale), 0)
        about = f"about the {side} item" if side else "about the pair"
        return Column(name, _NUMBER, f"1 to {points}", f"answer to `{scale}` {about}")
    return Column(name, _TEXT, "", "what the participant wrote as reason; may be empty")


def _write_codebook(folder: Path, data: StudyData, store: StudyStore) -> None:
    tables = codebook(data, store)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "column", "type", "unit", "meaning"))
    for name, columns in tables.items():
        writer.writerows((name, c.name, c.type, c.unit, c.meaning) for c in columns)
    write_whole(folder / f"{CODEBOOK}.csv", text.getvalue())
    config = store.config
    asked = "\n".join(f"- `{q.name}`: {', '.join(q.choices)}" for q in config.questions)
    scales = "\n".join(
        f"- `{s.name}`: 1 to {s.points}, {'about each of the two' if s.each else 'about the pair'}"
        for s in config.scales
    )
    words = {"real": "people", "simulated": "simulated participants only", "all": "people and simulated participants"}
    page = (
        f"# Codebook of the study `{store.name}`\n\nExported by pcg {pcg.__version__}; participants: "
        f"{words[data.people]}. Every table is there as CSV and as JSON lines. Empty cells are `null` there. In CSV a "
        "text that begins with =, +, -, @ or a line end has a ' before it, so that no spreadsheet computes it; the "
        "JSON lines have it as it is. "
        "`analysis.py` (pandas) and `analysis.R` work out the numbers of the report again. "
        "`study.toml` says how the study was set up; `features.csv`, where items were measured, holds the columns "
        "`measure.*` of `items` by their plain names, for `pcg prefer fit --features`.\n\n"
        f"Questions about each pair:\n\n{asked}\n" + (f"\nScales:\n\n{scales}\n" if scales else "")
    )
    for name, columns in tables.items():
        page += (
            f"\n## {name} ({len(data.tables[name])} rows)\n\n| column | type | unit | meaning |\n|---|---|---|---|\n"
        )
        page += "".join(f"| `{c.name}` | {c.type} | {c.unit} | {c.meaning} |\n" for c in columns)
    write_whole(folder / f"{CODEBOOK}.md", page)
