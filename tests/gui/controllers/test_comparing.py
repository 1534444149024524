# SPDX-License-Identifier: AGPL-3.0-or-later
"""Comparing many chunkings in small steps."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.scores.selection import LATE_FOR_ALL
from core.strategies.recipe import parse_recipe
from core.strategies.variants import Variant, with_and_without_reg
from gui.controllers.comparing import Comparing, Comparison
from gui.jobs import JobToken
from gui.panels.compare_panel import winner_words
from tests.core.scores.documents import WordModel, token_vectors
from tests.gui.lab import Lab

WORDS = ("SBC", "PBC", "FC:size=50,overlap=0", "SGC:sentences=4,overlap=0")


@pytest.fixture
def comparing(lab: Lab) -> Comparing:
    return Comparing(lab.state, lab.jobs, lab.pipeline, lab.scoring, lab.parent)


def variants(*words: str) -> list[Variant]:
    return [Variant(word, parse_recipe(word)) for word in words]


def run(lab: Lab, comparing: Comparing, *words: str) -> None:
    with lab.qtbot.waitSignal(comparing.finished, timeout=60_000):
        comparing.start(variants(*words), [lab.opened])


def test_each_row_has_the_scores_of_its_chunks(lab: Lab, comparing: Comparing) -> None:
    run(lab, comparing, *WORDS)
    rows = comparing.comparisons["d"].rows
    assert [row.candidate.name for row in rows] == list(WORDS)
    for row in rows:
        chunks = lab.pipeline.chunk(row.variant.recipe, lab.opened.document)
        expected = lab.pipeline.score(lab.opened.document, chunks, lab.scoring.options)
        assert row.candidate.scores is not None
        assert row.candidate.scores.values == expected.values


def test_rows_are_told_one_by_one(lab: Lab, comparing: Comparing) -> None:
    told: list[tuple[int, int]] = []
    comparing.progressed.connect(lambda done, total: told.append((done, total)))
    run(lab, comparing, *WORDS)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_more_urgent_work_comes_between_two_steps(lab: Lab, comparing: Comparing) -> None:
    order: list[str] = []
    comparing.row_added.connect(lambda *_: order.append("row"))

    def work(token: JobToken) -> object:
        token.check()
        return None

    comparing.start(variants(*WORDS), [lab.opened])
    lab.jobs.request("drag", "python", work, lambda _: order.append("drag"), priority=0)
    lab.wait(lambda: len(order) == 5)
    assert order.index("drag") <= 1


def test_stopping_keeps_what_was_computed(lab: Lab, comparing: Comparing) -> None:
    finished: list[bool] = []
    comparing.finished.connect(finished.append)
    comparing.row_added.connect(lambda _, place: comparing.cancel() if place == 1 else None)
    comparing.start(variants(*WORDS), [lab.opened])
    lab.wait(lambda: bool(finished))
    assert finished == [False]
    assert len(comparing.comparisons["d"].rows) == 2
    assert comparing.comparisons["d"].selection is not None


def test_a_variant_that_fails_is_a_row_with_its_error(lab: Lab, comparing: Comparing) -> None:
    run(lab, comparing, "RGX:pattern=((((", "PBC")
    failed, good = comparing.comparisons["d"].rows
    assert failed.candidate.scores is None
    assert failed.candidate.error
    assert good.candidate.scores is not None
    selection = comparing.comparisons["d"].selection
    assert selection is not None
    assert selection.winner == "PBC"


def test_other_weights_rank_anew_without_new_scores(lab: Lab, comparing: Comparing) -> None:
    run(lab, comparing, "SBC", "PBC")
    scores = [row.candidate.scores for row in comparing.comparisons["d"].rows]
    lab.scoring.set_weights({"RC": 0, "ICC": 0, "DCC": 0, "BI": 1, "SC": 0})
    comparing.choose_again()
    assert [row.candidate.scores for row in comparing.comparisons["d"].rows] == scores
    selection = comparing.comparisons["d"].selection
    assert selection is not None
    assert selection.winner == "PBC"
    assert selection.standing("PBC").value == 1.0


def test_identical_chunks_share_a_standing(lab: Lab, comparing: Comparing) -> None:
    run(lab, comparing, "SBC", "SGC:sentences=1,overlap=0")
    selection = comparing.comparisons["d"].selection
    assert selection is not None
    assert selection.standings[0].names == ("SBC", "SGC:sentences=1,overlap=0")


@pytest.fixture
def judged(lab: Lab, comparing: Comparing, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Compare by vectors of a model that reads so many words."""

    def run_it(window: int, *words: str) -> Comparison:
        lab.pipeline.set_embedder(replace(WordModel(), window=window))
        found = token_vectors(lab.opened.document.text)
        monkeypatch.setattr(lab.pipeline, "has_token_vectors", lambda document: True)
        monkeypatch.setattr(lab.pipeline, "token_vectors", lambda document, **more: found)
        lab.wait(lambda: not lab.jobs.is_busy("pairs"))  # else rows are scored anew meanwhile
        run(lab, comparing, *words)
        return comparing.comparisons["d"]

    return run_it


def kinds(comparison: Comparison) -> set[str]:
    return {row.candidate.scores["ICC"].state for row in comparison.rows}


def test_late_vectors_of_all_decide_where_a_chunk_is_longer_than_the_model_reads(
    comparing: Comparing, judged: Callable
) -> None:
    comparison = judged(60, "FC:size=40,overlap=0", "PBC")
    assert LATE_FOR_ALL in comparison.selection.warnings
    assert "longer than the model reads" in comparing.why_not_exactly("d")
    assert winner_words(comparison).startswith("Best: ")
    comparing.score_exactly("d")
    assert not comparing.is_running


def test_exact_scores_are_those_of_all_rows_at_once(
    lab: Lab, comparing: Comparing, judged: Callable
) -> None:
    comparison = judged(10_000, *WORDS[1:])
    assert kinds(comparison) == {"late"}
    seen: list[set[str]] = []
    comparing.progressed.connect(lambda *_: seen.append(kinds(comparison)))
    assert comparing.why_not_exactly("d") == ""
    with lab.qtbot.waitSignal(comparing.finished, timeout=60_000):
        comparing.score_exactly("d")
    assert seen == [{"late"}] * 3
    assert kinds(comparison) == {"exact"}


def test_stopping_exact_scores_keeps_the_late_ones(
    lab: Lab, comparing: Comparing, judged: Callable
) -> None:
    comparison = judged(10_000, *WORDS[1:])
    ends: list[bool] = []
    comparing.finished.connect(ends.append)
    comparing.progressed.connect(lambda done, total: comparing.cancel())
    comparing.score_exactly("d")
    lab.wait(lambda: bool(ends))
    assert ends == [False]
    assert kinds(comparison) == {"late"}
    assert not comparing.is_running


def test_with_and_without_reg_makes_pairs() -> None:
    both = with_and_without_reg(variants("RC:size=400"))
    assert [each.name for each in both] == ["RC:size=400", "RC:size=400 + REG"]
    assert [dict(each.recipe.shared.values)["reg"] for each in both] == [False, True]
