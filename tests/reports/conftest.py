"""Golden files of reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden import as_agreed


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares a text with the golden file of this name."""
    return lambda name, text: as_agreed(Path(__file__).parent / "golden" / name, text)
