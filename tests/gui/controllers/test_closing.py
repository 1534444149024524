# SPDX-License-Identifier: AGPL-3.0-or-later
"""What becomes of the work for a document that is closed."""

import threading

from core.strategies.recipe import parse_recipe


def test_closing_a_document_ends_the_work_for_it(lab):
    release = threading.Event()
    for lane in ("model", "python"):  # nothing is done until the document is closed
        lab.jobs.request(f"stop {lane}", lane, lambda token: release.wait(20), lambda _: None)
    try:
        lab.scoring.start()
        slot = lab.state.add_slot(parse_recipe("RC:size=300,overlap=0"))
        kinds = (f"chunks d {slot}", "pairs d")
        assert all(lab.jobs.is_busy(kind) for kind in kinds)
        lab.state.remove_document("d")
        assert not any(lab.jobs.is_busy(kind) for kind in kinds)
    finally:
        release.set()
