# SPDX-License-Identifier: AGPL-3.0-or-later
"""How far ICC and DCC of approximate vectors (≈) are from those of exact ones, on the samples.

`python -m bench.quality_vectors [FILE …]` scores chunks of several sizes with late vectors, with
the means of sentence vectors that stand in for them where a model gives none, and with exact
ones. It prints the values, their greatest difference, and Spearman's correlation over the sizes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from scipy.stats import spearmanr

from core.document.model import TextSettings
from core.document.read import read_document
from core.pipeline import Pipeline
from core.scores.options import score_options
from core.scores.results import Measure, Scores
from core.scores.score import score
from core.scores.vector_supply import VectorSupply
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
        print(f"{'chunks':28}{_titles('ICC')}{_titles('DCC')}")
        estimate = pipeline.sentence_vectors(document)
        means = VectorSupply(
            document.text, pipeline.embedder, "late", lambda found=estimate: found, estimates=True
        )
        rows = []
        for window in WINDOWS:
            options = score_options({"dcc_window": window})
            for words in RECIPES:
                chunks = pipeline.chunk(parse_recipe(words), document)
                late = pipeline.score(document, chunks, options, policy="late")
                exact = pipeline.score(document, chunks, options, policy="exact")
                mean = score(pipeline.inputs(document), chunks, options, supply=means)
                rows.append((late, mean, exact))
                print(_line(f"{words} in {window}", late, mean, exact), flush=True)
        for code in ("ICC", "DCC"):
            for kind, name in enumerate(("late", "means")):
                print(_differences(f"{code} {name}", [(r[kind][code], r[2][code]) for r in rows]))


def _differences(name: str, measures: Sequence[tuple[Measure, Measure]]) -> str:
    known = [
        (a.value, b.value)
        for a, b in measures
        if b.state == "exact" and a.value is not None and b.value is not None
    ]
    if len(known) < 3:
        return f"{name}: too few"
    greatest = max(abs(a - b) for a, b in known)
    order = spearmanr(*zip(*known, strict=True)).statistic
    return f"{name}: greatest difference {greatest:.3f}, Spearman {order:.3f}"


def _titles(code: str) -> str:
    return f"{code + ' late':>12}{'means':>9}{'exact':>9}{'':>8}"


def _line(name: str, *kinds: Scores) -> str:
    cells = [
        f"{kinds[0][code].value or 0:12.3f}"
        + "".join(f"{each[code].value or 0:9.3f}" for each in kinds[1:])
        + f"{kinds[-1][code].state or '':>8}"
        for code in ("ICC", "DCC")
    ]
    return f"{name:28}" + "".join(cells)


if __name__ == "__main__":
    main(sys.argv[1:])
