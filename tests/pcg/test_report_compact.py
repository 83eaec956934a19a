"""Drawings in fewer bytes: nothing that is seen is lost, and large heat maps stay small."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from pcg.evaluators.tournament.ranking import Place, Standing, Standings, Tally
from pcg.report.compact import compact
from pcg.report.drawing import drawn
from pcg.report.tournament_figures import heat_map

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def test_numbers_are_rounded_and_lines_along_an_axis_are_written_as_such() -> None:
    assert compact(
        f'{HEAD}<path d="M 10.126 20 \nL 10.1301 30 \nL 5 30 \nC 1 2 3 4 5.55555 -6 \nL 5.56 7 \nz\n"/></svg>'
    ) == ('<svg xmlns="http://www.w3.org/2000/svg"><path d="M10.13 20V30H5C1 2 3 4 5.56 -6V7z" /></svg>')


def test_names_that_are_used_and_turns_that_turn_stay() -> None:
    svg = compact(
        f'{HEAD}<defs><path id="m" d="M 0 0"/></defs><g id="a"><g id="b"><use xlink:href="#m" x="1.23456"/></g></g>'
        '<g clip-path="url(#c)"/><clipPath id="c"/><text transform="rotate(-0 1 2)">a</text>'
        '<text transform="translate(1.2345 2) rotate(-40)">b</text></svg>'
    )
    assert 'id="m"' in svg and 'id="c"' in svg and 'x="1.23"' in svg and "<g />" not in svg
    assert 'id="a"' not in svg and 'id="b"' not in svg
    assert ">a<" in svg and "rotate(-0" not in svg and 'transform="translate(1.23 2) rotate(-40)"' in svg


def test_shared_styles_become_one_rule_and_say_the_same() -> None:
    styles = ["fill: red"] * 9 + ["fill: blue"] * 2
    svg = compact(HEAD + "".join(f'<path d="M 0 {k}" style="{s}"/>' for k, s in enumerate(styles)) + "</svg>")
    assert svg.count("fill: red") == 1 and svg.count('style="fill: blue"') == 2
    rules = dict(re.findall(r"\.(f-\w+)\{([^}]*)\}", svg))
    shown = [
        element.get("style") or rules[element.attrib["class"]]
        for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    ]
    assert shown == styles


def test_names_of_users_come_through_as_they_are() -> None:
    name = '<b> & "it\'s" 0.123456 é'
    svg = drawn(lambda figure: figure.subplots().set_title(name), (2, 1), name)
    assert name in [element.text for element in ElementTree.fromstring(svg).iter()]


@pytest.mark.full
def test_a_map_of_a_large_tournament_is_small_and_says_every_number() -> None:
    agents = [f"agent{k}" for k in range(23)]
    games = {
        f"game{g}": tuple(Place(a, 1, Fraction(1), Tally(9, (g * 5 + k) % 10)) for k, a in enumerate(agents))
        for g in range(122)
    }
    overall = tuple(Standing(a, 1, Fraction(1), (), Tally(9, 5), None, 0) for a in agents)
    svg = heat_map(Standings(overall, games), standalone=True)
    assert len(svg) < 300_000  # some 100 bytes for a cell
    texts = [e.text for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 122 * 23 + 122 + 23
    for g in (0, 60, 121):
        row = [f"{100 * p.tally.rate:.0f}" for p in games[f"game{g}"]]
        assert texts.count(f"game{g}") == 1 and all(number in texts for number in row)
    shapes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    boxes = [s.attrib["d"] for s in shapes if s.attrib["d"].count("z") > 100]
    assert len(boxes) == 10 and sum(path.count("M") for path in boxes) == 122 * 23
