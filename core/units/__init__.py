# SPDX-License-Identifier: AGPL-3.0-or-later
"""Units of text as offset tables: tokens, sentences, paragraphs, grapheme clusters."""
