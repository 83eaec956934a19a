"""Templates of pages, also of those that are written to files without a server."""

from __future__ import annotations

from functools import cache

import jinja2


@cache
def _templates(package: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in dict.fromkeys((package, "pcg.web"))]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def template(name: str, package: str = "pcg.web") -> jinja2.Template:
    """Return a page's template, of a package or of all pages."""
    return _templates(package).get_template(f"{name}.html.jinja")
