# SPDX-License-Identifier: AGPL-3.0-or-later
"""Embedders, token vectors and late pooling, and the cache of vectors."""
