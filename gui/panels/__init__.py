# SPDX-License-Identifier: AGPL-3.0-or-later
"""Panels: views of the state around the pages, one a file."""
