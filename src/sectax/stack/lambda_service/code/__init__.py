"""Uploaded archives: judged, unpacked, and kept as long as the service runs."""

from sectax.stack.lambda_service.code.errors import BadArchive
from sectax.stack.lambda_service.code.store import CodeStore

__all__ = ["BadArchive", "CodeStore"]
