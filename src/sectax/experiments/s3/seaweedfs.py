"""SeaweedFS: master, volume server, filer and S3 gateway in one process."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
from collections.abc import Sequence
from pathlib import Path

from sectax.experiments.client_server.server import ServerFailed, free_port
from sectax.experiments.s3.levels import SSE_KMS_BUCKET_KEY
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.parts import SeaweedFsProgram
from sectax.model.why_not import WhyNot
from sectax.parts import files

# Each with an HTTP port and one for gRPC.
_SERVICES = ("master", "volume", "filer", "s3")
# A volume with this share of deleted bytes is compacted.
_GARBAGE = 0.3
_PATIENCE_S = 30.0
# It has sockets there in addition to its own folder, and leaves them when it is killed.
_SOCKETS = Path("/tmp"), "seaweedfs-*-grpc-*.sock"  # noqa: S108 - its own choice
# Every file that it looks for: one that is not in its working directory is read from /etc/seaweedfs.
_CONFIGURATION = {
    "filer": '[leveldb2]\nenabled = true\ndir = "data/filer"\n',
    # One volume for each bucket; no jobs in the background.
    "master": '[master.maintenance]\nscripts = ""\n[master.volume_growth]\ncopy_1 = 1\n',
    "notification": "",
    "credential": "",
}


class SeaweedFs(LocalServer):
    """SeaweedFS, which appends a bucket's objects to volumes."""

    title = "SeaweedFS"
    note = ""
    set_up = "sectax setup s3"
    _ports: dict[str, int]

    @staticmethod
    def program() -> SeaweedFsProgram:
        return SeaweedFsProgram()

    @staticmethod
    def lacks(encryption: str) -> WhyNot | None:
        if encryption == SSE_KMS_BUCKET_KEY:
            reason = "SeaweedFS has no bucket keys: it accepts the setting and makes a data key for every object"
            return WhyNot(reason, "--endpoint aws")
        return None

    def files(self, bucket: str, key: str = "") -> Sequence[Path]:
        return tuple(self.data.glob(f"{bucket}_*.dat"))

    def largest_stored(self, buckets: Sequence[str], folder: str) -> int | None:
        """Bytes of an object's chunks, without the header of some 40 bytes that each has in a volume."""
        sizes: list[int] = []
        for bucket in buckets:
            answer = self._get(f"/buckets/{bucket}/{folder.rstrip('/')}/", self._ports["filer"], _PATIENCE_S)
            entries = json.loads(answer)["Entries"] if answer else None
            sizes += (sum(chunk["size"] for chunk in entry.get("chunks") or ()) for entry in entries or ())
        return max(sizes, default=None)

    def prepare(self, buckets: Sequence[str]) -> None:
        """Create volumes; otherwise the first PUT to a bucket takes 0.2 s longer."""
        for bucket in buckets:
            if self._manage(f"/vol/grow?collection={bucket}&count=1&replication=000") is None:
                raise ServerFailed(f"{self.title} cannot store objects{self.log_tail()}", "free some space, or --data")

    def reclaim(self) -> None:
        self._manage(f"/vol/vacuum?garbageThreshold={_GARBAGE}")

    def _manage(self, path: str) -> bytes | None:
        return self._get(path, self._ports["master"], _PATIENCE_S)

    def stop(self) -> None:
        super().stop()
        _remove_dead_sockets()

    def _configure(self, root: Path, access_key: str, secret_key: str) -> None:
        identity = {
            "name": "sectax",
            "credentials": [{"accessKey": access_key, "secretKey": secret_key}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        # Keys in memory, made when a bucket names them.
        kms = {"default_provider": "local", "providers": {"local": {"type": "local", "enableOnDemandCreate": True}}}
        files.write_new(root / "s3.json", json.dumps({"identities": [identity], "kms": kms}).encode(), private=True)
        # Without a key it accepts a bucket's default encryption, and answers every PUT with status 500.
        texts = _CONFIGURATION | {"security": f'[s3.sse]\nkey = "{secrets.token_hex(32)}"\n'}
        for name, text in texts.items():
            files.write_new(root / f"{name}.toml", text.encode(), private=True)

    def _command(self, root: Path) -> tuple[int, list[str], dict[str, str]]:
        names = [f"{service}.port{kind}" for service in _SERVICES for kind in ("", ".grpc")]
        ports: dict[int, str] = {}
        while len(ports) < len(names):
            ports.setdefault(free_port(), names[len(ports)])
        self._ports = {name.removesuffix(".port"): port for port, name in ports.items()}
        words = [str(self.program().path), "-logtostderr", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
        words += [f"-{name}={port}" for port, name in ports.items()]
        words += [f"-dir={self.data}", "-volume.max=1000", "-filer", "-filer.localSocket=filer.sock"]
        words += ["-master.telemetry=false", "-master.vacuumIntervalSeconds=1000000"]
        words += ["-s3", "-s3.config=s3.json", "-s3.localSocket=s3.sock", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        words += ["-s3.iam=false", "-s3.autoCreateBucket=false"]
        if self._tls:
            words += ["-s3.cert.file=certs/public.crt", "-s3.key.file=certs/private.key"]
        return self._ports["s3"], words, {}

    def _is_ready(self) -> bool:
        # The gateway answers before there is room for objects.
        return None not in (self._get("/healthz"), self._get("/dir/assign", self._ports["master"]))


def _remove_dead_sockets() -> None:
    """Remove this user's sockets of killed servers, also of earlier runs."""
    folder, pattern = _SOCKETS
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            status = path.lstat()
            if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
                continue
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
