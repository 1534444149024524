# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the user can mend, said in one line: what, which value, which bound, what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class ChunkscopeError(Exception):
    """Base of all errors that are shown to the user as they are."""


class ParameterError(ChunkscopeError):
    """A parameter has a value that is not allowed."""


class DocumentError(ChunkscopeError):
    """A document cannot be read, or not as asked."""


class PasswordError(DocumentError):
    """The document needs a password, or the given one is wrong."""


class ModelError(ChunkscopeError):
    """A model is not there, or does not do what is asked of it."""


class EngineEnded(ModelError):
    """The engine's process ended while it worked; asked again, it starts anew."""


class SearchError(ChunkscopeError):
    """An index, a query set or a gold passage cannot be used."""


class Cancelled(Exception):
    """The work was cancelled; never shown."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'X'?)" for the known name nearest to `name`, or an empty string."""
    names = list(known)
    folded = {each.lower(): each for each in names}
    found = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f" (did you mean '{folded[found[0]]}'?)" if found else ""
