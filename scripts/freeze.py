# SPDX-License-Identifier: AGPL-3.0-or-later
"""Write the versions of this environment into `constraints.txt`.

Local version labels (`+cpu`) are left out, so that the pins hold for every build of a release.
"""

from importlib.metadata import distributions
from pathlib import Path

CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints.txt"
HEADER = """\
# Exact versions of everything that `make setup` installs, product and tools together.
# Made by `make freeze`; see docs/adr/0004-constraints-and-torch.md.
"""
# They come with the environment and are not ours to pin.
LEFT_OUT = {"pip", "setuptools", "wheel"}


def list_pins() -> list[str]:
    """Return `name==version` of each installed distribution, by name."""
    pins = {
        distribution.name: distribution.version.partition("+")[0]
        for distribution in distributions()
        if distribution.name not in LEFT_OUT
    }
    return [f"{name}=={pins[name]}" for name in sorted(pins, key=str.lower)]


if __name__ == "__main__":
    CONSTRAINTS.write_text(HEADER + "\n".join(list_pins()) + "\n", encoding="utf-8")
