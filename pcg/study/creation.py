"""Creation of a study from a configuration and sources of items: a folder with a database, or nothing if it fails.

Everything is read and checked before anything is written. The folder is filled under another name and renamed at the
end; rows that were put into a database elsewhere are taken out again when something fails after that.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.runs.config import read_toml
from pcg.study.admission import admit, code_of
from pcg.study.config import StudyConfig
from pcg.study.database import create_study, default_url, delete_study, study_names
from pcg.study.folders import ADDRESS, CONFIG, DATABASE, TOKEN, open_database, write_secret
from pcg.study.items import Source, gather, sources_of
from pcg.study.rows import StudyItem
from pcg.study.texts import study_texts


@dataclass(frozen=True)
class Made:
    """A study that was made."""

    folder: Path
    config: StudyConfig
    items: Sequence[StudyItem] = field(repr=False)
    token: str = field(repr=False)
    notes: Sequence[str] = ()


def read_plan(
    name: str, config: Path | None = None, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[StudyConfig, list[Source], dict[str, dict[str, str]]]:
    """Read the plan of a study: configuration, sources of its `[[item]]` sections, and texts of its language files.

    Args:
        name: of the study, whatever the file says.
        config: configuration file; without it everything is as by default.
        settings: section -> key -> value, instead of the file's.

    Raises:
        PcgError: for anything unknown or out of range.
    """
    data: dict[str, Any] = read_toml(config) if config is not None else {}
    base = config.parent if config is not None else Path()
    told = str(config) if config is not None else "the study"
    for section, values in {"study": {}, **(settings or {})}.items():
        given = data.setdefault(section, {})
        if not isinstance(given, dict):
            raise PcgError(f"{told}: `{section}` is {given!r}, expected a section [{section}]")
        given.update(values)
    data["study"]["name"] = name
    wanted = StudyConfig.from_mapping(data, told)
    texts = _language_files(wanted, base)
    codes = [code_of(language) for language in wanted.language_codes]
    for code in codes:
        if codes.count(code) > 1:
            raise PcgError(f"{told}: the language `{code}` is named twice")
    for code in wanted.texts:
        if code not in codes:
            near = nearest(code, codes)
            hint = f", did you mean [texts.{near}]?" if near else f" (its languages are {', '.join(codes)})"
            raise PcgError(f"{told}: section [texts.{code}] is of no language of the study{hint}")
    for code, words in wanted.texts.items():
        texts.setdefault(code, {}).update(words)
    wanted = dataclasses.replace(wanted, languages=", ".join(codes))
    study_texts(wanted, texts)  # complains about what is not said in all languages
    return wanted, sources_of(data, told, base), texts


def _language_files(config: StudyConfig, base: Path) -> dict[str, dict[str, str]]:
    """The texts of the languages that are given by a file."""
    found = {}
    for language in config.language_codes:
        if not language.endswith(".toml"):
            continue
        words = read_toml(base / language)
        for key, value in words.items():
            if not isinstance(value, str):
                raise PcgError(f"{base / language}: `{key}` is {value!r}, expected a text")
        found[code_of(language)] = dict(words)
    return found


def make_study(
    folder: Path | str,
    config: StudyConfig,
    sources: Sequence[Source],
    *,
    texts: Mapping[str, Mapping[str, str]] | None = None,
    database: str | None = None,
    group_by: str = "",
    auto_checks: int = 0,
    measure: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Made:
    """Make a study.

    Args:
        folder: to be made; what is in it is described in `pcg.study.folders`.
        config: what it is.
        sources: what is judged.
        texts: what pages say, by language, beside the texts that come along.
        database: address of a database to be used instead of one in the folder.
        group_by: see `admit`.
        auto_checks: see `admit`.
        measure: see `admit`.
        progress: see `admit`.

    Raises:
        PcgError: for anything wrong, before anything is written.
    """
    folder = Path(folder)
    if folder.exists() or folder.is_symlink():
        raise PcgError(f"{folder} is there already; name another folder, or `pcg study delete` that study")
    if not sources:
        raise PcgError("the study has no items: name them with --items, or in [[item]] sections of its file")
    admitted = admit(
        gather(sources), config, group_by=group_by, auto_checks=auto_checks, measure=measure, progress=progress
    )
    token = store_study(folder, config, admitted.items, texts or {}, database)
    return Made(folder, config, admitted.items, token, admitted.notes)


def store_study(
    folder: Path,
    config: StudyConfig,
    items: Sequence[StudyItem],
    texts: Mapping[str, Mapping[str, str]],
    database: str | None = None,
) -> str:
    """Write the folder and the database of a study of checked items; return the researcher's token.

    Args:
        folder: to be made.
        config: of the study.
        items: what is judged.
        texts: what pages say, by language, beside the texts that come along.
        database: address of a database to be used instead of one in the folder.

    Raises:
        PcgError: when it cannot be written.
    """
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        return _store(draft, folder, config, items, texts, database)
    except OSError as error:
        raise PcgError(f"cannot write the study to {folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _store(
    draft: Path, folder: Path, config: StudyConfig, items: Sequence[StudyItem], texts: Mapping[str, Mapping[str, str]],
    database: str | None,
) -> str:  # fmt: skip
    """Fill the folder under a temporary name, then rename it; return the researcher's token."""
    (draft / CONFIG).write_text(config.to_toml(), encoding="utf-8", newline="\n")
    engine = open_database(default_url(draft) if database is None else database, new=True)
    try:
        if database is not None:
            write_secret(draft / ADDRESS, _absolute(database))
            if config.name in study_names(engine):
                raise PcgError(f"there is a study `{config.name}` in this database already")
        token = create_study(engine, config, items, texts)
        try:
            write_secret(draft / TOKEN, token)
            engine.dispose()
            if database is None:
                os.chmod(draft / DATABASE, 0o600)
            draft.rename(folder)
        except BaseException:
            if database is not None:
                delete_study(engine, config.name)
            raise
    finally:
        engine.dispose()
    return token


def _absolute(database: str) -> str:
    """The address of a database, the path of a file from the root on: it is read from anywhere."""
    return database if "://" in database else str(Path(database).resolve())
