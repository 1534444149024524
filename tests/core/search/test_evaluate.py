# SPDX-License-Identifier: AGPL-3.0-or-later
"""Whole evaluations on small documents with a toy model: pools, resume, judgements, warnings."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.arrays import as_spans
from core.document.model import Document
from core.errors import Cancelled, ModelError, ParameterError, SearchError
from core.pipeline import Pipeline
from core.search.conclusions import effect_of_duplicates
from core.search.evaluate import Contender, Options, evaluate
from core.search.evaluation import QuestionRecord, RankedChunk
from core.search.evaluation_json import evaluation_csv, evaluation_json
from core.search.hits import Ranking
from core.search.judgements import Judgement, judgements_of
from core.search.place import indexes_folder
from core.search.query_sets import GoldSpan, Query, QuerySet
from core.search.question_record import false_alarms
from core.search.retriever import Retrieved
from core.strategies.chunks import one_span_chunks
from core.strategies.recipe import parse_recipe
from core.vectors.toy import ToyEmbedder

TOPICS = ("engine oil", "brake pads", "front lights", "winter tyres", "cabin heater", "wipers")
OPTIONS = Options(measure_costs=False)


def document(name):
    lines = [f"The {name} manual says of {t}: check the {t} each spring." for t in TOPICS]
    return Document("\n\n".join(lines), f"{name}.md")


DOCUMENTS = {"car": document("car"), "van": document("van")}


def question(name, topic, **more):
    text = DOCUMENTS[name].text
    quote = f"check the {topic} each spring"
    start = text.index(quote)
    gold = (GoldSpan(f"{name}.md", start, start + len(quote), quote),)
    fields = {
        "id": f"{name}-{topic}",
        "question": f"{name} {topic}?",
        "gold": gold,
        "tags": (name,),
    }
    return Query(**{**fields, **more})


QUESTIONS = QuerySet("set", tuple(question(n, t) for n in DOCUMENTS for t in TOPICS))
SMALL = Contender("PGC", parse_recipe("PGC:paragraphs=1,overlap=0"))
LARGE = Contender("FCC", parse_recipe("FCC:size=60,overlap=0"))


def run(queries=QUESTIONS, contenders=(SMALL, LARGE), options=OPTIONS, **more):
    given = {"stages": Pipeline(), "embedders": [ToyEmbedder()], **more}
    return evaluate(DOCUMENTS, [queries], contenders, options=options, **given)


def test_a_strategy_that_keeps_the_answers_whole_wins():
    found = run()

    small, large = found.results
    assert small.measures["survival"].mean == 1.0 > large.measures["survival"].mean
    assert small.measures["recall"].n == 12 == found.used
    assert {c.measure for c in found.comparisons} >= {"recall", "ndcg", "hit"}


def test_an_evaluation_is_valid_json_and_csv():
    found = run()

    written = json.loads(json.dumps(evaluation_json(found), allow_nan=False))
    assert written["questions"] == {"used": 12, "left_out": []}
    assert [r["strategy"] for r in written["results"]] == ["PGC", "FCC"]
    assert set(written["results"][0]["measures"]["recall"]) >= {"mean", "low", "high", "n"}
    assert {"a", "b", "measure", "difference", "low", "high", "p", "p_adjusted", "d"} <= set(
        written["comparisons"][0]
    )
    assert len(evaluation_csv(found).splitlines()) == 1 + 2 * 12


def test_the_same_evaluation_gives_the_same_numbers():
    def numbers(found):
        return [
            {name: row[name] for name in ("id", "measures", "hits", "gold")}
            for row in evaluation_json(found)["per_question"]
        ]

    assert numbers(run()) == numbers(run())


def test_pools_by_document_hold_the_questions_about_each():
    found = run(options=replace(OPTIONS, pool="document"))

    assert [(r.record.pool, len(r.record.questions)) for r in found.results] == [
        ("car", 6),
        ("car", 6),
        ("van", 6),
        ("van", 6),
    ]


def test_pools_by_tag_are_those_of_documents_or_else_of_questions():
    by_question = run(options=replace(OPTIONS, pool="tag"))
    by_document = run(
        options=replace(OPTIONS, pool="tag"), tags={"car": ("road",), "van": ("road",)}
    )

    assert {r.record.pool for r in by_question.results} == {"car", "van"}
    assert {r.record.pool for r in by_document.results} == {"road"}


class StopAfterTheFirst:
    """Cancels once a record has been kept."""

    def __init__(self, folder):
        self.folder = folder

    def check(self):
        if any(self.folder.glob("records/*.json")):
            raise Cancelled


def test_an_evaluation_goes_on_where_it_was_interrupted(tmp_path):
    with pytest.raises(Cancelled):
        run(folder=tmp_path, cancel=StopAfterTheFirst(tmp_path))
    (kept,) = (tmp_path / "records").glob("*.json")
    before = kept.stat().st_mtime_ns

    found = run(folder=tmp_path)

    assert kept.stat().st_mtime_ns == before
    assert len(found.results) == 2 and len(list((tmp_path / "records").glob("*.json"))) == 2


def test_a_damaged_record_is_made_again(tmp_path):
    first = run(folder=tmp_path)
    for path in (tmp_path / "records").glob("*.json"):
        path.write_text("{")

    again = run(folder=tmp_path)

    assert again.results[0].measures == first.results[0].measures


def test_a_record_of_other_options_is_not_taken(tmp_path):
    run(folder=tmp_path)

    found = run(folder=tmp_path, options=replace(OPTIONS, k=1))

    assert found.results[0].record.k == 1


def test_chunks_of_another_tool_are_one_more_strategy():
    foreign = {
        name: one_span_chunks(as_spans([(0, len(document.text))]))
        for name, document in DOCUMENTS.items()
    }

    found = run(contenders=[SMALL, Contender("theirs", foreign=foreign)])

    theirs = found.results[1]
    assert theirs.record.strategy == "theirs" and theirs.record.chunks == 2
    assert theirs.measures["survival"].mean == 1.0


def test_questions_that_cannot_be_used_are_listed_with_the_reason():
    queries = QuerySet(
        "set",
        (
            *QUESTIONS.queries,
            Query("none", "And?"),
            Query("away", "Where?", (GoldSpan("boat.md", 0, 3, "sea"),)),
            question("car", "engine oil", id="lost", gold=(GoldSpan("car.md", 0, 3, "sea"),)),
        ),
    )

    found = run(queries)

    assert [(each.id, each.reason) for each in found.left_out] == [
        ("none", "not annotated"),
        ("away", "its document is not here"),
        ("lost", "gold lost"),
    ]
    assert any("3 questions are left out" in warning for warning in found.warnings)


def test_gold_that_stands_in_a_copy_is_found_there():
    twin = {**DOCUMENTS, "copy": Document(DOCUMENTS["car"].text, "copy.md")}
    queries = QuerySet("set", tuple(q for q in QUESTIONS.queries if q.id.startswith("car")))
    long = [replace(q, gold=(whole_line(q),)) for q in queries.queries]
    given = {"stages": Pipeline(), "embedders": [ToyEmbedder()]}
    one_hit = replace(OPTIONS, k=1)

    found = evaluate(twin, [QuerySet("set", tuple(long))], [SMALL], options=one_hit, **given)
    strict = evaluate(
        twin,
        [QuerySet("set", tuple(long))],
        [SMALL],
        options=replace(one_hit, gold_follows_copies=False),
        **given,
    )

    assert found.document_pairs[0].same_text
    assert found.results[0].measures["recall"].mean >= strict.results[0].measures["recall"].mean
    # of two equal chunks the one of "car" comes first, by name
    assert any("copy" in warning for warning in found.warnings)


def whole_line(query):
    span, text = query.gold[0], DOCUMENTS["car"].text
    start = text.rfind("\n", 0, span.start) + 1
    return replace(span, start=start, text=text[start : span.end])


def test_without_duplicates_the_next_results_move_up():
    doubled = {
        name: one_span_chunks(as_spans([(0, 60), (0, 60), (60, len(d.text))]))
        for name, d in DOCUMENTS.items()
    }
    theirs = [Contender("twice", foreign=doubled)]

    plain = run(contenders=theirs)
    cleaned = run(contenders=theirs, options=replace(OPTIONS, without_duplicates=True))

    assert plain.results[0].measures["dup_slots"].mean > 0
    assert cleaned.results[0].measures["dup_slots"].mean == 0
    assert len(cleaned.results[0].record.questions[0].top) == 4


def test_a_judgement_beats_the_gain_from_spans():
    first = run(contenders=[SMALL]).results[0].record.questions[0]
    top = first.top[0]
    judged = judgements_of([Judgement(first.id, top.document, top.start, top.end, 1)])

    found = run(contenders=[SMALL], judgements=judged)

    assert found.results[0].record.questions[0].top[0].gain == 1


def test_an_answer_without_gold_takes_part_in_judged_measures_only():
    asked = Query("judged", "car engine oil?", answer="each spring")
    span = run(contenders=[SMALL]).results[0].record.questions[0].top[0]
    judged = judgements_of([Judgement("judged", span.document, span.start, span.end, 2)])

    found = run(QuerySet("set", (*QUESTIONS.queries, asked)), [SMALL], judgements=judged)

    record = found.results[0].record.questions[-1]
    assert record.measures["5"]["recall"] is None
    assert record.measures["5"]["hit"] == 1.0
    assert record.measures["5"]["judged"] == pytest.approx(0.2)
    assert any("incomplete judgements" in warning for warning in found.warnings)
    low, high = found.results[0].ndcg_bounds
    assert low <= found.results[0].measures["ndcg"].mean <= high


def test_only_questions_that_are_judged_for_all_are_compared():
    asked = Query("judged", "car engine oil?", answer="each spring")
    span = run(contenders=[SMALL]).results[0].record.questions[0].top[0]
    judged = judgements_of([Judgement("judged", span.document, span.start, span.end, 2)])

    found = run(QuerySet("set", (*QUESTIONS.queries, asked)), judgements=judged)

    hits = next(each for each in found.comparisons if each.measure == "hit")
    assert hits.result.n == 12 and found.used == 13


def test_the_effect_of_duplicates_is_a_paired_difference():
    doubled = {
        name: one_span_chunks(as_spans([(0, 60), (0, 60), (60, len(d.text))]))
        for name, d in DOCUMENTS.items()
    }
    theirs = [Contender("twice", foreign=doubled)]
    plain = run(contenders=theirs)
    cleaned = run(contenders=theirs, options=replace(OPTIONS, without_duplicates=True))

    (precision,) = (
        each for each in effect_of_duplicates(plain, cleaned) if each.measure == "precision"
    )

    assert precision.a == "twice without duplicates"
    expected = [r.results[0].measures["precision"].mean for r in (cleaned, plain)]
    assert precision.result.difference == pytest.approx(expected[0] - expected[1])


def test_false_alarms_are_unanswerable_questions_that_score_like_right_answers():
    scores = [0.9, 0.8] * 15 + [0.85, 0.1]
    rankings = [Ranking(np.array([0]), np.array([score])) for score in scores]
    retrieved = Retrieved(rankings, None, None)
    hit = RankedChunk("d", 0, 0, 9, 0.9, 2)
    questions = [QuestionRecord(str(i), "s", "d", [], {}, [hit], []) for i in range(30)]

    assert false_alarms(retrieved, questions, 30, OPTIONS) == 0.5
    assert false_alarms(retrieved, questions[:10], 10, OPTIONS) is None
    assert false_alarms(retrieved, questions, 30, replace(OPTIONS, retrieval="text")) is None


@pytest.mark.parametrize("mode", ["index", "text", "hybrid"])
def test_other_modes_find_the_answers_too(mode):
    found = run(contenders=[SMALL], options=replace(OPTIONS, retrieval=mode))

    assert found.results[0].measures["hit"].mean > 0.8


def test_full_text_needs_no_model():
    found = run(contenders=[SMALL], options=replace(OPTIONS, retrieval="text"), embedders=[])

    assert found.results[0].record.embedder is None


def test_costs_are_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))

    found = run(contenders=[SMALL], options=Options())

    costs = found.results[0].record.costs
    assert costs["index_bytes"] > 0 and costs["search_milliseconds"]["p95"] > 0
    assert costs["tokens"]["max"] > 5
    assert evaluation_json(found)["pareto"][0]["front"] == ["PGC"]
    assert not list(indexes_folder().rglob("*.lance")), "the tables of an evaluation are removed"


def test_intrinsic_scores_are_means_over_documents():
    values = iter([{"BI": 0.5, "RC": None}, {"BI": 1.0, "RC": None}])

    found = run(contenders=[SMALL], intrinsic=lambda document, chunks: next(values))

    assert found.results[0].record.intrinsic == {"BI": 0.75, "RC": None}


def test_ranks_of_gold_in_the_full_ranking():
    record = run(contenders=[SMALL]).results[0].record

    for each in record.questions:
        places = [
            rank + 1
            for rank, hit in enumerate(each.top)
            if hit.document == each.gold[0].document and hit.start <= each.gold[0].start < hit.end
        ]
        assert each.gold[0].rank == (places[0] if places else each.gold[0].rank)
        assert each.gold[0].rank is not None


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        pytest.param({"options": Options(k=0)}, ParameterError, "k is 0", id="k"),
        pytest.param({"options": Options(retrieval="best")}, ParameterError, "'best'", id="mode"),
        pytest.param({"options": Options(pool="page")}, ParameterError, "'page'", id="pool"),
        pytest.param({"embedders": []}, ModelError, "needs an embedding model", id="model"),
        pytest.param({"contenders": []}, ParameterError, "no strategy", id="none"),
        pytest.param({"contenders": [SMALL, SMALL]}, ParameterError, "twice", id="twice"),
        pytest.param({"queries": QuerySet("s", ())}, SearchError, "no question", id="empty"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(change, error, message):
    with pytest.raises(error, match=message):
        run(**change)


def test_the_winner_is_reported_on_questions_that_did_not_choose_it():
    twice = tuple(
        replace(query, id=f"{query.id} {i}") for query in QUESTIONS.queries for i in range(2)
    )

    found = run(QuerySet("set", twice))

    recall = next(each for each in found.chosen if each.measure == "recall")
    assert recall.interval.n == 12 and recall.questions == 12
    best = max(recall.every, key=lambda each: each.choosing)
    assert (best.strategy, best.reported) == (recall.strategy, recall.interval)
    assert evaluation_json(found)["chosen"][0]["strategy"] in ("PGC", "FCC")


def test_the_seed_decides_the_intervals():
    one, other = (run(options=replace(OPTIONS, seed=seed)) for seed in (1, 1))

    assert one.results[0].measures == other.results[0].measures
    assert np.isfinite(one.results[0].measures["precision"].low)
