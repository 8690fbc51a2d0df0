"""The bodies of requests: what may be asked for, read and judged."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from lambda_local.api.errors import ApiError, constraint, invalid
from lambda_local.instances.programs import RESERVED
from sectax.toolchain.machine import architecture

_Body = TypeVar("_Body", bound=msgspec.Struct)

_VARIABLE = re.compile(r"[a-zA-Z][a-zA-Z0-9_]+")
_ENVIRONMENT_BYTES = 4096


class Body(msgspec.Struct, rename="pascal", kw_only=True, forbid_unknown_fields=True):
    """A body. A member that is not known here is refused, never dropped.

    The members of type `Any` are of services that are not here: they are accepted only where they ask for nothing.
    """


class CodeLocation(Body):
    """Where the code is. `ZipFile` has been taken out when this is read."""

    s3_bucket: str | None = None
    s3_key: str | None = None
    s3_object_version: str | None = None
    image_uri: str | None = None
    source_kms_key_arn: Any = msgspec.field(default=None, name="SourceKMSKeyArn")

    @property
    def elsewhere(self) -> bool:
        """Whether code is to be fetched."""
        return bool(self.s3_bucket or self.s3_key or self.s3_object_version or self.image_uri)


class Variables(Body):
    """The environment."""

    variables: dict[str, str] = {}


class Storage(Body):
    """The size of /tmp in MB."""

    size: int = 512


class Tracing(Body):
    """Kept and shown; nothing is traced."""

    mode: str = "PassThrough"


class Logging(Body):
    """The log group is what the function sees; there is one format."""

    log_format: str | None = None
    log_group: str | None = None
    application_log_level: str | None = None
    system_log_level: str | None = None


class SnapStart(Body):
    """Read, and refused where it is asked for: it is not here."""

    apply_on: str = "None"


class Configuration(Body):
    """Body of UpdateFunctionConfiguration; None leaves as it is."""

    runtime: str | None = None
    handler: str | None = None
    role: str | None = None
    description: str | None = None
    timeout: int | None = None
    memory_size: int | None = None
    environment: Variables | None = None
    layers: list[str] | None = None
    ephemeral_storage: Storage | None = None
    revision_id: str | None = None
    tracing_config: Tracing | None = None
    logging_config: Logging | None = None
    snap_start: SnapStart | None = None
    vpc_config: Any = None
    dead_letter_config: Any = None
    file_system_configs: Any = None
    image_config: Any = None
    kms_key_arn: Any = msgspec.field(default=None, name="KMSKeyArn")
    capacity_provider_config: Any = None
    durable_config: Any = None


class CreateFunction(Configuration, kw_only=True):
    """Body of CreateFunction."""

    function_name: str
    code: CodeLocation
    package_type: str = "Zip"
    architectures: list[str] | None = None
    publish: bool = False
    publish_to: Any = None
    tags: dict[str, str] = {}
    code_signing_config_arn: Any = None
    tenancy_config: Any = None


class UpdateCode(CodeLocation):
    """Body of UpdateFunctionCode."""

    architectures: list[str] | None = None
    dry_run: bool = False
    publish: bool = False
    publish_to: Any = None
    revision_id: str | None = None


class PublishVersion(Body):
    """Body of PublishVersion."""

    code_sha256: str | None = None
    description: str | None = None
    revision_id: str | None = None
    publish_to: Any = None


class Routing(Body):
    """Where the events of an alias go besides its own version."""

    additional_version_weights: dict[str, float] = {}


class UpdateAlias(Body):
    """Body of UpdateAlias; None leaves as it is."""

    function_version: str | None = None
    description: str | None = None
    routing_config: Routing | None = None
    revision_id: str | None = None


class CreateAlias(Body):
    """Body of CreateAlias."""

    name: str
    function_version: str
    description: str = ""
    routing_config: Routing | None = None


class PublishLayer(Body):
    """Body of PublishLayerVersion."""

    content: CodeLocation
    description: str = ""
    compatible_runtimes: list[str] = []
    compatible_architectures: list[str] | None = None
    license_info: str = ""


class Tags(Body):
    """Body of TagResource."""

    tags: dict[str, str] = {}


class Concurrency(Body):
    """Body of PutFunctionConcurrency."""

    reserved_concurrent_executions: int


class EventInvoke(Body):
    """Body of PutFunctionEventInvokeConfig and UpdateFunctionEventInvokeConfig."""

    maximum_retry_attempts: int | None = None
    maximum_event_age_in_seconds: int | None = None
    destination_config: Any = None


class FunctionUrl(Body):
    """Body of CreateFunctionUrlConfig and UpdateFunctionUrlConfig."""

    auth_type: str | None = None
    invoke_mode: str | None = None
    cors: Any = None


def read(body: bytes, kind: type[_Body]) -> _Body:
    """The body of a request. Raises `ApiError` for what is not JSON of that form, or asks for what is not here."""
    try:
        wanted = msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        unknown = re.search(r"contains unknown field `(.+)`", str(error))
        if unknown:
            raise invalid(f"{unknown[1]} is not here") from error
        raise malformed(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(str(error)) from error
    _refuse_what_is_not_here(wanted)
    return wanted


def _refuse_what_is_not_here(wanted: msgspec.Struct) -> None:
    for field in msgspec.structs.fields(wanted):
        value = getattr(wanted, field.name)
        if isinstance(value, Body):
            _refuse_what_is_not_here(value)
        elif field.type is Any and _asks(value):
            raise invalid(f"{field.encode_name} is not here")


def malformed(why: str) -> ApiError:
    """A body that cannot be read."""
    return ApiError(400, "SerializationException", why)


def check_configuration(wanted: Configuration) -> None:
    """Judge the values that are given. Raises `ApiError`."""
    between(wanted.memory_size, 128, 10_240, "memorySize")
    between(wanted.timeout, 1, 900, "timeout")
    if wanted.ephemeral_storage is not None:
        between(wanted.ephemeral_storage.size, 512, 10_240, "ephemeralStorage.size")
    if wanted.handler is not None and not re.fullmatch(r"\S{1,128}", wanted.handler):
        raise constraint(wanted.handler, "handler", "Member must satisfy regular expression pattern: [^\\s]+")
    check_description(wanted.description)
    if wanted.layers is not None and len(wanted.layers) > 5:
        raise constraint(str(wanted.layers), "layers", "Member must have length less than or equal to 5")
    if wanted.environment is not None:
        _check_environment(wanted.environment.variables)
    if wanted.tracing_config is not None and wanted.tracing_config.mode not in ("Active", "PassThrough"):
        words = "Member must satisfy enum value set: [Active, PassThrough]"
        raise constraint(wanted.tracing_config.mode, "tracingConfig.mode", words)
    if wanted.logging_config is not None:
        _check_logging(wanted.logging_config)
    if wanted.snap_start is not None and wanted.snap_start.apply_on != "None":
        raise invalid("SnapStart is not here")


def check_description(description: str | None) -> None:
    """Judge a description."""
    if description is not None and len(description) > 256:
        raise constraint(description, "description", "Member must have length less than or equal to 256")


def check_architectures(wanted: list[str] | None) -> None:
    """Functions run on this machine's own processors. Raises `ApiError`."""
    own = architecture()
    if wanted not in (None, [own]):
        raise invalid(f"architectures {wanted} are not here, because this machine is {own}")


def check_tags(tags: dict[str, str]) -> None:
    """Judge the tags that a function would have. Raises `ApiError`."""
    if len(tags) > 50:
        raise invalid("the number of tags exceeds the maximum of 50")
    for key, value in tags.items():
        if not 1 <= len(key) <= 128 or len(value) > 256 or key.startswith("aws:"):
            raise invalid(f"the tag {key[:200]!r} is not valid: keys have 1 to 128 characters, values up to 256")


def between(value: int | None, least: int, most: int, name: str) -> None:
    """Judge a number. Raises `ApiError`."""
    if value is not None and value < least:
        raise constraint(str(value), name, f"Member must have value greater than or equal to {least}")
    if value is not None and value > most:
        raise constraint(str(value), name, f"Member must have value less than or equal to {most}")


def _asks(value: Any) -> bool:
    """Whether there is anything in it: clients send members with empty lists and texts, too."""
    if isinstance(value, dict):
        return any(_asks(each) for each in value.values())
    return any(_asks(each) for each in value) if isinstance(value, list) else bool(value)


def _check_logging(wanted: Logging) -> None:
    if wanted.log_format not in (None, "Text"):
        raise invalid(f"LogFormat {wanted.log_format} is not here: only Text is")
    if wanted.application_log_level or wanted.system_log_level:
        raise invalid(
            'LogLevel is not supported when LogFormat is set to "Text". Remove LogLevel from your request or change '
            'the LogFormat to "JSON" and try again.'
        )
    if wanted.log_group is not None and not re.fullmatch(r"[.\-_/#A-Za-z0-9]{1,512}", wanted.log_group):
        raise constraint(wanted.log_group, "loggingConfig.logGroup", "Member must satisfy [\\.\\-_/#A-Za-z0-9]+")


def _check_environment(variables: dict[str, str]) -> None:
    prefix = "Lambda was unable to configure your environment variables because the environment variables you have"
    reserved = sorted(RESERVED & variables.keys())
    if reserved:
        raise invalid(
            f"{prefix} provided contains reserved keys that are currently not supported for modification. "
            f"Reserved keys used in this request: {', '.join(reserved)}"
        )
    for name, value in variables.items():
        if not _VARIABLE.fullmatch(name):
            raise constraint(name, "environment.variables", f"Map keys must satisfy {_VARIABLE.pattern}")
        if "\0" in value:
            raise invalid(f"the value of environment variable {name} holds a NUL")
    size = sum(len(name.encode()) + len(value.encode("utf-8", "surrogatepass")) for name, value in variables.items())
    if size > _ENVIRONMENT_BYTES:
        raise invalid(f"{prefix} provided exceeded the 4KB limit.")
