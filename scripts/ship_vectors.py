# SPDX-License-Identifier: AGPL-3.0-or-later
"""Make `resources/vectors`: what the sample that opens first needs, so that it waits for nothing.

To be run again whenever the sample, its extracted text or a strategy's defaults change; vectors
of other texts are then simply not found, and made anew.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SAMPLE = ROOT / "resources" / "samples" / "guideline.pdf"
QUERIES = SAMPLE.with_name("guideline.queries.json")
MODEL = "minilm"
# The strategies that the window shows first, and those whose decisions need vectors.
STRATEGIES = (
    "SSTC:threshold=0.4",
    "RC:size=1000,overlap=0",
    "RC",
    "FC",
    "S1",
    "SEBC",
    "SVAC",
    "K4",
)


def main() -> int:
    """Make the vectors in a temporary cache, and pack it."""
    from core.document.read import read_document
    from core.pipeline import Pipeline
    from core.strategies.recipe import parse_recipe
    from core.vectors.cache import SHIPPED_FOLDER, VectorCache, pack
    from core.vectors.models import load_embedder

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=SHIPPED_FOLDER)
    out = parser.parse_args().out
    document = read_document(SAMPLE, use_cache=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "vectors"
        embedder = load_embedder(MODEL, cache=VectorCache(folder))
        pipeline = Pipeline(embedder)
        pipeline.token_vectors(document)
        for code in STRATEGIES:
            chunks = pipeline.chunk(parse_recipe(code), document)
            pipeline.score(document, chunks, policy="exact")
            print(f"{code}: {len(chunks)} chunks")
        questions = json.loads(QUERIES.read_text(encoding="utf-8"))["questions"]
        embedder.encode_queries([each["question"] for each in questions])
        pack(folder, out)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{out}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
