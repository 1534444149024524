# SPDX-License-Identifier: AGPL-3.0-or-later
"""An evaluation of small texts with the toy embedder, and the panel that shows it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.cancel import NEVER, silent
from core.document.model import Document
from core.evaluation_run import Plan, run_plan
from core.search.evaluation import Evaluation, Options
from core.search.query_sets import GoldSpan, Query, QuerySet, save_query_set
from core.strategies.recipe import parse_recipe
from gui.panels.evaluation.panel import VIEWS, EvaluatePanel
from gui.state import State
from gui.theme import LIGHT

TOPICS = (
    "harbour",
    "lantern",
    "orchard",
    "glacier",
    "violin",
    "comet",
    "saddle",
    "anchor",
    "meadow",
    "furnace",
)
WORDS = "FC:size=30,overlap=0 FC:size=60,overlap=0 FC:size=120,overlap=0 RC:size=400,overlap=0"


def prose(topic: str, number: int) -> str:
    """A paragraph whose third sentence answers a question about its topic."""
    return (
        f"The {topic} was built long before anybody wrote about it in this town. "
        f"Many people came to see the {topic} and went home again in the evening. "
        f"The {topic} keeper counted {number} visitors on the longest day of summer. "
        "Nobody remembers who paid for all of it, and nobody asks any more."
    )


def answer(topic: str, number: int) -> str:
    """The sentence that answers."""
    return f"The {topic} keeper counted {number} visitors on the longest day of summer."


def text_of(topics: tuple[str, ...]) -> str:
    """A document of a paragraph a topic."""
    return "\n\n".join(prose(topic, 40 + place) for place, topic in enumerate(topics))


def query_set(name: str, text: str, topics: tuple[str, ...]) -> QuerySet:
    """A question a topic, with its answer as gold."""
    queries = []
    for place, topic in enumerate(topics):
        quote = answer(topic, 40 + place)
        start = text.index(quote)
        gold = GoldSpan(name, start, start + len(quote), quote)
        question = f"How many visitors did the {topic} keeper count on the longest day of summer?"
        queries.append(
            Query(f"{Path(name).stem}-{place + 1}", question, (gold,), tags=("counting",))
        )
    return QuerySet(name, tuple(queries))


FIRST, SECOND = TOPICS[:5], TOPICS[5:]
TEXTS = {"one.txt": text_of(FIRST), "two.txt": text_of(SECOND)}
SETS = (
    query_set("one.txt", TEXTS["one.txt"], FIRST),
    query_set("two.txt", TEXTS["two.txt"], SECOND),
)


def evaluated(
    words: str = WORDS, sets: tuple[QuerySet, ...] = SETS, **options: object
) -> Evaluation:
    """Evaluate recipes on both texts."""
    plan = Plan(
        {name: Document(text, name=name) for name, text in TEXTS.items()},
        sets,
        tuple(parse_recipe(word) for word in words.split()),
        Options(k=3, measure_costs=False, **options),  # type: ignore[arg-type]
        ("toy",),
        intrinsic=True,
    )
    return run_plan(plan, cancel=NEVER, progress=silent)


@pytest.fixture(scope="session")
def evaluation(_own_folders) -> Evaluation:
    """Four strategies on ten questions in one pool."""
    return evaluated()


@pytest.fixture(scope="session")
def evaluation_of_many(_own_folders) -> Evaluation:
    """Four strategies on twenty questions, with and without near-duplicates."""
    again = tuple(
        replace(each, name=f"{each.name} again", queries=_reworded(each)) for each in SETS
    )
    return evaluated(sets=(*SETS, *again), without_duplicates=True)


def _reworded(questions: QuerySet) -> tuple[Query, ...]:
    return tuple(
        replace(each, id=f"{each.id} again", question=f"Tell me: {each.question}")
        for each in questions.queries
    )


@pytest.fixture(scope="session")
def evaluation_by_document(_own_folders) -> Evaluation:
    """The same, each document a pool."""
    return evaluated(pool="document")


@pytest.fixture
def panel(qtbot):
    """The panel of evaluations without the window."""
    made = EvaluatePanel(State(), LIGHT)
    for kind in VIEWS:
        made.view(kind.title)
    made.set_quotes(lambda name, start, end: TEXTS[name][start:end])
    qtbot.addWidget(made)
    made.resize(1200, 420)
    made.show()
    return made


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """Both texts as files with their questions beside them."""
    paths = {}
    for (name, text), questions in zip(TEXTS.items(), SETS, strict=True):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        save_query_set(questions, path.with_name(f"{path.stem}.queries.json"))
        paths[name] = path
    return paths


def read_json(path: Path) -> dict:
    """A JSON file."""
    return json.loads(path.read_text("utf-8"))
