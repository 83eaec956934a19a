"""Figures over many levels: what they show, and that they are the same for equal data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy.stats import spearmanr

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.report.figures.levels import archive_map, correlation_map, expressive_range, rank_correlations
from pcg.report.levels import FEWEST, level_figures

ARCHIVE: dict[str, Any] = {
    "measures": [
        {"name": "mechanics", "low": 0, "high": 10, "cells": 5},
        {"name": "symmetry", "low": 0, "high": 1, "cells": 4},
    ],
    "cells": [
        {"index": [0, 1], "fitness": 0.25, "level": "a"},
        {"index": [4, 3], "fitness": 0.75, "level": "b"},
        {"index": [2, 2], "fitness": 0.5, "level": "c"},
    ],
}


def boxes(svg: str) -> int:
    """Rectangles and dots in the inks of data; rectangles of one density are one path."""
    inked = [
        e
        for e in ElementTree.fromstring(svg).iter()
        if re.search(r"fill: var\(--(?:accent|second)", e.get("style", ""))
    ]
    return sum(max(1, element.get("d", "").count("M")) for element in inked)


def test_expressive_range_has_one_cell_for_each_bin_with_levels() -> None:
    points = [(0.01, 0.01)] * 5 + [(0.99, 0.99)] + [(0.52, 0.02)]
    svg = expressive_range(points, "linearity", "leniency")
    assert boxes(svg) == 3
    assert "7 levels; up to 5 in a cell" in svg and ">linearity<" in svg and ">leniency<" in svg
    assert svg == expressive_range(points, "linearity", "leniency")


def test_metrics_without_a_bound_are_drawn_over_their_values() -> None:
    svg = expressive_range([(0.5, 20), (0.5, 21), (0.5, 300)], "symmetry", "solution_length")
    assert boxes(svg) == 2 and "solution length (ticks)" in svg
    assert boxes(expressive_range([(1.0, 3), (1.5, 3)], "tortuosity", "enemies")) == 2


def test_rank_correlations_are_spearmans() -> None:
    table = {"a": [1, 2, 3, 4], "b": [1, 4, 9, 1000], "c": [9, 5, 3, 1], "same": [2, 2, 2, 2], "d": [1, 3, 2, 4]}
    names, matrix = rank_correlations(table)
    assert names == ["a", "b", "c", "d"]
    assert matrix[0, 1] == pytest.approx(1) and matrix[0, 2] == pytest.approx(-1)
    assert matrix[0, 3] == pytest.approx(1 - 6 * 2 / (4 * 15))  # the textbook formula, two ranks off by one
    assert rank_correlations({"same": [1, 1]})[0] == []
    ties = {"a": [3.5, 1, 3.5, 3.5, 2, 1], "b": [2, 2, 5, 1, 7, 0]}
    assert rank_correlations(ties)[1][0, 1] == pytest.approx(spearmanr(ties["a"], ties["b"]).statistic)


def test_the_correlation_map_has_a_cell_for_each_pair() -> None:
    svg = correlation_map({"density": [1, 2, 3], "gap": [3, 2, 1], "coverage": [1, 3, 2]})
    assert boxes(svg) == 3 and "−1.0" in svg and "0.5" in svg


def test_the_archive_map_has_a_cell_for_each_elite() -> None:
    svg = archive_map(ARCHIVE)
    assert boxes(svg) == 3
    assert "3 of 20 cells filled, fitness 0.25 to 0.75" in svg and "mechanics (rules)" in svg
    assert "<svg" in archive_map(ARCHIVE, standalone=True) and "var(--" not in archive_map(ARCHIVE, standalone=True)


def test_archives_of_one_and_of_three_measures_are_drawn_over_the_first_two() -> None:
    line = {"measures": ARCHIVE["measures"][:1], "cells": [{"index": [3], "fitness": 1.0}]}
    assert "1 of 5 cells filled" in archive_map(line)
    third = {"name": "coverage", "low": 0, "high": 1, "cells": 2}
    deep = {
        "measures": [*ARCHIVE["measures"], third],
        "cells": [{"index": [1, 1, k], "fitness": 0.1 * (k + 1)} for k in range(2)],
    }
    assert "1 of 20 cells filled, fitness 0.10 to 0.20" in archive_map(deep)
    assert "0 of 20 cells filled" in archive_map({**ARCHIVE, "cells": []})


def test_cells_without_a_feasible_level_are_empty() -> None:
    cells = [*ARCHIVE["cells"], {"index": [1, 1], "fitness": 0.0, "feasible": False}]
    assert archive_map({**ARCHIVE, "cells": cells}) == archive_map(ARCHIVE)


def test_archives_of_centroids_are_drawn_as_points() -> None:
    centroids = [[1.0, 0.2], [5.0, 0.5], [9.0, 0.9]]
    cells = [{"index": [0], "fitness": 0.1}, {"index": [2], "fitness": 0.9}]
    svg = archive_map({**ARCHIVE, "cells": cells, "centroids": centroids})
    assert "2 of 3 cells filled, fitness 0.10 to 0.90" in svg
    with pytest.raises(PcgError, match="no archive"):
        archive_map({**ARCHIVE, "cells": [{"index": [7], "fitness": 1.0}], "centroids": centroids})


@pytest.mark.parametrize("bad", [{}, {"measures": [], "cells": []}, {**ARCHIVE, "cells": [{"index": 3}]}])
def test_what_is_no_archive_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(PcgError, match="no archive"):
        archive_map(bad)


def events(count: int, **constant: float) -> list[dict[str, Any]]:
    return [
        {"feasible": True, "fitness": k / count,
         "metrics": {"linearity": k / count, "leniency": (k % 7) / 7, "density": (k % 5) / 5, **constant}}
        for k in range(count)
    ]  # fmt: skip


def test_a_report_has_the_figures_there_is_something_to_say_in(tmp_path: Path) -> None:
    assert level_figures(tmp_path, events(FEWEST - 1)) == []
    assert [f.title for f in level_figures(tmp_path, events(FEWEST))] == ["Expressive range", "Correlations"]
    # where leniency never varies another pair is drawn, if there is one
    assert [f.title for f in level_figures(tmp_path, events(30, leniency=1.0))] == ["Correlations"]
    assert level_figures(tmp_path, [{**e, "feasible": False} for e in events(30)]) == []
    (tmp_path / "archive.json").write_text(json.dumps(ARCHIVE))
    assert [f.title for f in level_figures(tmp_path, [])] == ["The archive"]
