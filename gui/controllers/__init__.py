# SPDX-License-Identifier: AGPL-3.0-or-later
"""Controllers: they turn changes of the state into jobs, and results of jobs into state."""
