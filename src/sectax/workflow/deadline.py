"""A deadline for work on what somebody else wrote: whatever is in it, there is an answer in the end."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from sectax.formats.bad_input import BadInput

# Files of the largest size take a few seconds; a machine that does other things too, several times that.
SECONDS, SECONDS_PER_MIB = 60.0, 2.0


@contextlib.contextmanager
def deadline(content_bytes: int) -> Iterator[None]:
    """Raise `BadInput` in what is done here once it takes far longer than so many bytes explain.

    Only the main thread can be interrupted; elsewhere nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = SECONDS + SECONDS_PER_MIB * content_bytes / 2**20

    def over(_: int, __: FrameType | None) -> NoReturn:
        raise BadInput(
            f"it was not audited within {seconds:.0f} s, and its size does not explain that",
            "audit a part of it; on a machine that is busy with other things, try again later",
        )

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
