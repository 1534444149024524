# SPDX-License-Identifier: AGPL-3.0-or-later
"""Print the requirements of `pyproject.toml`, one a line, for `pip install --requirement`.

The project is not a package (it runs from its folder), so pip cannot read them itself.
"""

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def list_requirements(extras: list[str]) -> list[str]:
    """Return the product's requirements and those of the named extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    requirements: list[str] = list(project["dependencies"])
    for extra in extras:
        requirements += project["optional-dependencies"][extra]
    return requirements


if __name__ == "__main__":
    print("\n".join(list_requirements(sys.argv[1:])))
