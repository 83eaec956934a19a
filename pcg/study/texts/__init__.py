"""What the pages of a study say, in several languages.

A language is a TOML file of texts by name: `en.toml` and `zh.toml` lie here, others are files of their own, named in
the study's `languages` (`texts/de.toml` is the language `de`). A file must say everything that `en.toml` says and keep
its {placeholders}, so that no page of a study is half in one language and half in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.runs.config import read_toml
from pcg.study.config import DEFAULT_QUESTION, StudyConfig

BUILT_IN = ("en", "zh")
REFERENCE = "en"
"""The language that says which texts there are."""

LARGEST_TEXT = 20_000
"""Characters of one text."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")


@cache
def built_in(code: str) -> Mapping[str, str]:
    """The texts of a language that comes along, by name."""
    path = resources.files("pcg.study.texts") / f"{code}.toml"
    return {name: str(text).strip() for name, text in read_toml(Path(str(path))).items()}


def study_texts(config: StudyConfig, folder: Path | str = ".") -> dict[str, dict[str, str]]:
    """All texts of a study by language: those that come along or lie in files, and what the study says otherwise.

    Args:
        config: of the study.
        folder: where the paths of language files begin.

    Raises:
        PcgError: for a language that is not there or not complete, and for questions and scales without a wording.

    >>> texts = study_texts(StudyConfig("dungeons", texts={"en": {"title": "Two dungeons"}}))
    >>> list(texts), texts["en"]["title"], texts["zh"]["both"]
    (['en', 'zh'], 'Two dungeons', '两个一样喜欢')
    """
    found: dict[str, dict[str, str]] = {}
    for name in config.language_codes:
        code, texts, source = _language(name, Path(folder))
        if code in found:
            raise PcgError(f"section [study]: languages names `{code}` twice")
        _check_language(texts, source)
        own = {key: text.strip() for key, text in config.texts.get(code, {}).items()}
        _check_own(own, texts, config, f"section [texts.{code}]")
        found[code] = {**texts, **own}
    for code in config.texts:
        if code not in found:
            raise PcgError(f"there is a section [texts.{code}], but `{code}` is none of the languages {', '.join(found)}")
    return found


def complete(stored: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The stored texts of a study, with what later versions say beside them; English where a language has nothing."""
    reference = built_in(REFERENCE)
    own = {code: built_in(code) if code in BUILT_IN else {} for code in stored}
    return {code: {**reference, **own[code], **texts} for code, texts in stored.items()}


def fill(text: str, **values: object) -> str:
    """A text with its {placeholders} filled in; braces that name nothing stay.

    >>> fill("Pair {position} of {total} {sic}", position=1, total=6)
    'Pair 1 of 6 {sic}'
    """
    return _PLACEHOLDER.sub(lambda m: str(values[m[1]]) if m[1] in values else m[0], text)


def choose_language(wanted: str, offered: Iterable[str]) -> str:
    """The offered language that an `Accept-Language` header likes best; the first one when it names none of them.

    >>> choose_language("fr, zh-CN;q=0.8, en;q=0.5", ["en", "zh"])
    'zh'
    """
    offers = list(offered)
    ranked: list[tuple[float, int, str]] = []
    for place, part in enumerate(wanted[:1000].split(",")):
        tag, _, rest = part.strip().partition(";")
        quality = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", rest)
        ranked.append((-(float(quality[1]) if quality else 1.0 if not rest else 0.0), place, tag.lower()))
    for minus, _, tag in sorted(ranked):
        if not minus:
            break
        for offer in offers:
            low = offer.lower()
            if tag == low or tag.split("-")[0] == low.split("-")[0]:
                return offer
    return offers[0]


def _language(name: str, folder: Path) -> tuple[str, dict[str, str], str]:
    """Code, texts and source of a language as it is named in a configuration."""
    if name in BUILT_IN:
        return name, dict(built_in(name)), name
    path = folder / name
    if path.suffix != ".toml":
        near = nearest(name, BUILT_IN)
        hint = f", did you mean `{near}`?" if near else f" (there are {', '.join(BUILT_IN)}; others by file, as in texts/de.toml)"
        raise PcgError(f"section [study]: there is no language `{name}`{hint}")
    if not _CODE.fullmatch(path.stem):
        raise PcgError(f"{path}: the file of a language is named by its code, as in de.toml or pt-BR.toml")
    data = read_toml(path)
    for key, text in data.items():
        if not isinstance(text, str):
            raise PcgError(f"{path}: `{key}` is {text!r}, expected a text")
    return path.stem, {key: text.strip() for key, text in data.items()}, str(path)


def _check_language(texts: Mapping[str, str], source: str) -> None:
    """Raises PcgError unless a language says all there is to say, with the same placeholders as the reference."""
    reference = built_in(REFERENCE)
    missing = [key for key in reference if not texts.get(key)]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise PcgError(f"{source}: the language has no text for {', '.join(missing[:5])}{more}")
    for key, text in texts.items():
        if key not in reference:
            near = nearest(key, reference)
            hint = f", did you mean `{near}`?" if near else ""
            raise PcgError(f"{source}: nothing on the pages is called `{key}`{hint}")
        _check_text(key, text, reference[key], source)


def _check_text(key: str, text: str, reference: str, source: str) -> None:
    if len(text) > LARGEST_TEXT:
        raise PcgError(f"{source}: `{key}` has {len(text)} characters, expected at most {LARGEST_TEXT}")
    known = set(_PLACEHOLDER.findall(reference))
    for name in _PLACEHOLDER.findall(text):
        if name not in known:
            told = ", ".join(f"{{{k}}}" for k in sorted(known)) or "none"
            raise PcgError(f"{source}: `{key}` has the placeholder {{{name}}}, expected {told}")


def _check_own(own: Mapping[str, str], texts: Mapping[str, str], config: StudyConfig, source: str) -> None:
    """Raises PcgError for texts of a study that no page shows, and for questions and scales without any."""
    asked = [*(q.name for q in config.questions), *(s.name for s in config.scales)]
    ends = {f"{s.name}_{end}" for s in config.scales for end in ("low", "high")}
    known = {*texts, *asked, *ends}
    for key, text in own.items():
        if key not in known:
            near = nearest(key, known)
            hint = f", did you mean `{near}`?" if near else ""
            raise PcgError(f"{source}: nothing on the pages is called `{key}`{hint}")
        _check_text(key, text, texts.get(key, ""), source)
    for name in asked:
        if name in built_in(REFERENCE) and name != DEFAULT_QUESTION:
            raise PcgError(f"a question or scale cannot be called `{name}`: the pages have a text of that name")
        if not own.get(name) and name not in texts:
            raise PcgError(f"{source} has no wording for `{name}`, which is asked")
