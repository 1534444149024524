# SPDX-License-Identifier: AGPL-3.0-or-later
"""How the threads of OpenMP wait for each other: PyTorch computes with them."""

import os


def wait_asleep() -> None:
    """Let threads that wait for others sleep instead of spin. Call it before torch is imported.

    A spinning thread takes the processor from the one that it waits for. Where two cores also read
    a PDF and find its layout, encoding 600 sentences took 20 s of processor time spinning, and 5 s
    asleep; on an idle machine there is no difference. What the user has set stays.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
