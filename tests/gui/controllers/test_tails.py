# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where the model stops reading is told although the vectors came after the chunks."""

from core.vectors.models import load_embedder
from tests.gui.lab import Lab


def test_tails_are_known_once_the_vectors_have_come(lab: Lab) -> None:
    lab.scoring.computes_exactly = False
    slot = lab.show("FC:size=600,overlap=0")[0]
    result = lab.opened.result(slot)
    assert result.tail_starts is None

    with lab.qtbot.waitSignal(lab.state.tails_changed, timeout=60_000):
        lab.pipeline.set_embedder(load_embedder("minilm"))
        lab.scoring.start()

    result = lab.opened.result(slot)
    assert result.tail_starts == lab.pipeline.tails(lab.opened.document, result.chunks)
    assert 0 in result.tail_starts
