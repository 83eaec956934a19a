"""Logarithms and powers of arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pcg.engine.elementary import logarithms, powers

pytestmark = pytest.mark.kernel


def test_logarithms_keep_the_shape_and_the_argument():
    given = np.array([[1.0, 2.0, 10.0], [0.5, 1e-300, 0.0]])
    found = logarithms(given)
    assert found.shape == (2, 3) and given[0, 1] == 2.0
    assert found[1, 2] == -math.inf
    assert found.ravel()[:5] == pytest.approx([math.log(x) for x in given.ravel()[:5]], rel=1e-15)


def test_the_logarithm_of_one_number_is_an_array_without_dimensions():
    assert logarithms(7).shape == () and float(logarithms(7)) == pytest.approx(math.log(7), rel=1e-15)


def test_powers_begin_with_the_zeroth():
    assert powers(0.5, 4).tolist() == [1.0, 0.5, 0.25, 0.125]
    assert powers(0.9, 60) == pytest.approx([0.9**k for k in range(60)], rel=1e-15)
    assert powers(3.0, 0).tolist() == []
