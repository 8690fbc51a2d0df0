"""Write the picture of a run: SVG, or PNG if a converter is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from sectax.model.errors import WrongUse

_SIZE = "1200,630"
_TIMEOUT_S = 60


def _chromium(svg: str, png: str) -> list[str]:
    # As root it does not start with its sandbox; the picture is our own, and loads nothing.
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    url = Path(svg).as_uri()
    return ["--headless", "--hide-scrollbars", *root, f"--screenshot={png}", f"--window-size={_SIZE}", url]


_CONVERTERS: dict[str, Callable[[str, str], list[str]]] = {
    "rsvg-convert": lambda svg, png: ["--output", png, svg],
    "inkscape": lambda svg, png: ["--export-type=png", f"--export-filename={png}", svg],
    "chromium": _chromium,
    "google-chrome": _chromium,
}


def refuse_unconvertible(out: str) -> None:
    """Raise `WrongUse`, before a run, if *out* cannot be written as a picture."""
    if Path(out).suffix.lower() not in (".svg", ".png"):
        raise WrongUse(f"pictures are SVG or PNG, not {Path(out).suffix or out}", "name FILE.svg or FILE.png")
    if _is_png(out) and _converter() is None:
        raise WrongUse(f"PNG needs one of {', '.join(_CONVERTERS)}", "apt-get install librsvg2-bin, or name FILE.svg")


def content(svg: str, out: str) -> bytes:
    """A picture as SVG, or PNG by its suffix; `WrongUse` without a converter."""
    if not _is_png(out):
        return svg.encode()
    refuse_unconvertible(out)
    program = _converter() or ""
    with tempfile.TemporaryDirectory(prefix="sectax-picture-") as folder:
        source, picture = Path(folder, "picture.svg"), Path(folder, "picture.png")
        source.write_text(svg, encoding="utf-8")
        call = [program, *_CONVERTERS[program](str(source), str(picture))]
        try:
            subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=_TIMEOUT_S)
            return picture.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise WrongUse(f"{program} did not convert the picture to PNG", "name FILE.svg instead") from error


def _converter() -> str | None:
    return next(filter(shutil.which, _CONVERTERS), None)


def _is_png(out: str) -> bool:
    return Path(out).suffix.lower() == ".png"
