# SPDX-License-Identifier: AGPL-3.0-or-later
"""The window. Widgets show values and say what the user did; `core` computes."""
