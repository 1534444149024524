# SPDX-License-Identifier: AGPL-3.0-or-later
"""Judged gains: what a judge said, and what it did not."""

import pytest

from core.errors import SearchError
from core.search.judgements import (
    Judgement,
    gain_from,
    judgements_of,
    load_judgements,
    save_judgements,
)


def judged(gain, start=0):
    return Judgement("q", "d", start, 10, gain, "RC", "me", "2026-01-01T00:00:00Z")


def test_the_last_judgement_of_a_span_counts():
    found = judgements_of([judged(0), judged(2)])

    assert found.gain("q", "d", 0, 10) == 2


def test_a_chunk_with_other_borders_is_unjudged():
    assert judgements_of([judged(2)]).gain("q", "d", 1, 10) is None


@pytest.mark.parametrize(
    ("answer", "gain"),
    [
        ("2", 2),
        (" 1\n", 1),
        (0, 0),
        ("3", None),
        ("", None),
        ("The grade is 2", None),
        (None, None),
    ],
)
def test_what_is_not_0_1_or_2_is_unjudged(answer, gain):
    assert gain_from(answer) == gain


def test_a_failed_judge_takes_its_judgement_back_and_gives_no_0():
    found = judgements_of([judged(1), judged(None)])

    assert found.gain("q", "d", 0, 10) is None and len(found) == 0


def test_saved_judgements_are_read_again(tmp_path):
    path = tmp_path / "j.json"
    save_judgements(judgements_of([judged(2), judged(None, 5)]), path)

    assert load_judgements(path).rows == (judged(2), judged(None, 5))


def test_judgements_may_stand_one_a_line(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text(
        '{"question": "q", "doc": "d", "start": 0, "end": 9, "gain": "2"}\n\n'
        '{"question": "q", "doc": "d", "start": 9, "end": 12, "gain": "?"}\n'
    )

    found = load_judgements(path)

    assert len(found.rows) == 2 and found.gain("q", "d", 0, 9) == 2 and len(found) == 1


@pytest.mark.parametrize("text", ["{", "[3]", '[{"question": "q"}]'])
def test_a_wrong_file_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "j.json"
    path.write_text(text)

    with pytest.raises(SearchError, match=r"j\.json"):
        load_judgements(path)
