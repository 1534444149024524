# SPDX-License-Identifier: AGPL-3.0-or-later
"""Search: the LanceDB index, retrieval modes, query sets, gold passages, measures, statistics."""
