"""Work on other people's files has a deadline."""

from __future__ import annotations

import signal
import time

import pytest

from sectax.formats import input_file as module
from sectax.formats.bad_input import BadInput
from sectax.formats.input_file import deadline


def test_work_that_does_not_end_is_stopped_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEADLINE_S", 0.1)

    with pytest.raises(BadInput), deadline(0):
        time.sleep(10)


def test_a_larger_file_may_take_longer_and_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEADLINE_S", 0.01)
    before = signal.getsignal(signal.SIGALRM)

    with deadline(50 * 2**20):
        time.sleep(0.05)

    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
