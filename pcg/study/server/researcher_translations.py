"""Translations of the researcher's page: its templates are in English, and a table has other languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from starlette.requests import Request

from pcg.runs.config import read_toml
from pcg.study.texts import choose_language

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
"""Code -> name."""
_NUMBER = re.compile(r"\d+")


@cache
def translations(code: str) -> Mapping[str, str]:
    """Return English text -> text of a language."""
    path = resources.files("pcg.study.texts") / "researcher.toml"
    return {str(english): str(text) for english, text in read_toml(Path(str(path))).get(code, {}).items()}


def language_of(request: Request) -> str:
    """Return the language that the link asks for (`?lang=zh`), else the one that the browser likes best."""
    asked = request.query_params.get("lang", "")
    return asked if asked in LANGUAGES else choose_language(request.headers.get("accept-language", ""), LANGUAGES)


def translator(code: str) -> Callable[[str], str]:
    """Return the translator of English texts into a language; texts without a translation stay English.

    A text of the table stands for other numbers too where it has `{}` in their place.

    >>> translator("zh")("Votes"), translator("en")("Votes"), translator("zh")("judged 3 of 12")
    ('选择', 'Votes', '已评 3 / 12')
    """
    table = translations(code)

    def translate(text: str) -> str:
        found = table.get(_NUMBER.sub("{}", text))
        return table.get(text, text if found is None else found.format(*_NUMBER.findall(text)))

    return translate
