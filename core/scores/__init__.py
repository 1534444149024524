# SPDX-License-Identifier: AGPL-3.0-or-later
"""The five intrinsic scores of a chunking, what they blame, and the choice per document."""
