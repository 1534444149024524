# SPDX-License-Identifier: AGPL-3.0-or-later
"""Files made of a chunking: one module a format, `formats.py` knows which ending is whose."""
