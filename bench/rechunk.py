# SPDX-License-Identifier: AGPL-3.0-or-later
"""Warm re-chunking after a fast or a slow parameter, cold splits, and growth."""

import time
from collections.abc import Iterator

import numpy as np

from bench.documents import REPORT, shared
from bench.report import Row, row, timed
from core.declaration import Parameter, Value
from core.document.model import Document
from core.document.read import read_document
from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import strategies
from core.strategies.run import run
from core.strategies.source import Units
from core.units.tokens import token_table
from core.vectors.models import load_embedder

TOKENS = 60_000
PIECES = frozenset({"STM", "S1", "RTF"})
EVENTS = 12


def measure() -> list[Row]:
    """All rows of this file."""
    return [*warm(), *all_strategies(), *cold(), *growth()]


def warm() -> list[Row]:
    """A tick of the first fast number of every strategy, on 60,000 tokens."""
    document = Document(_text(TOKENS))
    units, embedder = Units(), load_embedder("minilm")
    classes: dict[str, list[float]] = {}
    slowest: dict[str, tuple[float, str]] = {}
    for code, strategy in strategies().items():
        ticks = list(_ticks(code))
        if not ticks:
            continue
        try:
            run(ticks[0], document, units, embedder=embedder, allow_many=True)
        except ChunkscopeError:
            continue
        spent = []
        for recipe in ticks:
            begin = time.perf_counter()
            run(recipe, document, units, embedder=embedder, allow_many=True)
            spent.append((time.perf_counter() - begin) * 1000)
        name = "pieces" if code in PIECES else strategy.declaration.strategy_class
        classes.setdefault(name, []).extend(spent)
        slowest[name] = max(slowest.get(name, (0.0, "")), (float(np.median(spent)), code))
    targets = {"instant": "5 ms", "embedding": "10 ms", "pieces": "20 ms", "layout": "20 ms"}
    return [
        row(
            "warm re-chunk, 60,000 tokens",
            name,
            values,
            "ms",
            target=targets.get(name, ""),
            note=f"slowest: {slowest[name][1]} {slowest[name][0]:.1f} ms",
        )
        for name, values in classes.items()
    ]


def all_strategies() -> list[Row]:
    """Every strategy without a model on the 50-page sample, warm."""
    document = read_document(REPORT)
    units, embedder = Units(), load_embedder("minilm")
    # ADAPT runs and scores several of the others; it is not one of them
    recipes = [(code, make_recipe(code)) for code in strategies() if code != "ADAPT"]
    for _, recipe in recipes:
        run(recipe, document, units, embedder=embedder, allow_many=True)
    groups: dict[str, float] = {"without embedding": 0.0, "all": 0.0}
    for code, recipe in recipes:
        begin = time.perf_counter()
        run(recipe, document, units, embedder=embedder, allow_many=True)
        spent = time.perf_counter() - begin
        groups["all"] += spent
        if strategies()[code].declaration.strategy_class != "embedding":
            groups["without embedding"] += spent
    return [
        row("all strategies, 50 pages", name, [seconds], "s", target=target)
        for (name, seconds), target in zip(groups.items(), ("3 s", "10 s"), strict=True)
    ]


def cold() -> list[Row]:
    """Cold splits of 1.45 MB, CPU time against one encode of ours."""
    text = _text(330_000)[:1_444_000]
    encode = timed(lambda: token_table(text, "cl100k_base"), 3)
    rows = [row("cold split, 1.45 MB", "quicktok cl100k table", encode, "ms")]
    for word in ("RTF", "STM"):
        recipe = make_recipe(
            word,
            {"size": 400, "overlap": 0, "tokenizer": "cl100k_base"}
            if word == "RTF"
            else {"size": 400, "length": "cl100k_base"},
        )
        spent = []
        for _ in range(3):
            document, begin = Document(text), time.process_time()
            run(recipe, document, Units(), allow_many=True)
            spent.append((time.process_time() - begin) * 1000)
        rows.append(row("cold split, 1.45 MB", word, spent, "ms", note="CPU time; see bench-peers"))
    return rows


def growth() -> list[Row]:
    """Microseconds a token of instant strategies from 10 thousand tokens up."""
    rows = []
    for code in ("FC", "RC", "SBC", "PBC", "DFC"):
        for tokens in (10_000, 100_000, 1_000_000):
            document = Document(_text(tokens))
            begin = time.perf_counter()
            run(make_recipe(code), document, Units(), allow_many=True)
            cost = (time.perf_counter() - begin) / tokens * 1e6
            rows.append(row("growth", f"{code}, {tokens:,} tokens, cold", [cost], "µs a token"))
    return rows


def _ticks(code: str) -> Iterator[Recipe]:
    """Recipes whose first fast number takes values around its default."""
    declaration = strategies()[code].declaration
    for parameter in declaration.parameters:
        if not parameter.slow and parameter.type in ("integer", "number"):
            for value in _around(parameter):
                try:
                    yield make_recipe(code, {parameter.name: value})
                except ChunkscopeError:
                    continue
            return


def _around(parameter: Parameter) -> list[Value]:
    default = parameter.default
    assert isinstance(default, int | float), "a number"
    if parameter.type == "integer":
        return [int(default) + k for k in range(EVENTS)]
    return [default + 0.01 * k for k in range(EVENTS)]


def _text(tokens: int) -> str:
    """Prose of about that many tokens: the shared texts, or the sample report, repeated."""
    parts = [shared(f"data/{name}.md") for name in ("state_of_the_union", "wikitexts", "chatlogs")]
    texts = [path.read_text(encoding="utf-8") for path in parts if path is not None]
    base = "\n\n".join(texts) or read_document(REPORT).text
    wanted = int(tokens * 4.4)
    return (base * (wanted // len(base) + 1))[:wanted]
