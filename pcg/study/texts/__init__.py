"""Texts of the pages of a study, in several languages.

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

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean, nearest
from pcg.runs.config import read_toml
from pcg.study.config import DEFAULT_QUESTION, StudyConfig
from pcg.study.questionnaire import wordings

BUILT_IN = ("en", "zh")
REFERENCE = "en"
"""The language that says which texts there are."""

WORST = "worst"
"""Name of the question for the worst of four that comes with a wording."""
LARGEST_TEXT = 20_000
"""Characters of one text."""

_PLACEHOLDER = re.compile(r"\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}")
"""`{seconds}`, or a word by that number: `{seconds|second|seconds}`."""


@cache
def built_in(code: str) -> Mapping[str, str]:
    """The texts of a language that comes along, by name."""
    path = resources.files("pcg.study.texts") / f"{code}.toml"
    return {name: str(text).strip() for name, text in read_toml(Path(str(path))).items()}


@cache
def of_pictures(code: str) -> Mapping[str, str]:
    """The texts of a language that are others where levels are looked at and not played, by name."""
    return _section("pictures.toml", code)


def of_sets(code: str, config: StudyConfig) -> dict[str, str]:
    """The texts of a language that are others, or more, where sets of four are shown, by name."""
    if config.size == 2:
        return {}
    texts = {**_section("sets.toml", code), **(_section("sets.toml", f"{code}-pictures") if config.pictures else {})}
    return {name: text for name, text in texts.items() if name != WORST or config.worst == WORST}


@cache
def of_demographics(code: str) -> Mapping[str, str]:
    """The wordings of the usual questions about participants in a language, by name."""
    return _section("demographics.toml", code)


def _section(file: str, code: str) -> dict[str, str]:
    path = resources.files("pcg.study.texts") / file
    return {name: str(text).strip() for name, text in read_toml(Path(str(path))).get(code, {}).items()}


def study_texts(
    config: StudyConfig, given: Mapping[str, Mapping[str, str]] | None = None, *, strict: bool = True
) -> dict[str, dict[str, str]]:
    """All texts of a study by language: those that come along, and what the study says otherwise or besides.

    Args:
        config: of the study.
        given: what is said by the files of its languages, by code.
        strict: complain; without it what a language lacks is said in English, as in a study of an older version.

    Raises:
        PcgError: for a language that is not there or not complete, for texts that no page shows, and for questions and
            scales without a wording.

    >>> texts = study_texts(StudyConfig("dungeons", texts={"en": {"title": "Two dungeons"}}))
    >>> list(texts), texts["en"]["title"], texts["zh"]["both"]
    (['en', 'zh'], 'Two dungeons', '两个一样喜欢')
    """
    reference = {**built_in(REFERENCE), **of_sets(REFERENCE, config)}
    found: dict[str, dict[str, str]] = {}
    for code in config.language_codes:
        own = {**(given or {}).get(code, {}), **config.texts.get(code, {})}
        own = {key: text.strip() for key, text in own.items()}
        texts = {
            **(built_in(code) if code in BUILT_IN else {}),
            **(of_pictures(code) if config.pictures else {}),
            **of_sets(code, config),
            **(of_demographics(code) if config.demographics else {}),
            **own,
        }
        if strict:
            _check(code, texts, config)
        found[code] = {**reference, **(of_demographics(REFERENCE) if config.demographics else {}), **texts}
    return found


def consent_of(config: StudyConfig, words: Mapping[str, str]) -> str:
    """Return the text that participants agree to: the general one, and what the section [consent] adds.

    Args:
        config: of the study.
        words: texts of a language.

    >>> study = StudyConfig("s", institution="the University of Games", retention=90)
    >>> text = consent_of(study, study_texts(study)["en"])
    >>> text.split(chr(10))[0], "90 days" in text
    ('This study is carried out by the University of Games.', True)
    """
    given = {"institution": config.institution, "purpose": config.purpose, "payment": config.payment,
             "ethics": config.ethics, "contact": config.contact,
             "retention": str(config.retention or "")}  # fmt: skip
    before = [fill(words[f"consent_{name}"], **{name: given[name]}) for name in ("institution", "purpose")
              if given[name] or "{" not in words[f"consent_{name}"]]  # fmt: skip
    after = [fill(words[f"consent_{name}"], days=config.retention, **{name: given[name]})
             for name in ("payment", "ethics", "contact", "retention")
             if given[name] or (name == "payment" and "{" not in words["consent_payment"])]  # fmt: skip
    return "\n\n".join([*before, words["consent"], *after])


def fill(text: str, **values: object) -> str:
    """A text with its {placeholders} filled in; braces that name nothing stay.

    >>> fill("Pair {position} of {total} {sic}", position=1, total=6)
    'Pair 1 of 6 {sic}'
    >>> fill("{n} {n|pair|pairs}", n=1), fill("{n} {n|pair|pairs}", n=2)
    ('1 pair', '2 pairs')
    """

    def filled(found: re.Match[str]) -> str:
        if found[1] not in values:
            return found[0]
        value = str(values[found[1]])
        return value if found[2] is None else found[2] if value == "1" else found[3]

    return _PLACEHOLDER.sub(filled, text)


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


def _check(code: str, texts: Mapping[str, str], config: StudyConfig) -> None:
    """Raises PcgError unless a language says all there is to say, nothing else, and with the same placeholders."""
    reference = {**built_in(REFERENCE), **of_sets(REFERENCE, config)}
    source = f"language `{code}`"
    missing = [key for key in reference if not texts.get(key) and reference[key]]
    if len(missing) == sum(map(bool, reference.values())):
        near = nearest(code, BUILT_IN)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(BUILT_IN)}"
        raise PcgError(f"{source}: nothing is said in it ({hint}; others by file, as in texts/de.toml)")
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise PcgError(f"{source} has no text for {', '.join(missing[:5])}{more}")
    asked = [*(q.name for q in config.questions), *(s.name for s in config.scales)]
    ends = {f"{s.name}_{end}" for s in config.scales for end in ("low", "high")}
    needed, allowed = wordings(config.asks)
    known = {*reference, *asked, *ends, *needed, *allowed}
    for key, text in texts.items():
        if key not in known:
            hint = did_you_mean(key, known)
            raise PcgError(f"{source}: nothing on the pages is called `{key}`{hint}")
        _check_text(key, text, reference.get(key, ""), source)
    for name in (*asked, *needed):
        if name in reference and name not in (DEFAULT_QUESTION, WORST):
            raise PcgError(f"a question or scale cannot be called `{name}`: the pages have a text of that name")
        if not texts.get(name):
            raise PcgError(f"{source} has no wording for `{name}`, which is asked (section [texts.{code}])")


def _check_text(key: str, text: str, reference: str, source: str) -> None:
    if len(text) > LARGEST_TEXT:
        raise PcgError(f"{source}: `{key}` has {len(text)} characters, expected at most {LARGEST_TEXT}")
    known = {found[1] for found in _PLACEHOLDER.finditer(reference)}
    for name in (found[1] for found in _PLACEHOLDER.finditer(text)):
        if name not in known:
            told = ", ".join(f"{{{k}}}" for k in sorted(known)) or "none"
            raise PcgError(f"{source}: `{key}` has the placeholder {{{name}}}, expected {told}")
