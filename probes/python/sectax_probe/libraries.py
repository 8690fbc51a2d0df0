"""Which versions are really here, found without importing what a process may never need.

`importlib.metadata` would say most of it too, and takes 30 ms to import.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from sectax_probe.answers import Skipped

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def runtime() -> dict[str, str]:
    implementation = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name)
    return {"name": implementation or sys.implementation.name, "version": sys.version.split()[0]}


def installed() -> list[dict[str, str]]:
    """Name and version of each library that is here; what is missing is left out."""
    found = {
        "cryptography": _cryptography(),
        "openssl": _openssl_of_cryptography(),
        "PyJWT": distribution_version("pyjwt", sys.path),
        "openssl of Python": _openssl_of_python(),
        "argon2-cffi": distribution_version("argon2_cffi", sys.path),
        "bcrypt": distribution_version("bcrypt", sys.path),
    }
    return [{"name": name, "version": version} for name, version in found.items() if version]


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


def _cryptography() -> str | None:
    try:
        import cryptography
    except ImportError:
        return None
    return cryptography.__version__


def _openssl_of_cryptography() -> str | None:
    """The OpenSSL inside cryptography's wheel, mostly not the system's.

    The public way, `backends.openssl.backend.openssl_version_text()`, asks the same function and imports
    every key type before it: 40 ms against 4.
    """
    try:
        from cryptography.hazmat.bindings._rust import openssl
    except ImportError:
        return None
    return openssl.openssl_version_text()


def _openssl_of_python() -> str | None:
    """The OpenSSL of Python's own hashlib and hmac, with which PyJWT makes HS256."""
    try:
        from _ssl import OPENSSL_VERSION  # `ssl` itself takes three times as long
    except ImportError:
        return None
    return OPENSSL_VERSION
