# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the engine does about models only after the user agreed: downloads, and endpoints."""

import os

from core.cancel import CancelToken, Progress
from core.vectors.endpoint import CONFIRMED_VARIABLE
from core.vectors.models import download_model


def fetch_model(name: str, *, cancel: CancelToken, progress: Progress) -> str:
    """Download a model into the models' folder; the name of that folder.

    Raises:
        ModelError: it cannot be had.
    """
    cancel.check()
    progress(0, 1, "download")
    return str(download_model(name))


def confirm_host(host: str, *, cancel: CancelToken, progress: Progress) -> None:
    """Note in this process that text may go to a host."""
    del cancel, progress
    note_host(host)


def note_host(host: str) -> None:
    """Note that the user agreed that text goes to a host; processes started later know it too."""
    known = [each.strip() for each in os.environ.get(CONFIRMED_VARIABLE, "").split(",")]
    hosts = dict.fromkeys(each for each in (*known, host) if each)
    os.environ[CONFIRMED_VARIABLE] = ",".join(hosts)


def is_confirmed(host: str) -> bool:
    """True if the user agreed that text goes to a host."""
    known = os.environ.get(CONFIRMED_VARIABLE, "").split(",")
    return host in {each.strip() for each in known}
