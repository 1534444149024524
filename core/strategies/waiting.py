# SPDX-License-Identifier: AGPL-3.0-or-later
"""The strategies that ask a language model: declared, so that they are seen, but not run yet.

They are shown in the picker and by `strategies`, with their parameters. Nothing of them is
registered: without a model there are no chunks, and none are made up.
"""

from core.declaration import Declaration, Parameter

WAITS = "Waits for a language model: none can be connected yet."
_BENCH = "A Systematic Investigation of Document Chunking Strategies, Tables 1 and 2"

MAX_CHARS = Parameter(
    "max_chars", 1500, "Longest chunk", minimum=100, maximum=100_000, unit="characters"
)
OVERLAP = Parameter(
    "overlap",
    80,
    "How far each chunk reaches back",
    minimum=0,
    maximum="max_chars / 2",
    unit="characters",
)
LBDC = Declaration(
    code="LBDC",
    name="LLM boundary detection chunking",
    family="model-made",
    strategy_class="model",
    source=_BENCH,
    help=f"A model gives each place between two sentences the probability of a boundary. {WAITS}",
    parameters=(
        Parameter(
            "tau",
            0.5,
            "Cut where the probability is above this",
            type="number",
            minimum=0,
            maximum=1,
            step=0.01,
            unit="probability",
        ),
        MAX_CHARS,
        OVERLAP,
        Parameter(
            "batch", 20, "Pairs in one request", minimum=1, maximum=100, unit="pairs", slow=True
        ),
    ),
    sentences="punkt",
    model_made=True,
)
LSTC = Declaration(
    code="LSTC",
    name="LLM segment then chunk",
    family="model-made",
    strategy_class="model",
    source=_BENCH,
    help=f"A model divides long blocks into segments, which are cut to size. {WAITS}",
    parameters=(
        Parameter(
            "refine",
            1200,
            "Blocks longer than this go to the model",
            minimum=100,
            maximum=100_000,
            unit="characters",
            slow=True,
        ),
        MAX_CHARS,
        OVERLAP,
    ),
    model_made=True,
)
K3 = Declaration(
    code="K3",
    name="Propositions (clinical)",
    family="model-made",
    strategy_class="model",
    source="Comparative Evaluation of Advanced Chunking for Clinical Decision Support, 2.2.3",
    help=f"A model lists the propositions of each sentence; related ones are joined. {WAITS}",
    parameters=(
        Parameter(
            "temperature",
            0.2,
            "Of the model",
            type="number",
            minimum=0,
            maximum=2,
            step=0.1,
            slow=True,
        ),
        Parameter(
            "max_tokens",
            256,
            "Longest answer for a sentence",
            minimum=16,
            maximum=4_096,
            unit="tokens",
            slow=True,
        ),
        Parameter("max_words", 500, "Longest chunk", minimum=1, maximum=10_000, unit="words"),
        Parameter(
            "relate",
            0.25,
            "A proposition less alike begins a chunk",
            type="number",
            minimum=-1,
            maximum=1,
            step=0.01,
            unit="cosine",
        ),
    ),
    sentences="spacy",
    model_made=True,
)
LRX = Declaration(
    code="LRX",
    name="Regular expression from a language model",
    family="model-made",
    strategy_class="model",
    source="Adaptive Chunking: Optimizing Chunking-Method Selection for RAG",
    help=f"A model reads the beginning and writes the expression to split at. {WAITS}",
    parameters=(
        Parameter(
            "context",
            8000,
            "How much of the document the model reads",
            minimum=100,
            maximum=100_000,
            unit="o200k tokens",
            slow=True,
        ),
        Parameter(
            "temperature",
            0.0,
            "Of the model",
            type="number",
            minimum=0,
            maximum=2,
            step=0.1,
            slow=True,
        ),
        Parameter("regularise", True, "Regularise the chunks", type="boolean"),
    ),
    model_made=True,
)

WAITING: dict[str, Declaration] = {each.code: each for each in (LBDC, LSTC, K3, LRX)}
