"""Which versions are really here, found without importing what a process may never need.

`importlib.metadata` would say most of it too, and takes 30 ms to import.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from sectax_probe.kit.timing import Skipped

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def installed() -> dict[str, str]:
    """The version of each library that is here; what is missing is left out."""
    found = {
        "cryptography": _of("cryptography", lambda it: it.__version__),
        # That inside its wheel, mostly not the system's. The public way asks the same function, and
        # imports every key type before it: 40 ms against 4.
        "openssl": _of("cryptography.hazmat.bindings._rust", lambda it: it.openssl.openssl_version_text()),
        "PyJWT": distribution_version("pyjwt", sys.path),
        # That of hashlib and hmac, with which PyJWT makes HS256; `ssl` itself takes three times as long.
        "openssl of Python": _of("_ssl", lambda it: it.OPENSSL_VERSION),
        "argon2-cffi": distribution_version("argon2_cffi", sys.path),
        "bcrypt": distribution_version("bcrypt", sys.path),
    }
    return {name: version for name, version in found.items() if version}


def missing(error: ImportError) -> Skipped:
    """Say what a failed import lacks and which command brings it."""
    return Skipped(
        f"a library cannot be imported: {error}",
        f"{sys.executable} -m pip install --require-hashes -r {os.path.join(_FOLDER, 'requirements.lock')}",
    )


def distribution_version(name: str, folders: Iterable[str]) -> str | None:
    """Read the version off the folder that every installer leaves, as in `pyjwt-2.10.1.dist-info`."""
    pattern = re.compile(re.escape(name) + r"-([^-]+)\.dist-info", re.IGNORECASE)
    for folder in folders:
        try:
            entries = os.listdir(folder or ".")
        except OSError:  # sys.path may name zip files and folders that are not there
            continue
        for match in filter(None, map(pattern.fullmatch, entries)):
            return match[1]
    return None


def _of(name: str, read: Callable[[Any], str]) -> str | None:
    try:
        return read(import_module(name))
    except ImportError:
        return None
