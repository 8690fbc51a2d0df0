"""Uploaded archives: judged, unpacked, and kept as long as the service runs."""

from lambda_local.code.store import CodeStore
from lambda_local.code.tree import BadArchive

__all__ = ["BadArchive", "CodeStore"]
