# SPDX-License-Identifier: AGPL-3.0-or-later
"""Quality of the pair finders on documents with stored pairs (`make bench-quality`).

`python -m bench.quality [FOLDER]` prints the six figures of `spec/metrics.md` 14.6, and
Spearman's correlation of RC with found pairs against RC with stored ones over the chunkings, for
each document and over all, for each rule. The weights of `ranked` were fitted on these very
documents, so its last table is the one to believe: each document with weights fitted on the
others. It writes the same as JSON to `build/bench/quality.json`.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.fit_antecedents import left_out, parsed_documents
from bench.quality_pairs import compare, figures, stored_documents, table
from core.scores.antecedents import RULES
from core.scores.pair_finder import SpacyPairFinder

OUT = Path("build/bench/quality.json")
ABSENT = "no documents with stored pairs in {}: give their folder, python -m bench.quality FOLDER"


def rule_figures(folder: Path, rule: str) -> tuple[dict[str, dict[str, float]], float]:
    """Figures of each document and of all; seconds for 150,000 characters (about 50 pages)."""
    finder = SpacyPairFinder(rule)
    comparisons = {}
    started, characters = time.perf_counter(), 0
    documents = stored_documents(folder)
    for document in documents:
        comparisons[document.name] = compare(document, finder.find(document.text, "en").pairs)
        characters += len(document.text)
    seconds = (time.perf_counter() - started) * 150_000 / characters
    result = {name: figures([each]) for name, each in comparisons.items()}
    return result | {"all": figures(list(comparisons.values()))}, seconds


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    folder = Path(arguments[0] if arguments else "../shared/data/pairs")
    if not any(folder.glob("*.json")):
        print(ABSENT.format(folder), file=sys.stderr)
        return 1
    results = {}
    SpacyPairFinder().find("It is loaded before the clock starts.", "en")
    for rule in RULES:
        results[rule], seconds = rule_figures(folder, rule)
        print(f"\n{rule}: {seconds:.1f} s for 150,000 characters")
        print(table(results[rule]))
    results["ranked, left out"] = left_out(parsed_documents(folder))
    print("\nranked, each document with weights fitted on the others")
    print(table(results["ranked, left out"]))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(results, indent=2), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
