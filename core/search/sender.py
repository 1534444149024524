# SPDX-License-Identifier: AGPL-3.0-or-later
"""Asks the index in the engine process, sending texts and vectors only of rows that changed."""

from collections import OrderedDict

import numpy as np

from core.arrays import Indices
from core.cancel import NEVER, CancelToken
from core.search import serve
from core.search.rows import ChangedRows, Rows
from core.search.serve import KEPT_TABLES, Found, Question, Where
from core.vectors.remote import Caller

LEAST_SHARED = 0.2  # of the rows; below, they are sent whole


class RowSender:
    """Remembers by their keys which rows of each table the engine has.

    What it remembers may be out of date: the engine then says so, and all rows are sent.
    """

    def __init__(self) -> None:
        self._sent: OrderedDict[Where, Indices] = OrderedDict()

    def ask(
        self,
        engine: Caller,
        where: Where,
        rows: Rows,
        question: Question,
        *,
        cancel: CancelToken = NEVER,
    ) -> Found:
        """Make the table hold exactly `rows`, and ask it.

        Raises:
            SearchError, ModelError, ParameterError: as `serve.update_and_search`.
            Cancelled, EngineEnded: as `EngineProcess.call_urgent`.
        """
        before = self._sent.pop(where, None)
        found: Found | None = None
        if before is rows.keys:  # another question about the same rows
            digest = rows.digest()
            found = engine.call_urgent(serve.search_again, where, digest, question, cancel=cancel)
        elif before is not None and _is_worth_comparing(rows, before):
            changed = ChangedRows.of(rows, before)
            found = engine.call_urgent(
                serve.update_changed_and_search, where, changed, question, cancel=cancel
            )
        if found is None:
            found = engine.call_urgent(
                serve.update_and_search, where, rows, question, cancel=cancel
            )
        self._sent[where] = rows.keys
        while len(self._sent) > KEPT_TABLES:
            self._sent.popitem(last=False)
        return found


def _is_worth_comparing(rows: Rows, before: Indices) -> bool:
    shared = int(np.isin(rows.keys, before).sum())
    return bool(shared) and shared >= LEAST_SHARED * len(rows)
