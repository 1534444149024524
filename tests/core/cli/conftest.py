# SPDX-License-Identifier: AGPL-3.0-or-later
"""Running commands in this process, with what they print and their exit status."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.cli import run_command

PROSE = (
    "The committee met in March. It discussed the budget, and they agreed on most of it.\n\n"
    "A second paragraph follows here. Its sentences are short. Nobody reads them twice.\n\n"
    "In the end the report was printed. Copies went to all members of the committee.\n"
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command gave."""

    status: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        assert self.status == 0, self.error
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one line on standard error of what the user can mend."""
        assert self.status == 1, (self.status, self.out[:200], self.error)
        assert self.out == ""
        assert self.error.count("\n") == 1
        assert self.error.startswith("chunkscope: ")
        return self.error


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; arguments may be paths and numbers."""

    def run_it(*arguments: object) -> Ran:
        capsys.readouterr()
        status = run_command([str(each) for each in arguments])
        printed = capsys.readouterr()
        return Ran(status, printed.out, printed.err)

    return run_it


@pytest.fixture
def prose(tmp_path: Path) -> Path:
    """A short text file whose name has spaces and letters of two scripts."""
    path = tmp_path / "ein Text ü 文.txt"
    path.write_bytes(PROSE.encode())
    return path


@pytest.fixture(scope="session")
def sample(root: Path) -> Path:
    """The bundled guideline, a PDF of twelve pages."""
    return root / "resources" / "samples" / "guideline.pdf"
