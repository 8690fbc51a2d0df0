"""Uploaded archives: judged, unpacked, and kept as long as the service runs."""

from sectax.stack.lambda_service.code.store import CodeStore
from sectax.stack.lambda_service.code.tree import BadArchive

__all__ = ["BadArchive", "CodeStore"]
