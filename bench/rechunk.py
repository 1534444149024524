# SPDX-License-Identifier: AGPL-3.0-or-later
"""Warm re-chunking after a fast or a slow parameter, all strategies at once, and cold splits.

Times of a tick are processor time: the machine is shared. What a slow parameter asks for is waited
for, and may be shared by threads: there it is time on the clock. Growth is in `bench/growth.py`.
"""

import gc
import time
from collections.abc import Iterator, Sequence

import numpy as np

from bench.documents import REPORT, shared
from bench.report import Row, row, timed
from core.declaration import Declaration, Parameter, Value
from core.document.model import Document
from core.document.read import read_document
from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import strategies
from core.strategies.run import run
from core.strategies.source import Units
from core.units.tokens import token_table
from core.vectors.embedder import Embedder
from core.vectors.models import load_embedder

TOKENS = 60_000
CHARACTERS_A_TOKEN = 4.4
PIECES = frozenset({"STM", "S1", "RTF", "REG"})
EVENTS = 12
TARGETS = {"instant": "5 ms", "embedding": "10 ms", "pieces": "20 ms", "layout": "20 ms"}
SLOW_TARGETS = {"instant": "100 ms", "embedding": "200 ms", "layout": "100 ms"}
# what others of a slow parameter of each type are tried: strings of the types that have no range
PATTERNS = (r"\n{3,}", r"(?m)^#", r"[.!?]\s+")
SEPARATORS = ('["\\n", " ", ""]', '["\\n\\n", ". ", " ", ""]')
STAGES = ("SBC", "SGC", "RC", "DFC")  # of a hybrid whose stages are chosen
ASKS = frozenset({"ADAPT", "IMPORT"})  # run others; need a file


def measure() -> list[Row]:
    """All rows of this file."""
    document, units = Document(prose(TOKENS)), Units()
    embedder = load_embedder("minilm")
    return [
        *fast(document, units, embedder),
        *slow(document, units, embedder),
        *all_strategies(),
        *cold(),
    ]


def fast(document: Document, units: Units, embedder: Embedder) -> list[Row]:
    """Each strategy's slowest fast number, and REG behind the sentences; then the classes."""
    rows, classes = [], dict[str, list[float]]()
    for code, declaration in measured():
        spent = {
            parameter.name: _spent(ticks(code, parameter), document, units, embedder)
            for parameter in declaration.parameters
            if is_fast_number(parameter)
        }
        _add(rows, classes, code, spent)
    sentences = {"SBC, reg.max": _spent(regularised(EVENTS), document, units, embedder)}
    _add(rows, classes, "REG", sentences)
    totals = [
        row("by class, fast parameter", name, values, "ms", target=TARGETS.get(name, ""))
        for name, values in classes.items()
    ]
    return rows + totals


def _add(
    rows: list[Row], classes: dict[str, list[float]], code: str, spent: dict[str, list[float]]
) -> None:
    """A row of the parameter that takes longest, and all values to their class."""
    spent = {name: values for name, values in spent.items() if values}
    if not spent:
        return
    is_piece = code in PIECES
    name = "pieces" if is_piece else strategies()[code].declaration.strategy_class
    classes.setdefault(name, []).extend(each for values in spent.values() for each in values)
    slowest = max(spent, key=lambda each: float(np.median(spent[each])))
    group = f"fast parameter, {TOKENS:,} tokens"
    rows.append(row(group, code, spent[slowest], "ms", target=TARGETS[name], note=slowest))


def slow(document: Document, units: Units, embedder: Embedder) -> list[Row]:
    """Each slow parameter at other values, units and vectors at hand: prepared anew each time."""
    rows = []
    for code, declaration in measured():
        for parameter in declaration.parameters:
            if not parameter.slow:
                continue
            first, again = list[float](), list[float]()
            for recipe in _others(code, parameter):
                try:
                    for spent in (first, again):
                        begin = time.perf_counter()
                        run(recipe, document, units.aside(), embedder=embedder, allow_many=True)
                        spent.append((time.perf_counter() - begin) * 1000)
                except ChunkscopeError:
                    continue
            rows.append(
                row(
                    "slow parameter, prepared anew",
                    f"{code} {parameter.name}",
                    again,
                    "ms",
                    target=SLOW_TARGETS.get(declaration.strategy_class, ""),
                    note=f"first visit, units or vectors new: {max(first, default=0):,.0f} ms",
                )
            )
    return rows


def measured() -> Iterator[tuple[str, Declaration]]:
    """The strategies that run here: no language model, nothing that runs others."""
    for code, strategy in strategies().items():
        declaration = strategy.declaration
        if declaration.strategy_class == "model" or declaration.model_made or code in ASKS:
            continue
        yield code, declaration


def _spent(
    recipes: Sequence[Recipe], document: Document, units: Units, embedder: Embedder
) -> list[float]:
    """Milliseconds of processor time of each recipe, everything slow prepared."""
    try:
        for recipe in recipes[:1]:
            run(recipe, document, units, embedder=embedder, allow_many=True)
        return [once(recipe, document, units, embedder) for recipe in recipes]
    except ChunkscopeError:
        return []


def once(recipe: Recipe, document: Document, units: Units, embedder: Embedder) -> float:
    """Milliseconds of processor time of one run."""
    gc.disable()  # as in the window, which collects when it rests; spaCy turns it on again
    begin = time.process_time()
    run(recipe, document, units, embedder=embedder, allow_many=True)
    return (time.process_time() - begin) * 1000


def regularised(events: int) -> list[Recipe]:
    """REG behind the sentences, at several sizes."""
    return [make_recipe("SBC", {"reg": True, "reg.max": 1100 - 10 * k}) for k in range(events)]


def _others(code: str, parameter: Parameter) -> list[Recipe]:
    """Recipes with values of a slow parameter other than its default."""
    if parameter.type == "boolean":
        values: list[Value] = [not parameter.default]
    elif parameter.type == "pattern":
        values = list(PATTERNS)
    elif parameter.type == "choice":
        own = SEPARATORS if parameter.name.endswith("separators") and parameter.open_choice else ()
        choices = (*parameter.choices, *own) or STAGES
        values = [each for each in choices if each != parameter.default]
    else:
        values = _around(parameter)[1:4]
    return _made(code, parameter, values)


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
    text = prose(330_000)[:1_444_000]
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


def is_fast_number(parameter: Parameter) -> bool:
    """True for what a slider drags without anything being prepared anew."""
    return not parameter.slow and parameter.type in ("integer", "number")


def ticks(code: str, parameter: Parameter, events: int = EVENTS) -> list[Recipe]:
    """Recipes with values of a number around its default."""
    return _made(code, parameter, _around(parameter)[:events])


def _made(code: str, parameter: Parameter, values: Sequence[Value]) -> list[Recipe]:
    made = []
    for value in values:
        try:
            made.append(make_recipe(code, {parameter.name: value}))
        except ChunkscopeError:  # beyond what another parameter allows
            continue
    return made


def _around(parameter: Parameter) -> list[Value]:
    default = parameter.default
    assert isinstance(default, int | float), "a number"
    if parameter.type == "integer":
        return [int(default) + k for k in range(EVENTS)]
    return [default + 0.01 * k for k in range(EVENTS)]


def prose(tokens: int) -> str:
    """Prose of about that many tokens: that of `repeated`, again and again."""
    base, wanted = repeated(), int(tokens * CHARACTERS_A_TOKEN)
    return (base * (wanted // len(base) + 1))[:wanted]


def repeated() -> str:
    """The shared texts, or the sample report."""
    parts = [shared(f"data/{name}.md") for name in ("state_of_the_union", "wikitexts", "chatlogs")]
    texts = [path.read_text(encoding="utf-8") for path in parts if path is not None]
    return "\n\n".join(texts) or read_document(REPORT).text
