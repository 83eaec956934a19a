"""Recruitment panels: the ids in their links, return addresses, and a completion code for each kind of end.

A participation ends by one of `ENDS`. Each end has a completion code and an address to return to of its own, so that a
panel can tell (and pay) who finished, who declined, who was screened out, and who failed checks. Presets know the
parameters that a panel puts into the link:

    prolific        PROLIFIC_PID, STUDY_ID, SESSION_ID; returns with a completion code in the address
    cloudresearch   participantId, assignmentId, projectId; addresses to return to are shown with the project
    sona            survey_code (put `?survey_code=%SURVEY_CODE%` behind the study's address); the address to return to
                    is the "client-side completion URL", whose XXXX is filled in
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.study.config import StudyConfig

FINISHED, DECLINED, SCREENED, FAILED, EXPIRED = "finished", "declined", "screened", "failed", "expired"
ENDS = (FINISHED, DECLINED, SCREENED, FAILED, EXPIRED)
"""Ways in which a participation ends: `screened` by answers or a full quota, `expired` by coming back too late."""

LONGEST_KEPT = 200
"""Characters of a parameter of the link that is kept."""
KINDS = ("phone", "tablet", "computer")
"""Kinds of devices that are told apart."""
NOT_FILLED_IN = re.compile(r"\{\{.*\}\}|\$\{.*\}|%\w+%")
"""A placeholder of a panel in a link that was not opened from it."""

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters of a participant's own code, without those that are easily confused."""

PLATFORMS: Mapping[str, Mapping[str, str]] = {
    "": {},
    "prolific": {
        "keep": "PROLIFIC_PID, STUDY_ID, SESSION_ID",
        "identity": "PROLIFIC_PID",
        "redirect": "https://app.prolific.com/submissions/complete?cc={code}",
    },
    "cloudresearch": {"keep": "participantId, assignmentId, projectId", "identity": "participantId"},
    # Codes of SONA are short numbers: whoever tries some would come to other people's data.
    "sona": {"keep": "survey_code", "identity": "survey_code", "again": "refuse"},
}
"""Panel -> default settings of the section [access]."""

LINKS: Mapping[str, str] = {
    "prolific": "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "cloudresearch": "",
    "sona": "?survey_code=%SURVEY_CODE%",
}
"""Panel -> the part of the study's address that it fills in with IDs; CloudResearch Connect puts them there itself."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit on the participants of one kind.

    Attributes:
        of: what tells kinds apart: a question that is asked before, a kept parameter, `device` or `language`.
        value: the answer, or the parameter's value.
        most: participants who come to the end.
    """

    of: str
    value: str
    most: int

    def __post_init__(self) -> None:
        if not self.of or not self.value:
            raise PcgError("a section [[quota]] needs `of` and `value`")
        if self.most < 0:
            raise PcgError(f"quota {self.of} = {self.value}: most = {self.most}, expected 0 or more")


def with_preset(access: Mapping[str, object], platform: object) -> dict[str, object]:
    """Return settings of the section [access], completed with the defaults of a panel.

    >>> with_preset({}, "sona")
    {'keep': 'survey_code', 'identity': 'survey_code', 'again': 'refuse'}
    """
    preset = PLATFORMS.get(platform, {}) if isinstance(platform, str) else {}
    found: dict[str, object] = {**preset, **access}
    if platform == "sona" and isinstance(found.get("redirect"), str):
        found["redirect"] = re.sub(r"(survey_code=)X+(?=&|$)", r"\1{survey_code}", str(found["redirect"]))
    return found


def kept_of(config: StudyConfig, given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a link that are kept, cut to length, without anything that is not printed.

    Placeholders that a panel has not filled in say nothing of anybody and are left out.

    Args:
        config: of the study.
        given: parameters of the link.

    >>> from pcg.study.config import StudyConfig
    >>> kept_of(StudyConfig("s"), {"PROLIFIC_PID": "a1", "STUDY_ID": "{{%STUDY_ID%}}", "other": "1"})
    {'PROLIFIC_PID': 'a1'}
    """
    found = {}
    for name in config.kept_parameters:
        value = "".join(char for char in given.get(name, "") if char.isprintable()).strip()[:LONGEST_KEPT]
        if value and not NOT_FILLED_IN.fullmatch(value):
            found[name] = value
    return found


def lacks_identity(config: StudyConfig, kept: Mapping[str, str]) -> bool:
    """Return True for a link of a panel's study that does not say who comes: the panel could credit nobody.

    Args:
        config: of the study.
        kept: parameters of the link.
    """
    return bool(config.platform and config.identity) and not config.identity_in(kept)


def own_code(key: str, participant: str) -> str:
    """Return the eight letters of a participant's own code, which do not reveal the participant's id.

    Args:
        key: of the study's server.
        participant: id.
    """
    number = int.from_bytes(hmac.new(key.encode(), f"code {participant}".encode(), hashlib.sha256).digest()[:5], "big")
    return "".join(LETTERS[(number >> 5 * place) & 31] for place in range(8))


def code_of(config: StudyConfig, end: str, key: str = "", participant: str = "") -> str:
    """Return the completion code of an end; "" for none.

    Args:
        config: of the study.
        end: one of `ENDS`.
        key: of the study's server.
        participant: id; empty before there is one, whose codes have no letters of their own.
    """
    code = {FINISHED: config.code, DECLINED: config.declined_code, SCREENED: config.screened_code,
            FAILED: config.failed_code, EXPIRED: config.expired_code}[end]  # fmt: skip
    return code.replace("{own}", own_code(key, participant) if participant else "").strip("-_ ")


def return_link(config: StudyConfig, external: Mapping[str, str], end: str = FINISHED, code: str | None = None) -> str:
    """Return the return address of an end with its placeholders filled in and quoted; "" for none.

    Args:
        config: of the study.
        external: parameters of the link that were kept.
        end: one of `ENDS`; one without an address of its own has that of `redirect` if a code tells them apart.
        code: the completion code; without it that of the end.

    >>> from pcg.study.config import StudyConfig
    >>> study = StudyConfig("s", code="C 1", redirect="https://example.org/done?id={PROLIFIC_PID}&code={code}")
    >>> return_link(study, {"PROLIFIC_PID": "a&b"}), return_link(study, {}, "failed")
    ('https://example.org/done?id=a%26b&code=C%201', '')
    """
    code = code_of(config, end) if code is None else code
    address = {FINISHED: config.redirect, DECLINED: config.declined_redirect, SCREENED: config.screened_redirect,
               FAILED: config.failed_redirect, EXPIRED: ""}[end]  # fmt: skip
    if not address and end != FINISHED and code and "{code}" in config.redirect:
        address = config.redirect
    values = {name: str(external.get(name, "")) for name in config.kept_parameters}
    for name, value in {**values, "code": code}.items():
        address = address.replace(f"{{{name}}}", quote(value, safe=""))  # quoted, so no braces come in
    return address


def check_panel(config: StudyConfig) -> None:
    """Check codes, addresses and quotas of a study.

    Raises:
        PcgError: for addresses that name what is not kept, a panel that lacks its address, and quotas of nothing.
    """
    kept = set(config.kept_parameters)
    for key in ("redirect", "declined_redirect", "screened_redirect", "failed_redirect"):
        address = str(getattr(config, key))
        section = "access" if key == "redirect" else "panel"
        for name in re.findall(r"\{([^{}]*)\}", address):
            if name not in kept and name != "code":
                told = f"{key} names {{{name}}}"
                raise PcgError(f"section [{section}]: {told}, which is not among keep = {config.keep!r}")
        if address and not re.match(r"https?://[^/\s]+", address):
            raise PcgError(f"section [{section}]: {key} = {address!r}, expected an address with http:// or https://")
    if config.platform == "sona" and "{survey_code}" not in config.redirect:
        raise PcgError(
            "section [access]: SONA needs redirect, the study's client-side completion URL, which ends in "
            f"survey_code=XXXX; it is {config.redirect!r}"
        )
    if config.platform == "cloudresearch" and not (config.code or config.redirect):
        raise PcgError(
            "section [access]: CloudResearch needs redirect, the address that Connect shows for the project's end, "
            "or code, its completion code"
        )
    if config.platform == "prolific" and not config.code:
        raise PcgError("section [access]: Prolific needs code, the completion code that it shows with the study")
    before = {ask.name: ask for ask in config.asks if ask.when == "before"}
    told_apart = {"device": KINDS, "language": [PurePath(code).stem for code in config.language_codes]}
    for quota in config.quotas:
        if quota.of in before:
            ask = before[quota.of]
            if ask.choices and quota.value not in ask.choices:
                raise PcgError(f"quota {quota.of}: value = {quota.value!r} (expected {', '.join(ask.choices)})")
        elif quota.of in told_apart and quota.of not in kept:
            if quota.value not in told_apart[quota.of]:
                expected = ", ".join(told_apart[quota.of])
                raise PcgError(f"quota {quota.of}: value = {quota.value!r} (expected {expected})")
        elif quota.of not in kept:
            told = ", ".join([*before, *config.kept_parameters, "device", "language"])
            raise PcgError(f"a section [[quota]] is of {quota.of!r}, expected one of {told}")
