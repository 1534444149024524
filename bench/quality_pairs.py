# SPDX-License-Identifier: AGPL-3.0-or-later
"""Documents with stored pairs, chunkings of them, and the six figures of a pair finder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from core.arrays import Spans, as_spans
from core.scores.envelope import envelope_of_spans
from core.scores.pairs import Pairs, as_pairs
from core.scores.references import first_of_each, hulls

WINDOWS = (600, 1500, 3000)  # characters
BLOCKS = (1, 3)  # blocks a chunk
COUNTED = frozenset(
    "he him she her it they them his hers its their theirs himself herself itself "  # noqa: SIM905 - a list of words
    "themselves".split()
)
HEADINGS = (
    "precision",
    "recall",
    "antecedent",
    "RC mean",
    "RC weighted",
    "RC greatest",
    "Spearman",
)


@dataclass(frozen=True, slots=True, eq=False)
class StoredDocument:
    """A text with its blocks, int64 (n, 2), and the pairs that a large model found in it."""

    name: str
    text: str
    blocks: Spans
    pairs: Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Found pairs beside the stored ones. rc_found, rc_stored: float64 (5,), of each chunking."""

    found: int
    stored: int
    listed: int  # stored pairs whose pronoun is one of the list
    listed_found: int
    common: int  # found pairs whose pronoun is stored too
    agreeing: int  # of these, those whose entity overlaps the stored one
    rc_found: np.ndarray
    rc_stored: np.ndarray


def stored_documents(folder: Path) -> list[StoredDocument]:
    """All documents of the folder, by name."""
    documents = []
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        pairs = as_pairs(data["pairs"])
        documents.append(StoredDocument(path.stem, data["text"], as_spans(data["blocks"]), pairs))
    return documents


def chunkings(document: StoredDocument) -> list[Spans]:
    """Windows of 600, 1,500 and 3,000 characters, every block, every three blocks."""
    length, blocks = len(document.text), document.blocks
    made = []
    for size in WINDOWS:
        edges = np.append(np.arange(0, length, size), length)
        made.append(np.column_stack((edges[:-1], edges[1:])))
    for size in BLOCKS:
        last = np.minimum(np.arange(0, len(blocks), size) + size - 1, len(blocks) - 1)
        made.append(np.column_stack((blocks[::size, 0], blocks[last, 1])))
    return made


def references_completeness(pairs: Pairs, spans: Spans) -> float:
    """RC, default mode, of chunks of one span; nan without pairs."""
    hull = hulls(pairs[first_of_each(pairs)])
    return float(envelope_of_spans(spans).holds(hull[:, 0], hull[:, 1]).mean())


def compare(document: StoredDocument, found: Pairs) -> Comparison:
    """Compare the pairs that a finder gives with the stored ones."""
    entities: dict[int, list[tuple[int, int]]] = {}
    listed = set()
    for start, end, pronoun, pronoun_end in document.pairs.tolist():
        entities.setdefault(pronoun, []).append((start, end))
        if document.text[pronoun:pronoun_end].strip().lower() in COUNTED:
            listed.add((pronoun, pronoun_end))
    by_pronoun = {row[2]: (row[0], row[1]) for row in found.tolist()}
    common = [pronoun for pronoun in by_pronoun if pronoun in entities]
    agreeing = sum(
        any(
            by_pronoun[each][0] < end and start < by_pronoun[each][1]
            for start, end in entities[each]
        )
        for each in common
    )
    spans = chunkings(document)
    return Comparison(
        len(by_pronoun),
        len(document.pairs),
        len(listed),
        sum(pronoun in by_pronoun for pronoun, _ in listed),
        len(common),
        agreeing,
        np.array([references_completeness(found, each) for each in spans]),
        np.array([references_completeness(document.pairs, each) for each in spans]),
    )


def figures(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """The six figures of `spec/metrics.md` 14.6 over all, and Spearman's correlation of RC."""

    def total(name: str) -> int:
        return sum(getattr(each, name) for each in comparisons)

    rc_found = np.concatenate([each.rc_found for each in comparisons])
    rc_stored = np.concatenate([each.rc_stored for each in comparisons])
    errors = np.abs(rc_found - rc_stored)
    weights = np.repeat([each.stored for each in comparisons], len(errors) // len(comparisons))
    values = (
        total("common") / max(1, total("found")),
        total("listed_found") / max(1, total("listed")),
        total("agreeing") / max(1, total("common")),
        float(errors.mean()),
        float(np.average(errors, weights=weights)),
        float(errors.max()),
        float(spearmanr(rc_found, rc_stored).statistic),
    )
    return dict(zip(HEADINGS, values, strict=True))


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Rows of figures as text in columns."""
    width = max(len(name) for name in rows)
    lines = [" " * width + "".join(f"{heading:>13}" for heading in HEADINGS)]
    for name, values in rows.items():
        lines.append(name.ljust(width) + "".join(f"{values[each]:13.3f}" for each in HEADINGS))
    return "\n".join(lines)
