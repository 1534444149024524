# SPDX-License-Identifier: AGPL-3.0-or-later
"""The check of docstrings finds what is missing, and nothing else."""

import pytest

from scripts.check_docstrings import find_faults

ARRAY = "def f(a: NDArray[np.float64]) -> int:\n    "


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f():\n    pass\n", id="no docstring"),
        pytest.param("class A:\n    def f(self):\n        pass\n", id="method without docstring"),
        pytest.param(f'{ARRAY}"""Sum."""\n', id="array without shape"),
        pytest.param('def f() -> np.ndarray:\n    """Sum."""\n', id="returned array"),
    ],
)
def test_a_function_that_says_too_little_is_a_fault(source):
    assert len(find_faults(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def _f():\n    pass\n", id="private"),
        pytest.param("class _A:\n    def f(self):\n        pass\n", id="private class"),
        pytest.param('def f():\n    """Do."""\n', id="documented"),
        pytest.param(f'{ARRAY}"""Sum of float64 (n,)."""\n', id="one dimension"),
        pytest.param(f'{ARRAY}"""Sum of (n + 1, 2), points."""\n', id="two dimensions"),
        pytest.param('def f(a: Spans) -> int:\n    """Count."""\n', id="named array"),
        pytest.param('def f(a: NDArray[Any]) -> int:\n    """Count."""\n', id="any array"),
    ],
)
def test_a_function_that_says_enough_is_no_fault(source):
    assert find_faults(source) == []
