# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tests of Chunkscope; folders mirror the packages `core` and `gui`."""
