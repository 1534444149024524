# SPDX-License-Identifier: AGPL-3.0-or-later
"""Fixtures of these tests."""

from tests.gui.lab import lab

__all__ = ["lab"]
