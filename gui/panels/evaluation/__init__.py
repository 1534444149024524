# SPDX-License-Identifier: AGPL-3.0-or-later
"""Views of an evaluation, one a file, and the panel that holds them."""
