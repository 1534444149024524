# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunkscope's core: documents, units, strategies, scores and search. It never imports Qt."""

VERSION = "0.1.0"
