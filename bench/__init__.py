# SPDX-License-Identifier: AGPL-3.0-or-later
"""Measurements: speed, memory and quality, each against a yardstick of the same run."""
