# SPDX-License-Identifier: AGPL-3.0-or-later
"""Documents: one string, and the geometry, pages and blocks that refer to it by offsets."""
