# SPDX-License-Identifier: AGPL-3.0-or-later
"""`make bench`: speed and memory, each against its target or a yardstick of the same run."""

import argparse
import sys
from importlib import import_module

from bench.report import print_rows, write

PARTS = ("startup", "extraction", "rechunk", "growth", "scores", "window", "compare", "retrieval")


def main() -> int:
    """Measure the parts that are named, or all; print a table, write JSON."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=(*PARTS, []), metavar="PART")
    for name in parser.parse_args().parts or PARTS:
        print(f"\n## {name}\n", flush=True)
        rows = import_module(f"bench.{name}").measure()
        print_rows(rows)
        print(f"\nwritten: {write(name, rows)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
