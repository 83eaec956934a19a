"""The languages of descriptions, by their codes."""

from __future__ import annotations

from collections.abc import Mapping

from pcg.describe.chinese import Chinese
from pcg.describe.wording import Language

LANGUAGES: Mapping[str, Language] = {language.code: language for language in (Language(), Chinese())}
"""Code -> language: "en", "zh"."""
