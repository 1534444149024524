# SPDX-License-Identifier: AGPL-3.0-or-later
"""Cancelling and telling progress: what long work is given by its caller."""

from typing import Protocol


class CancelToken(Protocol):
    """Told between steps; raises `Cancelled` when the work is no longer wanted."""

    def check(self) -> None:
        """Raise `core.errors.Cancelled` if the work was cancelled."""


class Progress(Protocol):
    """Called with what is done and what there is to do, in the units that `what` names."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Tell that `done` of `total` of `what` ("chunks", "pages") are finished."""


class Never:
    """A cancel token that never cancels."""

    def check(self) -> None:
        """Do nothing."""


NEVER = Never()


def silent(done: int, total: int, what: str) -> None:
    """Tell nobody."""


def on_document(progress: Progress, name: str) -> Progress:
    """Progress of work on one of several documents: its units say of which."""

    def tell(done: int, total: int, what: str) -> None:
        progress(done, total, f"{what} of {name}")

    return tell
