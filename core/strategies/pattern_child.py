# SPDX-License-Identifier: AGPL-3.0-or-later
"""Searches a text for a user's pattern, in a process of its own that may be killed.

Run as a script, with the standard library alone, so that it starts in a few hundredths of a
second. In: one line of JSON, then the text. Out: pairs of int64, start and end of each match, as
they are found. `faulthandler` ends the process when the time is over, also from within a match
that never returns: its watchdog needs no interpreter lock.
"""

import faulthandler
import json
import re
import sys
import time
from array import array

FINISHED, TOO_MANY, BAD_PATTERN = 0, 3, 4
FLUSH_SECONDS = 0.005  # what the parent knows of the place, when the time is over


def main() -> int:
    """Search, and return the exit status."""
    task = json.loads(sys.stdin.buffer.readline())
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    found = re.compile(task["pattern"])
    most = task["most"]
    faulthandler.dump_traceback_later(task["seconds"], exit=True)
    out, waiting = sys.stdout.buffer, array("q")
    last = time.monotonic()
    for number, match in enumerate(found.finditer(text), start=1):
        if number > most:
            return TOO_MANY
        waiting.extend(match.span())
        if (now := time.monotonic()) - last > FLUSH_SECONDS:
            out.write(waiting.tobytes())
            out.flush()
            waiting, last = array("q"), now
    faulthandler.cancel_dump_traceback_later()
    out.write(waiting.tobytes())
    out.flush()
    return FINISHED


if __name__ == "__main__":
    sys.exit(main())
