"""MinIO: under the AGPL, so sectax only starts it; no longer maintained upstream."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from pathlib import Path

from sectax.experiments.client_server.server import free_port
from sectax.experiments.s3 import parts
from sectax.experiments.s3.levels import SSE_KMS_BUCKET_KEY
from sectax.experiments.s3.local_server import KMS_KEY, LocalServer
from sectax.experiments.s3.proof import files_below
from sectax.model.why_not import WhyNot
from sectax.parts import files
from sectax.parts.go_programs import GoProgram


class Minio(LocalServer):
    """MinIO, which keeps every object in a folder of its own."""

    title = "MinIO"
    note = (
        "For a PUT with SSE-KMS or SSE-C, MinIO does not compute the MD5 of the body (witness etag), so it can be "
        "faster than without encryption."
    )
    set_up = "sectax setup s3 --level server=minio"

    @staticmethod
    def program() -> GoProgram:
        return parts.minio()

    @staticmethod
    def lacks(encryption: str) -> WhyNot | None:
        if encryption == SSE_KMS_BUCKET_KEY:
            return WhyNot("MinIO has no bucket keys: it accepts and ignores the setting", "--endpoint aws")
        return None

    def files(self, bucket: str, key: str = "") -> Sequence[Path]:
        return tuple(files_below(self.data / bucket / key))

    def largest_stored(self, buckets: Sequence[str], folder: str) -> int | None:
        folders = (self.data / bucket / folder for bucket in buckets)
        entries = (entry for place in folders if place.is_dir() for entry in place.iterdir())
        return max((sum(path.stat().st_blocks * 512 for path in files_below(entry)) for entry in entries), default=None)

    def _configure(self, root: Path, access_key: str, secret_key: str) -> None:
        settings = {
            "MINIO_ROOT_USER": access_key,
            "MINIO_ROOT_PASSWORD": secret_key,
            "MINIO_KMS_SECRET_KEY": f"{KMS_KEY}:{base64.b64encode(secrets.token_bytes(32)).decode()}",
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_SCANNER_SPEED": "slowest",  # less background work
        }
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        files.write_new(root / "settings", lines.encode(), private=True)

    def _command(self, root: Path) -> tuple[int, list[str], dict[str, str]]:
        port = free_port()
        words = [str(self.program().path), "server", "--quiet", "--address", f"127.0.0.1:{port}"]
        words += ["--certs-dir", str(root / "certs"), str(self.data)]
        return port, words, {"MINIO_CONFIG_ENV_FILE": str(root / "settings")}

    def _is_ready(self) -> bool:
        return self._get("/minio/health/ready") is not None
