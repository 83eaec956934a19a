"""Figures as SVG: names of users as they are, colours of the page, and every number of a large map."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from pcg.evaluators.tournament.ranking import Place, Standing, Standings, Tally
from pcg.report.figures import draw_svg
from pcg.report.figures.tournament import heat_map


def test_names_of_users_come_through_as_they_are() -> None:
    name = '<b> & "it\'s" 0.123456 é'
    svg = draw_svg(lambda figure: figure.subplots().set_title(name), (2, 1), name)
    assert name in [element.text for element in ElementTree.fromstring(svg).iter()]


def test_figures_of_one_page_have_no_names_in_common_and_take_its_colours() -> None:
    figures = [draw_svg(lambda figure, k=k: figure.subplots().plot([0, k], [k, 0]), (2, 1), "") for k in (1, 2)]
    names = [{e.get("id") for e in ElementTree.fromstring(svg).iter() if e.get("id")} for svg in figures]
    # what is named by its content may be there twice: it is the same thing
    shapes = [{e.get("id"): ElementTree.tostring(e) for e in ElementTree.fromstring(svg).iter() if e.get("id")}
              for svg in figures]  # fmt: skip
    assert all(shapes[0][name] == shapes[1][name] for name in names[0] & names[1])
    assert all("currentColor" in svg and "#010101" not in svg and "var(--line" in svg for svg in figures)


@pytest.mark.full
def test_a_map_of_a_large_tournament_says_every_number() -> None:
    agents = [f"agent{k}" for k in range(23)]
    games = {
        f"game{g}": tuple(Place(a, 1, Fraction(1), Tally(9, (g * 5 + k) % 10)) for k, a in enumerate(agents))
        for g in range(122)
    }
    overall = tuple(Standing(a, 1, Fraction(1), (), Tally(9, 5), None, 0) for a in agents)
    svg = heat_map(Standings(overall, games), standalone=True)
    assert len(svg) < 1_200_000  # some 400 bytes for a cell
    texts = [e.text for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 122 * 23 + 122 + 23
    for g in (0, 60, 121):
        row = [f"{100 * p.tally.rate:.0f}" for p in games[f"game{g}"]]
        assert texts.count(f"game{g}") == 1 and all(number in texts for number in row)
    shapes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    boxes = [s.attrib["d"] for s in shapes if s.attrib["d"].count("z") > 100]
    assert len(boxes) == 10 and sum(path.count("M") for path in boxes) == 122 * 23
