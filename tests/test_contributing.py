# SPDX-License-Identifier: AGPL-3.0-or-later
"""The examples of CONTRIBUTING.md run as they stand there."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

MARK = "<!-- tests/test_contributing.py runs this block -->"
BLOCK = re.compile(re.escape(MARK) + r"\n```python\n(.*?)```", re.DOTALL)
STRATEGY_IMPORTS = """
import pytest
from core.document.model import Document
from core.strategies.clauses import cut_before_clauses, find_clauses
from core.strategies.registry import find
from core.strategies.source import Source

def test_it_is_registered():
    assert find("ncc").declaration.name == "Numbered clauses"
"""
SCORE_IMPORTS = """
import numpy as np
import pytest
from hypothesis import given, strategies as st
from core.scores.sentence_integrity import clean_ends
"""


@pytest.mark.parametrize(
    ("first_block", "package", "module", "imports", "passed"),
    [
        pytest.param(0, "core.strategies", "clauses", STRATEGY_IMPORTS, 3, id="strategy"),
        pytest.param(2, "core.scores", "sentence_integrity", SCORE_IMPORTS, 6, id="score"),
    ],
)
def test_the_example_passes_its_own_tests(first_block, package, module, imports, passed, tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code, its_tests = BLOCK.findall(text)[first_block : first_block + 2]
    (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(imports + its_tests, encoding="utf-8")
    # a folder more on the package's path: as if the file lay in the package
    (tmp_path / "conftest.py").write_text(
        f"import {package}\n{package}.__path__.append({str(tmp_path)!r})\n", encoding="utf-8"
    )
    options = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-c", "/dev/null"]

    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{passed} passed" in run.stdout
