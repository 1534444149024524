# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunking strategies, one file a family.

A new file here is the whole change: `registry` imports all of them when it is first asked.
"""
