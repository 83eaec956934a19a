"""The base of all pages: the visitor and the language, templates, and error pages."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.panels import FINISHED, code_of, return_link
from pcg.study.rows import Situation
from pcg.study.server.security import OldForm, form_token, read_form
from pcg.study.server.site import Site
from pcg.study.texts import choose_language, fill
from pcg.web.guard import Refused

STATIC = Path(str(resources.files("pcg.study.server"))) / "static"

log = logging.getLogger("pcg.study")


def site_of(connection: HTTPConnection) -> Site:
    """The study that is asked for."""
    found = connection.app.state.site
    assert isinstance(found, Site)
    return found


@dataclass(slots=True)
class Visit:
    """A request: who asks, where they are, and what they read.

    Attributes:
        secret: the participant's cookie, when it is one of ours.
        situation: where the participant is; None for everybody else.
        visitor: the cookie of those who are not participants yet.
        fresh: that cookie is new and must be set.
    """

    request: Request
    site: Site
    secret: str | None
    situation: Situation | None
    visitor: str
    fresh: bool
    language: str

    @classmethod
    async def of(cls, request: Request) -> Visit:
        """Look up who asks.

        Raises:
            Refused: when they ask for too much.
        """
        site = site_of(request)
        secret = site.jar.get(request, site.jar.participant)
        site.gate.request(request, secret)
        situation = await site.situation(secret) if secret is not None else None
        visitor = site.jar.get(request, site.jar.visitor)
        visit = cls(
            request, site, secret if situation else None, situation, visitor or site.jar.new_visitor(),
            visitor is None, "",
        )  # fmt: skip
        visit.language = visit._language()
        return visit

    def _language(self) -> str:
        offered = self.site.texts
        asked = self.request.query_params.get("lang", "")
        if asked in offered:
            return asked
        if self.situation is not None and self.situation.participant.language in offered:
            return self.situation.participant.language
        return choose_language(self.request.headers.get("accept-language", ""), offered)

    @property
    def words(self) -> Mapping[str, str]:
        """The texts of the language."""
        return self.site.texts[self.language]

    @property
    def form_secret(self) -> str:
        """The secret of which the tokens of this visitor's forms are made."""
        return self.secret or self.visitor

    async def form(self) -> dict[str, str]:
        """The fields of a form that one of our pages sent.

        Raises:
            Refused: for anything else.
        """
        return await read_form(self.request, self.secret, None if self.fresh else self.visitor)

    def is_another(self, identity: str) -> bool:
        """Return True if an ID is not that of the participant whose cookie came: two people share this browser."""
        return self.situation is not None and identity not in ("", self.situation.participant.identity)

    def as_visitor(self) -> Visit:
        """Return the visit of somebody who is not the participant whose cookie came."""
        newcomer = replace(self, secret=None, situation=None)
        newcomer.language = newcomer._language()
        return newcomer

    # -- answers -------------------------------------------------------------------------------------------------------

    def page(self, name: str, status: int = 200, **values: Any) -> Response:
        """A page."""
        text = _templates().get_template(f"{name}.html.jinja").render(
            root=self.site.root, words=self.words, say=self.say, language=self.language,
            languages=self.site.languages, token=form_token(self.form_secret), here=self.request.url.path,
            joined=self.situation is not None, study=self.site.config, **values,
        )  # fmt: skip
        response = HTMLResponse(text, status, headers={"cache-control": "no-store", "content-language": self.language})
        if self.fresh and self.secret is None:
            self.site.jar.put(self.request, response, self.site.jar.visitor, self.visitor)
        return response

    def say(self, name: str, **values: object) -> str:
        """A text of the language, filled in."""
        return fill(self.words[name], **values)

    def message(self, title: str, text: str, status: int = 200, **values: object) -> Response:
        """A page that says one thing; names of texts."""
        return self.page("message", status, title=self.words[title], text=self.say(text, **values))

    def ending(
        self, said: str, end: str, kept: Mapping[str, str], status: int = 200, *, who: str = "", **values: object
    ) -> Response:
        """Return a page at an end of a participation, with the panel's completion code and the way back to it.

        Args:
            said: name of the text, whose heading ends in `_title`.
            end: one of `pcg.study.panels.ENDS`.
            kept: parameters of the link.
            status: of the answer.
            who: id of the participant; empty where there is none.
            values: for the text.
        """
        config = self.site.config
        code = code_of(config, end, self.site.store.key, who)
        return self.page(
            "thanks", status, title=self.words[f"{said}_title"], text=self.say(said, **values), code=code,
            link=return_link(config, kept, end, code), finished=end == FINISHED,
        )  # fmt: skip

    def go(self, path: str) -> Response:
        """On to another page of the study."""
        return RedirectResponse(f"{self.site.root}{path}", 303, headers={"cache-control": "no-store"})


def paragraphs(text: str) -> Markup:
    """A text with its empty lines as paragraphs, everything in it escaped."""
    parts = [part.strip() for part in text.split("\n\n") if part.strip()]
    return Markup("\n").join(
        Markup("<p>{}</p>").format(Markup("<br>").join(escape(part).split("\n"))) for part in parts
    )


def code(text: str) -> Markup:
    """A text whose parts in backticks are code, everything in it escaped.

    >>> str(code("see `a<b`"))
    'see <code>a&lt;b</code>'
    """
    parts = [
        Markup("<code>{}</code>").format(part) if k % 2 else escape(part) for k, part in enumerate(text.split("`"))
    ]
    return Markup("").join(parts)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pcg.study.server", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["paragraphs"] = paragraphs
    environment.filters["code"] = code
    return environment


def render(name: str, **values: Any) -> str:
    """The text of a page that is not a participant's."""
    return _templates().get_template(f"{name}.html.jinja").render(**values)


# -- errors ------------------------------------------------------------------------------------------------------------

_SAID = {403: "error_old_page", 404: "error_missing", 405: "error_missing", 429: "error_busy", 500: "error_server"}


async def on_error(request: Request, error: Exception) -> Response:
    """A page, in words that a participant understands; JSON where a script asked."""
    status, message = 400, str(error)
    if isinstance(error, HTTPException):
        status, message = error.status_code, error.detail
    elif isinstance(error, Refused):
        status = error.status
    elif not isinstance(error, PcgError):
        status, message = 500, "something went wrong"
    site = site_of(request)
    headers = {"cache-control": "no-store"}
    if status == 429:
        headers["retry-after"] = "5"
    if request.url.path.startswith(f"{site.root}/researcher/") or "application/json" in request.headers.get(
        "accept", ""
    ):
        return JSONResponse({"error": message}, status, headers=headers)
    asked = request.query_params.get("lang", "")
    code = asked if asked in site.texts else choose_language(request.headers.get("accept-language", ""), site.texts)
    words = site.texts[code]
    said = "error_old_page" if isinstance(error, OldForm) else _SAID.get(status, "error_request")
    text = render(
        "message", root=site.root, words=words, say=lambda name, **values: fill(words[name], **values), language=code,
        languages={}, token="", here="", joined=False, study=site.config, title=words["error_title"],
        text=words[said], again=True,
    )  # fmt: skip
    return HTMLResponse(text, status, headers=headers)


ERRORS: dict[Any, Any] = {PcgError: on_error, HTTPException: on_error, 500: on_error}
"""Exception handlers for a starlette application."""
