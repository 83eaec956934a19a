"""Replication packages: a whole study in one file that others can read, check and load again.

The file is a ZIP archive with

    study.json      settings, texts, versions of the consent, items, and all rows of participants; what `load` reads
    data/           the export: tables, codebook, and programs that work out the report's numbers again
    report/         the report of the votes, where there are any
    README.md       what it is

Neither the researcher's token nor the server's key nor anything that a cookie is made of is in it. Parameters of the
participants' links and what they wrote are left out on request. A study that was loaded is closed; it can be reported
on, replayed, and served as a study of its own with `pcg study open`.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.creation import store_study
from pcg.study.database import delete_study, digest, inserted_id
from pcg.study.exporting import export_study
from pcg.study.folders import open_study
from pcg.study.reporting import report_study
from pcg.study.rows import SIDES, StudyItem
from pcg.study.schema import answers, consents, items, pairs, participants, plays, studies, votes
from pcg.study.store import StudyStore, read_stored

FORMAT = 1
STUDY, README = "study.json", "README.md"
LARGEST = 2_000_000_000
"""Bytes of `study.json`, unpacked."""
_PRIVATE = {"participants": {"token", "study_id"}, "plays": {"lease"}, "items": {"study_id"}, "consents": {"study_id"}}
_TABLES = {"items": items, "consents": consents, "participants": participants, "answers": answers, "pairs": pairs,
           "plays": plays, "votes": votes}  # fmt: skip
"""Tables in an order in which rows refer to earlier tables only."""


def pack_study(
    store: StudyStore, file: Path | str, *, links: bool = False, reasons: bool = True, report: bool = True
) -> dict[str, int]:
    """Write the replication package of a study; return the number of rows of each table.

    Args:
        store: of the study.
        file: to be written.
        links: with the parameters of the participants' link, which may say who they are.
        reasons: with what they wrote.
        report: with the report, where there are votes.

    Raises:
        PcgError: when it cannot be written.
    """
    rows = _rows(store, links=links, reasons=reasons)
    head = {"format": FORMAT, "made_by": f"pcg {pcg.__version__}", "name": store.name, "created": store.created,
            "config": store.config.to_toml(), "texts": store.texts}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        export_study(store, place / "data", people="all", links=links, reasons=reasons)
        if report:
            try:
                report_study(store, place / "report")
            except PcgError:
                shutil.rmtree(place / "report", ignore_errors=True)  # no votes yet, or of one item alone
        counts = {name: len(of) for name, of in rows.items()}
        (place / STUDY).write_text(json.dumps({**head, **rows}, ensure_ascii=False, indent=1), encoding="utf-8")
        (place / README).write_text(_readme(store, counts, links=links, reasons=reasons), encoding="utf-8")
        draft = Path(file).with_name(f".{Path(file).name}.draft")
        try:
            with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(p for p in place.rglob("*") if p.is_file()):
                    archive.write(path, path.relative_to(place).as_posix())
            draft.replace(file)
        except OSError as error:
            raise PcgError(f"cannot write {file}: {error.strerror}") from None
        finally:
            draft.unlink(missing_ok=True)
    return counts


def _rows(store: StudyStore, *, links: bool, reasons: bool) -> dict[str, list[dict[str, Any]]]:
    mine = sa.select(participants.c.id).where(participants.c.study_id == store.id)
    own = sa.select(pairs.c.id).where(pairs.c.participant_id.in_(mine))
    where = {
        "items": items.c.study_id == store.id, "consents": consents.c.study_id == store.id,
        "participants": participants.c.study_id == store.id, "answers": answers.c.participant_id.in_(mine),
        "pairs": pairs.c.participant_id.in_(mine), "plays": plays.c.pair_id.in_(own), "votes": votes.c.pair_id.in_(own),
    }  # fmt: skip
    texts = {ask.name for ask in store.config.asks if ask.kind == "text"}
    found: dict[str, list[dict[str, Any]]] = {}
    with store.engine.execution_options(reads=True).connect() as db:
        for name, table in _TABLES.items():
            query = sa.select(table).where(where[name]).order_by(table.c.id)
            found[name] = [
                {key: value for key, value in row.items() if key not in _PRIVATE.get(name, ())}
                for row in db.execute(query).mappings()
            ]
    for row in found["participants"]:
        if not links:
            row.update(external="{}", identity="")
    if not reasons:
        for row in found["votes"]:
            row["reason"] = ""
        found["answers"] = [row for row in found["answers"] if row["question"] not in texts]
    return found


def _readme(store: StudyStore, counts: Mapping[str, int], *, links: bool, reasons: bool) -> str:
    left = [what for what, there in (("parameters of participants' links", links), ("what participants wrote", reasons))
            if not there]  # fmt: skip
    rows = "".join(f"- {count} {name}\n" for name, count in counts.items())
    return (
        f"# Replication package of the study `{store.name}`\n\nMade by pcg {pcg.__version__}, "
        f"{time.strftime('%Y-%m-%d', time.gmtime())}.\n\n{rows}\n"
        f"`data/` has the tables with a codebook, `data/analysis.py` and `data/analysis.R` work out the numbers of "
        f"`report/` again:\n\n    python data/analysis.py --report report\n\nThe whole study, every play among it, is "
        f"loaded with\n\n    pcg study load FILE.zip {store.name}\n    pcg study replay {store.name} --verify\n"
        + (f"\nLeft out: {' and '.join(left)}.\n" if left else "")
    )


def load_study(file: Path | str, folder: Path | str, *, database: str | None = None) -> StudyStore:
    """Make a study of a replication package. It is closed, and has a token of its own.

    Args:
        file: the package.
        folder: to be made; its name is the name of the study.
        database: address of a database to be used instead of one in the folder.

    Raises:
        PcgError: when the file is no package, or what is in it is no study.
    """
    folder = Path(folder)
    if folder.exists() or folder.is_symlink():
        raise PcgError(f"{folder} is there already; name another folder")
    data = _read(Path(file))
    config = read_stored(data["config"])
    # Published data are not subject to retention in a reader's copy.
    config = replace(config, name=folder.name, retention=0)
    chosen = [_item(row) for row in data["items"]]
    store_study(folder, config, chosen, data["texts"], database)
    store = open_study(folder, database)
    try:
        _insert(store, data)
    except (KeyError, TypeError, ValueError, sa.exc.SQLAlchemyError) as error:
        delete_study(store.engine, store.name)
        store.engine.dispose()
        shutil.rmtree(folder, ignore_errors=True)
        raise PcgError(f"{file} is no whole replication package: {type(error).__name__}: {error}") from None
    return StudyStore(store.engine, store.name)


def _read(file: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.getinfo(STUDY).file_size > LARGEST:
                raise PcgError(f"{STUDY} in {file} has more than {LARGEST} bytes")
            data = json.loads(archive.read(STUDY))
    except OSError as error:
        raise PcgError(f"cannot read {file}: {error.strerror}") from None
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise PcgError(f"{file} is no replication package: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PcgError(f"{file} has another format than {FORMAT}: it was made by another version")
    return data


def _item(row: Mapping[str, Any]) -> StudyItem:
    return StudyItem(
        row["name"], row["group"], row["game"], row["digest"], row["rules"], row["level"], row["reading"],
        json.loads(row["about"]), json.loads(row["features"]), row["check"],
    )  # fmt: skip


def _insert(store: StudyStore, data: Mapping[str, Any]) -> None:
    """Insert the rows into the database with new ids and cookies, and the same references to each other."""
    item = {row["id"]: mine.id for row, mine in zip(data["items"], store.items, strict=True)}
    numbers: dict[str, dict[Any, Any]] = {"pairs": {}}
    with store.engine.begin() as db:
        known = set(db.scalars(sa.select(participants.c.id)))
        who = {
            row["id"]: row["id"] if row["id"] not in known else secrets.token_hex(16) for row in data["participants"]
        }
        joined = max((row["number"] for row in data["participants"]), default=-1) + 1
        values = {"state": "closed", "created": data["created"], "joined": joined}
        db.execute(sa.update(studies).where(studies.c.id == store.id).values(**values))
        for row in data["consents"]:
            db.execute(sa.insert(consents).values(**_without_id(row), study_id=store.id))
        for row in data["participants"]:
            token = digest(secrets.token_urlsafe(32))  # nobody's cookie
            made = {**row, "id": who[row["id"]], "study_id": store.id, "token": token}
            db.execute(sa.insert(participants).values(**made))
        for row in data["answers"]:
            db.execute(sa.insert(answers).values(**_without_id(row) | {"participant_id": who[row["participant_id"]]}))
        for row in data["pairs"]:
            made = {**_without_id(row), "participant_id": who[row["participant_id"]]}
            made |= {f"{side}_id": item[row[f"{side}_id"]] for side in SIDES if row.get(f"{side}_id") is not None}
            numbers["pairs"][row["id"]] = inserted_id(db.execute(sa.insert(pairs).values(**made)))
        for name, table in (("plays", plays), ("votes", votes)):
            for row in data[name]:
                db.execute(sa.insert(table).values(**_without_id(row) | {"pair_id": numbers["pairs"][row["pair_id"]]}))


def _without_id(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "id"}
