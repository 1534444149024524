# SPDX-License-Identifier: AGPL-3.0-or-later
"""What becomes of the work for a document that is closed."""

import threading
from pathlib import Path

from core.strategies.recipe import parse_recipe
from gui.state import OpenDocument
from tests.gui.lab import paragraphs


def test_closing_a_document_ends_the_work_for_it(lab):
    release = threading.Event()
    for lane in ("model", "python"):  # nothing is done until the document is closed
        lab.jobs.request(f"stop {lane}", lane, lambda token: release.wait(60), lambda _: None)
    try:
        # A text of its own: that of the laboratory may have been looked at before the lanes stood.
        lab.state.add_document(OpenDocument("e", Path("other.txt"), "other", document=other_text()))
        slot = lab.state.add_slot(parse_recipe("RC:size=300,overlap=0"))
        lab.state.text_changed.emit("e")
        kinds = (f"chunks e {slot}", "pairs e")
        assert [kind for kind in kinds if not lab.jobs.is_busy(kind)] == []
        lab.state.remove_document("e")
        assert [kind for kind in kinds if lab.jobs.is_busy(kind)] == []
    finally:
        release.set()


def other_text():
    document = paragraphs()
    return type(document)(document.text + "\n\nEnde.", name="other", language="de")
