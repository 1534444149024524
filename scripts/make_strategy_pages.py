# SPDX-License-Identifier: AGPL-3.0-or-later
"""Write a page for each strategy into docs/strategies, from its declaration.

    python scripts/make_strategy_pages.py
    python scripts/make_strategy_pages.py --folder build/pages

What a strategy does, its parameters, presets, source and equals come from the declaration, formula
and growth from docs/strategies/notes.toml, and the picture from a run on two pages of the sample.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from core.declaration import ByChoice, Declaration, Parameter
from core.document.geometry import span_boxes
from core.document.model import Document
from core.document.read import read_document
from core.pipeline import Pipeline
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import strategies
from core.strategies.shared_options import SHARED_OPTIONS
from core.strategies.waiting import WAITING
from core.vectors.models import load_embedder

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "strategies"
SAMPLE = ROOT / "resources" / "samples" / "guideline.pdf"
PAGES = (5, 6)  # prose, headings, a list, and a table
INK, TINTS, CUT = "#c9c9c9", ("#a9cbe3", "#f5d79b"), "#1b1b1b"
GAP = 24  # points between the pages
EXAMPLE = {"RGX": {"pattern": r"\n\n(?=\d)"}}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all pages and their index into the folder that the arguments name."""
    parser = argparse.ArgumentParser(
        description="Write a page and a picture for each strategy, and their index."
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where; docs/strategies")
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    notes = tomllib.loads((FOLDER / "notes.toml").read_text(encoding="utf-8"))
    document = read_document(SAMPLE)
    pipeline = Pipeline(load_embedder("minilm"))
    declared = sorted(
        (each.declaration for each in strategies().values() if each.origin == "built-in"),
        key=lambda each: (each.family, each.code.lower()),
    )
    for declaration in declared:
        recipe = make_recipe(declaration.code, EXAMPLE.get(declaration.code))
        chunks = pipeline.chunk(recipe, document)
        picture = folder / f"{declaration.code}.svg"
        picture.write_text(drawing(document, chunks), encoding="utf-8")
        page = "\n".join(page_lines(declaration, recipe, chunks, note_of(declaration, notes)))
        (folder / f"{declaration.code}.md").write_text(page + "\n", encoding="utf-8")
        print(declaration.code, len(chunks), flush=True)
    index = "\n".join(index_lines(declared)) + "\n"
    (folder / "README.md").write_text(index, encoding="utf-8")


def note_of(declaration: Declaration, notes: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """Formula and growth: the strategy's own, or its family's."""
    return notes[declaration.code if declaration.code in notes else declaration.family]


def page_lines(
    declaration: Declaration, recipe: Recipe, chunks: Chunks, note: Mapping[str, str]
) -> Iterator[str]:
    """The page in markdown."""
    yield f"# {declaration.code}: {declaration.name}"
    yield ""
    yield "<!-- made by scripts/make_strategy_pages.py: edit the declaration or notes.toml -->"
    yield ""
    yield declaration.help
    yield ""
    yield f"![Two pages of the sample, chunks of {declaration.code}]({declaration.code}.svg)"
    yield ""
    yield f"*{len(chunks)} chunks of the sample guideline by `{recipe.word}`; two of its pages.*"
    yield ""
    yield f"- **Formula**: {note['formula']}"
    yield f"- **Growth**: {note['growth']}"
    yield f"- **Class**: {declaration.strategy_class}; **family**: {declaration.family}"
    if declaration.tokenizer:
        yield f"- **Tokens**: {declaration.tokenizer} by default"
    if declaration.sentences:
        yield f"- **Sentences**: {declaration.sentences} by default"
    yield f"- **Source**: {declaration.source}"
    if declaration.same_as:
        links = ", ".join(f"[{code}]({code}.md)" for code in declaration.same_as)
        yield f"- **Always the same as** (at equal parameters): {links}"
    yield ""
    if declaration.parameters:
        yield "## Parameters"
        yield ""
        yield from parameter_lines(declaration.parameters)
        yield ""
    if declaration.presets:
        yield "## Presets"
        yield ""
        for preset in declaration.presets:
            values = ", ".join(f"`{name}={shown(v)}`" for name, v in preset.parameters.items())
            yield f"- {preset.name}: {values or 'no parameters'}"
        yield ""
    yield "[All strategies](README.md)"


def parameter_lines(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    """The table of parameters."""
    yield "| name | default | range | unit | | what it is |"
    yield "|---|---|---|---|---|---|"
    for each in parameters:
        speed = "slow" if each.slow else ""
        cells = (
            f"`{each.name}`",
            f"`{shown(each.default)}`",
            span(each),
            each.unit,
            speed,
            each.help,
        )
        yield (
            "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
        )


def span(parameter: Parameter) -> str:
    """The allowed values in words."""
    if parameter.choices:
        return ", ".join(parameter.choices)
    if parameter.type not in {"integer", "number"}:
        return {"boolean": "on, off", "words": "words", "pattern": "a pattern"}.get(
            parameter.type, "any"
        )
    low, high = (f"{each:,}" if isinstance(each, int) else f"{each}" for each in
                 (parameter.minimum, parameter.maximum))  # fmt: skip
    by = f" (by {parameter.by.choice})" if isinstance(parameter.by, ByChoice) else ""
    return f"{low} to {high}{by}"


def shown(value: object) -> str:
    """A value as it is written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return " ".join(value)
    return repr(value)[1:-1] if isinstance(value, str) else str(value)


def drawing(document: Document, chunks: Chunks) -> str:
    """Two pages as bars for lines of text, tinted by the parity of their chunks, with cuts."""
    pages = [document.pages[index] for index in PAGES]
    lefts = np.cumsum([0, *(page.width + GAP for page in pages)])
    width, height = float(lefts[-1]) - GAP, max(page.height for page in pages)
    text = span_boxes(document.geometry, np.array([[0, len(document.text)]]))
    pieces = span_boxes(document.geometry, chunks.spans)
    owners = chunks.owners[pieces.owner]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width / 2:g}" height="{height / 2:g}" role="img">'
    ]
    begun: set[int] = set()
    first = {int(owner): row for row, owner in reversed(list(enumerate(owners)))}
    for left, page in zip(lefts.tolist(), pages, strict=False):
        parts.append(f'<rect x="{left:g}" width="{page.width:g}" height="{page.height:g}" '
                     'fill="#fff" stroke="#999"/>')  # fmt: skip
        parts += bars(text.boxes[text.page == page.index], left, INK)
        for parity in (0, 1):
            chosen = (pieces.page == page.index) & (owners % 2 == parity)
            parts += bars(pieces.boxes[chosen], left, TINTS[parity])
        for owner in dict.fromkeys(owners[pieces.page == page.index].tolist()):
            row = first[owner]
            if pieces.page[row] == page.index and owner not in begun:
                begun.add(owner)
                x0, y0, x1, y1 = pieces.boxes[row].tolist()
                parts.append(f'<path d="M{left + x0:.0f} {y1:.0f}V{y0:.0f}H{left + x1:.0f}" '
                             f'fill="none" stroke="{CUT}" stroke-width="1.6"/>')  # fmt: skip
    return "".join([*parts, "</svg>\n"])


def bars(boxes: np.ndarray, left: float, colour: str) -> list[str]:
    """Boxes as one path, a little lower than their lines."""
    if not len(boxes):
        return []
    path = "".join(
        f"M{left + x0:.0f} {y0 + 2:.0f}h{max(1, x1 - x0):.0f}v{max(1, y1 - y0 - 4):.0f}"
        f"h-{max(1, x1 - x0):.0f}z"
        for x0, y0, x1, y1 in boxes.tolist()
    )
    return [f'<path d="{path}" fill="{colour}"/>']


def index_lines(declared: list[Declaration]) -> Iterator[str]:
    """The index of all strategies and the options that they share."""
    yield "# Strategies"
    yield ""
    yield "<!-- made by scripts/make_strategy_pages.py -->"
    yield ""
    yield (
        "Each page has the formula, the parameters, a picture of the chunks on two pages of the "
        "sample, and the source. *Class* says what a strategy needs: nothing but the text "
        "(instant), the blocks of the page (layout), vectors (embedding)."
    )
    yield ""
    yield "| code | name | family | class | always the same as |"
    yield "|---|---|---|---|---|"
    for each in declared:
        same = ", ".join(each.same_as)
        cells = (each.name, each.family, each.strategy_class, same)
        yield f"| [{each.code}]({each.code}.md) | {' | '.join(cells)} |"
    yield ""
    yield "## Waiting for a language model"
    yield ""
    yield "| code | name | what it is |"
    yield "|---|---|---|"
    for each in WAITING.values():
        yield f"| {each.code} | {each.name} | {each.help} |"
    yield ""
    yield "## Options that all share"
    yield ""
    yield "Regularisation (REG) is one of them: the options `reg` and `reg.*`, after any strategy."
    yield ""
    yield from parameter_lines(SHARED_OPTIONS)


if __name__ == "__main__":
    main()
