"""The Chromium that opens pages: on PATH, or the one that `playwright install chromium` has fetched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Its path; None where there is none."""
    on_path = next(filter(None, map(shutil.which, _NAMES)), None)
    if on_path is not None:
        return on_path
    fetched = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright")
    return next((str(path) for path in sorted(fetched.glob("chromium-*/chrome-linux*/chrome"), reverse=True)), None)
