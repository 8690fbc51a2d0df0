"""Where the secrets of a run are kept, and what functions need to reach them: here, or on AWS."""

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
from sectax.experiments.secrets.subject import SOMETIMES
from sectax.model.errors import ExitStatus, SectaxError

_FOLDERS = "secrets"
# Secrets that an instance can fetch once each; AWS's agent keeps 1000.
RARE = 900
# On AWS every one of them is paid for.
RARE_ON_AWS = 300


class NotWritten(SectaxError):
    """The folder for what functions are given cannot be written."""

    exit_status = ExitStatus.NOTHING_MEASURED


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotWritten(
            f"what functions are given cannot be written to {tempfile.gettempdir()}: {error.strerror or error}",
            "make room there, or set TMPDIR to another folder",
        ) from error


class SecretsService(ExitStack):
    """A context manager: the secrets are kept and the Lambda answers inside it.

    Attributes:
        keeper: of the secrets. service: the Lambda, which its owner opens.
    """

    keeper: SecretStore
    service: LambdaService

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        """What functions are given; *ttl_s* is how long caches use what they have, None for their own default."""
        raise NotImplementedError

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        """The layers of a function, with AWS's sidecar or without."""
        raise NotImplementedError


class HerePlace(SecretsService):
    """The stand-in on this machine, to whose port functions are let and nowhere else."""

    def __init__(self, settings: Settings, sizes: Sequence[int]) -> None:
        """Raises `SectaxError` where something cannot be started or written."""
        super().__init__()
        with ExitStack() as started:
            self._backend = started.enter_context(Backend(sizes, RARE, settings.delay_s, SOMETIMES))
            with _writing():
                sweep(_FOLDERS)  # what a run that was killed has left
                self._folder = WorkFolder(_FOLDERS)
                started.callback(self._folder.remove)
                self._trust = layers.trust(self._folder.path, self._backend.certificate)
            self.push(started.pop_all())
        self.keeper = self._backend
        self.service = LambdaService(LOCAL, ((HOST, self._backend.port),))

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        # AWS's clients read the first two, the agent the first and the last; neither tries anything twice.
        variables = {
            "AWS_ENDPOINT_URL_SECRETS_MANAGER": self._backend.address,
            "AWS_CA_BUNDLE": layers.CERTIFICATE,
            "AWS_MAX_ATTEMPTS": "1",
        }
        return variables if ttl_s is None else variables | {"SECRETS_TTL": str(ttl_s)}

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        return (self._trust, self._sidecar(ttl_s)) if sidecar else (self._trust,)

    @functools.cache  # noqa: B019 - a place lives as long as its run
    def _sidecar(self, ttl_s: int | None) -> str:
        with _writing():
            return layers.sidecar(self._folder.path, layers.DEFAULT_TTL_S if ttl_s is None else ttl_s)


class AwsPlace(SecretsService):
    """AWS's own Secrets Manager and Lambda, and AWS's own extension by the ARN of its layer. Never run yet."""

    def __init__(self, settings: Settings, sizes: Sequence[int]) -> None:
        """Raises `SectaxError` where AWS does not take the secrets."""
        super().__init__()
        import boto3  # type: ignore[import-untyped]  # it takes a third of a second
        from botocore.config import Config  # type: ignore[import-untyped]

        # What the environment names in the place of AWS is not asked.
        client = boto3.client("secretsmanager", config=Config(ignore_configured_endpoint_urls=True))
        self.keeper = self.enter_context(RealService(client, sizes, RARE_ON_AWS, SOMETIMES))
        self.service = LambdaService(settings.endpoint)
        self._layer = settings.layer

    def environment(self, ttl_s: int | None) -> dict[str, str]:
        variables = {"AWS_MAX_ATTEMPTS": "1"}
        return (
            variables if ttl_s is None else variables | {"SECRETS_TTL": str(ttl_s), "SECRETS_MANAGER_TTL": str(ttl_s)}
        )

    def layers(self, ttl_s: int | None, *, sidecar: bool) -> tuple[str, ...]:
        return (self._layer,) if sidecar else ()
