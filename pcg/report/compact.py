"""The same drawing in fewer bytes: what matplotlib writes about every element, said once or not at all.

A heat map of a hundred games and twenty agents has thousands of cells. Coordinates are rounded to hundredths of a
point, lines along an axis are written as such, styles that many elements share become one rule, and groups, names and
rotations by nothing are left out. No element that is seen is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"
_SHARED = 8
"""Elements with one style, from which on it is a rule of its own."""
_DIGITS = 2

_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_STILL = re.compile(r"rotate\(-?0(?: [^)]*)?\)\s*")
_STEP = re.compile(r"([MLQCZz])([^MLQCZz]*)")
_REFERENCE = re.compile(r"#([^)\"'\s]+)")

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _LINK)


def compact(svg: str) -> str:
    """An SVG document of matplotlib's in fewer bytes; equal documents give equal bytes.

    >>> print(compact('<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><path d="M 0 1.23456 L 0 3.0 z"/></g></svg>'))
    <svg xmlns="http://www.w3.org/2000/svg"><path d="M0 1.23V3z" /></svg>
    """
    root = ElementTree.fromstring(svg)
    for about in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(about)
    named = {name for element in root.iter() for value in element.attrib.values() for name in _REFERENCE.findall(value)}
    for element in root.iter():
        _shorten(element, named)
    _flatten(root)
    _share_styles(root)
    return ElementTree.tostring(root, encoding="unicode")


def _shorten(element: ElementTree.Element, named: set[str]) -> None:
    """Round numbers, and leave out what changes nothing."""
    if element.get("id") not in named:
        element.attrib.pop("id", None)
    for key in ("x", "y", "width", "height"):
        if key in element.attrib:
            element.set(key, _LONG.sub(_rounded, element.attrib[key]))
    if "d" in element.attrib:
        element.set("d", _path(element.attrib["d"]))
    if "transform" in element.attrib:
        turned = _STILL.sub("", element.attrib["transform"]).strip()
        if "scale" not in turned and "matrix" not in turned:
            turned = _LONG.sub(_rounded, turned)
        element.set("transform", turned)
        if not turned:
            del element.attrib["transform"]
    for text in ("text", "tail"):
        if not (getattr(element, text) or "").strip():
            setattr(element, text, None)


def _rounded(match: re.Match[str]) -> str:
    return _number(float(match[0]))


def _number(value: float) -> str:
    text = f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _path(data: str) -> str:
    """The data of a path, lines along an axis as `H` and `V`."""
    written: list[str] = []
    at = ("", "")
    for letter, rest in _STEP.findall(data):
        numbers = [_number(float(n)) for n in rest.split()]
        if letter == "L" and len(numbers) == 2 and numbers[0] == at[0]:
            written.append(f"V{numbers[1]}")
        elif letter == "L" and len(numbers) == 2 and numbers[1] == at[1]:
            written.append(f"H{numbers[0]}")
        else:
            written.append(letter + " ".join(numbers))
        at = (numbers[-2], numbers[-1]) if len(numbers) >= 2 else ("", "")
    return "".join(written)


def _flatten(element: ElementTree.Element) -> None:
    """Put what is in groups that say nothing in their place."""
    kept: list[ElementTree.Element] = []
    for child in list(element):
        _flatten(child)
        if child.tag == f"{{{_SVG}}}g" and not child.attrib:
            kept += list(child)
        else:
            kept.append(child)
    element[:] = kept


def _share_styles(root: ElementTree.Element) -> None:
    """Turn styles that many elements have into classes, named by what they say, so that figures cannot mix them up."""
    count = Counter(style for element in root.iter() if (style := element.get("style")) is not None)
    rules = {style: f"f-{hashlib.sha256(style.encode()).hexdigest()[:8]}" for style, n in count.items() if n >= _SHARED}
    if not rules:
        return
    for element in root.iter():
        name = rules.get(element.get("style", ""))
        if name is not None:
            del element.attrib["style"]
            element.set("class", name)
    sheet = ElementTree.Element(f"{{{_SVG}}}style", {"type": "text/css"})
    sheet.text = "".join(f".{name}{{{style}}}" for style, name in sorted(rules.items()))
    root.insert(0, sheet)


__all__ = ["compact"]
