"""The secrets and the Lambda of a run, local or on AWS."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from sectax.experiments.client_server.work_folder import WorkFolder, sweep
from sectax.experiments.on_lambda import LOCAL
from sectax.experiments.on_lambda.services import LambdaService
from sectax.experiments.secrets import layers
from sectax.experiments.secrets.backend import HOST, Backend
from sectax.experiments.secrets.levels import Settings
from sectax.experiments.secrets.secret_store import RealService, SecretStore
from sectax.experiments.secrets.subject import EXPIRING
from sectax.model.errors import ExitStatus, SectaxError

_FOLDERS = "secrets"
# Secrets that an instance can fetch once; AWS's agent caches 1000.
UNCACHED = 900
# AWS charges for each.
UNCACHED_ON_AWS = 300


class NotWritten(SectaxError):
    """The folder for layers cannot be written."""

    exit_status = ExitStatus.NOTHING_MEASURED


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotWritten(
            f"layers of functions cannot be written to {tempfile.gettempdir()}: {error.strerror or error}",
            "free space there, or set TMPDIR to another folder",
        ) from error


class SecretsService(ExitStack):
    """The open secret store and the Lambda service of a run, as a context manager.

    Attributes:
        store: the secrets. service: the Lambda; its user opens it.
    """

    store: SecretStore
    service: LambdaService

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        """Return functions' environment; *ttl_s*: caches' TTL or None."""
        raise NotImplementedError

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        """Return the layers of a function, with or without AWS's sidecar."""
        raise NotImplementedError


class LocalSecrets(SecretsService):
    """The stand-in on this machine; its port is the only one that functions can reach."""

    def __init__(self, settings: Settings, sizes: Sequence[int]) -> None:
        """Raises `SectaxError` if something cannot be started or written."""
        super().__init__()
        with ExitStack() as started:
            self._backend = started.enter_context(Backend(sizes, UNCACHED, settings.delay_s, EXPIRING))
            with _writing():
                sweep(_FOLDERS)  # left by killed runs
                self._folder = WorkFolder(_FOLDERS)
                started.callback(self._folder.remove)
                self._trust = layers.trust(self._folder.path, self._backend.certificate)
            self.push(started.pop_all())
        self.store = self._backend
        self.service = LambdaService(LOCAL, ((HOST, self._backend.port),))

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        # AWS's clients read the first two, the agent the first and the last; retries are off.
        variables = {
            "AWS_ENDPOINT_URL_SECRETS_MANAGER": self._backend.address,
            "AWS_CA_BUNDLE": layers.CERTIFICATE,
            "AWS_MAX_ATTEMPTS": "1",
        }
        return variables if ttl_s is None else variables | {"SECRETS_TTL": str(ttl_s)}

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        return (self._trust, self._sidecar(ttl_s)) if sidecar else (self._trust,)

    @functools.cache  # noqa: B019 - lives as long as its run
    def _sidecar(self, ttl_s: int | None) -> str:
        with _writing():
            return layers.sidecar(self._folder.path, layers.DEFAULT_TTL_S if ttl_s is None else ttl_s)


class AwsSecrets(SecretsService):
    """AWS's Secrets Manager, Lambda and extension layer. Never run on AWS yet."""

    def __init__(self, settings: Settings, sizes: Sequence[int]) -> None:
        """Raises `SectaxError` if AWS does not create the secrets."""
        super().__init__()
        import boto3  # type: ignore[import-untyped]  # takes a third of a second
        from botocore.config import Config  # type: ignore[import-untyped]

        # Endpoints from the environment are ignored: this must be AWS.
        client = boto3.client("secretsmanager", config=Config(ignore_configured_endpoint_urls=True))
        self.store = self.enter_context(RealService(client, sizes, UNCACHED_ON_AWS, EXPIRING))
        self.service = LambdaService(settings.endpoint)
        self._layer = settings.layer

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        variables = {"AWS_MAX_ATTEMPTS": "1"}
        return (
            variables if ttl_s is None else variables | {"SECRETS_TTL": str(ttl_s), "SECRETS_MANAGER_TTL": str(ttl_s)}
        )

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        return (self._layer,) if sidecar else ()
