"""Servers and buckets of a run, and a client for every treatment."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sectax.experiments.client_server.endpoint import AWS, LOCAL
from sectax.experiments.client_server.load import client_count, target_rate
from sectax.experiments.client_server.work_folder import sweep as sweep_folders
from sectax.experiments.interface import Bench
from sectax.experiments.s3 import parts
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.buckets import Buckets, BucketUnavailable, CleanupIncomplete, LeftoverBucket
from sectax.experiments.s3.buckets import client as buckets_client
from sectax.experiments.s3.buckets import sweep as sweep_buckets
from sectax.experiments.s3.levels import GO, MINIO, MULTIPART, NONE, PART_BYTES, PYTHON, SERVER, TLS, size_bytes
from sectax.experiments.s3.local_server import KMS_KEY, WORK_FOLDERS, LocalServer
from sectax.experiments.s3.object_pool import ObjectPool
from sectax.experiments.s3.servers import SERVERS
from sectax.experiments.s3.service_options import read_certificate, read_where, service_region
from sectax.experiments.s3.service_probe import CLAIMED, ServiceProbe, probe
from sectax.experiments.s3.spec import S3Spec
from sectax.hosts.places import HERE
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Treatment
from sectax.parts import cache

_KEY = "object_key"
# boto3 is installed with sectax.
_IN_PYTHON = (sys.executable, str(cache.bundled("clients", "s3-python") / "s3_client.py"))


@dataclass(frozen=True)
class _Service:
    access: S3Access
    server: LocalServer | None
    buckets: Buckets
    names: dict[str, tuple[str, ...]]
    refused: dict[str, BucketUnavailable]  # by encryption
    object_pool: ObjectPool = field(default_factory=ObjectPool)


class S3Bench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._where = read_where(plan.options)
        self._ca = read_certificate(self._where.ca) if self._where.ca else ""
        self._data = self._where.data or cache.state_folder() / "s3"
        self._services: dict[tuple[str, str], _Service] = {}  # by server and transfer
        self._piloted = False
        self._probe: ServiceProbe | None = None

    def identity(self) -> dict[str, str]:
        identity = {}
        clients = {treatment.levels["client"] for treatment in self.plan.treatments}
        if PYTHON in clients:
            import boto3  # type: ignore[import-untyped]
            import botocore  # type: ignore[import-untyped]

            identity["s3.client.python"] = f"boto3 {boto3.__version__}, botocore {botocore.__version__}"
        if GO in clients:
            identity["s3.client.go"] = parts.client().path.parent.name
        if self._where.endpoint == LOCAL:
            used = {_place(treatment)[0] for treatment in self.plan.treatments}
            identity["s3.server"] = ", ".join(SERVERS[name].named() for name in SERVER.levels if name in used)
        else:
            identity["s3.server"] = self._where.endpoint
        return identity

    def circumstances(self) -> dict[str, dict[str, str]]:
        """What a service at an address does with encryption; nothing if it cannot be asked."""
        where = self._where
        if where.endpoint == LOCAL:
            return {}
        from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

        access = self._access()
        buckets = Buckets(access, cache.state_folder() / "s3-buckets")
        with contextlib.suppress(BucketUnavailable, BotoCoreError):
            level, named = next(iter(where.buckets.items()), (NONE, ""))
            bucket, *_ = buckets.use(named, level) if named else buckets.make(NONE)
            self._probe = probe(buckets_client(access), bucket, buckets.prefix, where.kms_key)
        buckets.remove()  # a later session removes what is left
        return {} if self._probe is None else {LOCAL_HOST: self._probe.circumstances()}

    def _access(self) -> S3Access:
        """A service at an address."""
        endpoint = "" if self._where.endpoint == AWS else self._where.endpoint
        return S3Access(endpoint, service_region(self._where), ca_pem=self._ca)

    def inputs(self) -> dict[str, str]:
        """A key for SSE-C and client-side encryption."""
        return {_KEY: base64.b64encode(secrets.token_bytes(32)).decode()}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Clean up after killed runs, start servers, and create buckets."""
        wanted: dict[tuple[str, str], set[str]] = {}
        for treatment in self.plan.treatments:
            wanted.setdefault(_place(treatment), set()).add(treatment.levels["encryption"])
        if self._where.endpoint == LOCAL:
            if not all(place.is_here for place in self.places):
                reason = "the local server listens on this machine only, and there are clients on others"
                raise WrongUse(reason, "name a service with --endpoint")
            sweep_data(self._data)
        for place, encryptions in sorted(wanted.items()):
            self._services[place] = self._service(*place, encryptions)

    def _service(self, name: str, transfer: str, encryptions: set[str]) -> _Service:
        where = self._where
        if where.endpoint == LOCAL:
            server = SERVERS[name](self._data, tls=transfer == TLS)
            self.callback(server.stop)
            server.start()
            buckets = Buckets(server.access)  # removed with the server
            access = server.access
        else:
            server = None
            access = self._access()
            journals = cache.state_folder() / "s3-buckets"
            swept = sweep_buckets(access, journals)
            buckets = Buckets(access, journals)
            self.callback(_remove, buckets, access, swept)
        names: dict[str, tuple[str, ...]] = {}
        refused: dict[str, BucketUnavailable] = {}
        for encryption in sorted(encryptions):
            try:
                if encryption in where.buckets:
                    names[encryption] = buckets.use(where.buckets[encryption], encryption)
                else:
                    kms_key = where.kms_key or (KMS_KEY if where.endpoint == LOCAL else "")
                    names[encryption] = buckets.make(encryption, kms_key)
                    if server is not None:
                        server.prepare(names[encryption])
            except BucketUnavailable as error:
                refused[encryption] = error  # the others can still be measured
        baselines = {self.plan.treatment(cell.baseline).levels["encryption"] for cell in self.plan.cells}
        without = next((refused[baseline] for baseline in sorted(baselines & refused.keys())), None)
        if not names or without is not None:
            raise without or next(iter(refused.values()))
        return _Service(access, server, buckets, names, refused)

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> S3Spec:
        levels = treatment.levels
        service, client = self._services[_place(treatment)], levels["client"]
        # The pilot of this session was thorough.
        self._piloted = self._piloted or calibrated is None
        return S3Spec(
            client=client,
            argv=(str(parts.client().path),) if client == GO else _IN_PYTHON,
            access=service.access,
            operation=levels["operation"],
            encryption=levels["encryption"],
            bytes=size_bytes(levels["size"]),
            buckets=service.names.get(levels["encryption"], ()),
            refused=service.refused.get(levels["encryption"]),
            prefix=service.buckets.prefix,
            key=inputs[_KEY],
            part_bytes=PART_BYTES if levels["upload"] == MULTIPART else 0,
            concurrency=int(levels["concurrency"]),
            places=tuple(self.places) or (HERE,) * client_count(self.plan.options),
            rate=target_rate(levels["load"]),
            server=service.server,
            claim=CLAIMED if self._probe is None else self._probe.proof(levels["encryption"]),
            thorough=calibrated is None or not self._piloted,
            added_s=self.plan.added_s(treatment, calibrated),
            object_pool=service.object_pool,
        )


def _place(treatment: Treatment) -> tuple[str, str]:
    """The local server of a treatment and its transfer; runs from before this factor used MinIO."""
    return treatment.levels.get(SERVER.name, MINIO), treatment.levels["transfer"]


def _remove(buckets: Buckets, access: S3Access, swept: list[LeftoverBucket]) -> None:
    """Remove the run's objects, or raise `CleanupIncomplete`."""
    left = [*swept, *buckets.remove()]
    if left:
        raise CleanupIncomplete(left, access)


def sweep_data(data: Path) -> None:
    """Remove data of killed servers below *data* and all earlier folders of --data."""
    noted = cache.state_folder() / "s3-data"
    with contextlib.suppress(OSError):  # measuring works without it
        noted.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = noted / hashlib.sha256(os.fsencode(data.absolute())).hexdigest()[:16]
        if not own.is_symlink():
            own.symlink_to(data.absolute())
        for folder in noted.iterdir():
            sweep_folders(WORK_FOLDERS, folder)
            if folder != own and not any(folder.glob(f"*sectax-{WORK_FOLDERS}-*")):
                folder.unlink()
