# SPDX-License-Identifier: AGPL-3.0-or-later
"""How far ICC and DCC of late vectors (≈) are from those of exact ones, on the samples.

`python -m bench.quality_vectors [FILE …]` scores chunks of several sizes with both kinds and
prints the values, their greatest difference, and Spearman's correlation over the sizes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from scipy.stats import spearmanr

from core.document.model import TextSettings
from core.document.read import read_document
from core.pipeline import Pipeline
from core.scores.options import score_options
from core.scores.results import Scores
from core.strategies.recipe import parse_recipe
from core.vectors.models import load_embedder

SAMPLES = (Path("resources/samples/guideline.pdf"),)
RECIPES = ("FC:size=60", "FC:size=120", "FC:size=200", "FC:size=400", "FC:size=200,overlap=100")
WINDOWS = (3000, 220)  # units: the default, longer than the model reads; and one that it reads


def main(arguments: Sequence[str]) -> None:
    """Print one table a file."""
    pipeline = Pipeline(load_embedder("minilm"))
    for path in map(Path, arguments) if arguments else SAMPLES:
        document = read_document(path, TextSettings())
        print(f"\n{path.name}: {len(document.text):,} characters")
        print(f"{'chunks':28}{'ICC late':>12}{'exact':>9}{'state':>9}{'DCC late':>12}{'exact':>9}")
        rows = []
        for window in WINDOWS:
            options = score_options({"dcc_window": window})
            for words in RECIPES:
                chunks = pipeline.chunk(parse_recipe(words), document)
                late = pipeline.score(document, chunks, options, policy="late")
                exact = pipeline.score(document, chunks, options, policy="exact")
                rows.append((late, exact))
                print(_line(f"{words} in {window}", late, exact), flush=True)
        for code in ("ICC", "DCC"):
            pairs = [(a[code].value, b[code].value) for a, b in rows if b[code].state == "exact"]
            known = [(a, b) for a, b in pairs if a is not None and b is not None]
            if len(known) > 2:
                greatest = max(abs(a - b) for a, b in known)
                order = spearmanr(*zip(*known, strict=True)).statistic
                print(f"{code}: greatest difference {greatest:.3f}, Spearman {order:.3f}")


def _line(name: str, late: Scores, exact: Scores) -> str:
    cells = [f"{late['ICC'].value or 0:12.3f}{exact['ICC'].value or 0:9.3f}"]
    cells.append(f"{exact['ICC'].state or '':>9}")
    cells.append(f"{late['DCC'].value or 0:12.3f}{exact['DCC'].value or 0:9.3f}")
    return f"{name:28}" + "".join(cells) + f" {exact['DCC'].state}"


if __name__ == "__main__":
    main(sys.argv[1:])
