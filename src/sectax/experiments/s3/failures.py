"""Messages and hints for failures of an S3 service or client."""

from __future__ import annotations

from sectax.experiments.client_server.subject import Meanings

_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, for this service"
_PERMISSIONS = "check that the bucket is yours, and that you may put, get and delete objects in it"
_CORRUPTED = "check the network and proxies between here and the service: they change or cut bodies"
_SLOW_DOWN = ("the service asks to slow down", "use a lower concurrency")
_OVERLOADED = ("the service is overloaded", "try again later, or use a lower concurrency")

# Error code of the service, or kind of the client -> meaning and hint.
MEANINGS: Meanings = {
    "InvalidAccessKeyId": ("unknown access key", _CREDENTIALS),
    "SignatureDoesNotMatch": ("the secret key does not match the access key", _CREDENTIALS),
    "credentials": ("there are no credentials", _CREDENTIALS),
    "AccessDenied": ("access is denied", f"{_PERMISSIONS} (and use its KMS key)"),
    "NoSuchBucket": ("there is no such bucket", "create it, or omit --bucket: sectax then creates its own"),
    "403": ("access is denied", _PERMISSIONS),
    "BucketAlreadyExists": ("the bucket's name is taken", "run again: bucket names are random"),
    "404": ("there is no such bucket or object", "check whether something else deletes it"),
    "NoSuchKey": ("a stored object is missing", "check whether something else deletes it"),
    "PermanentRedirect": ("the bucket is in another region", "set --region or AWS_REGION"),
    "AuthorizationHeaderMalformed": ("the bucket is in another region", "set --region or AWS_REGION"),
    **dict.fromkeys(
        ("redirected", "TemporaryRedirect", "301", "302", "307", "308"),
        ("the service redirects to another address, and redirects are not followed", "give that address to --endpoint"),
    ),
    "NotImplemented": ("the service does not support this", "omit it, or use another service"),
    **dict.fromkeys(("SlowDown", "SlowDownRead", "SlowDownWrite"), _SLOW_DOWN),
    **dict.fromkeys(("ServiceUnavailable", "503"), _OVERLOADED),
    "XMinioStorageFull": (
        "the server's disk is full",
        "free some space, set --data to another disk, or use smaller sizes",
    ),
    # SeaweedFS answers so when its disk is full.
    "InternalError": (
        "the service has an internal error",
        "check its log and its free disk space; --data moves the local server to another disk",
    ),
    "RequestTimeTooSkewed": ("this machine's clock is wrong", "set it, as with timedatectl set-ntp true"),
    "InvalidRequest": ("the service rejects the request", "check whether it supports this kind of encryption"),
    "BadDigest": ("the service received a corrupted body", _CORRUPTED),
    "XAmzContentChecksumMismatch": ("the service received a corrupted body", _CORRUPTED),
    "wrong-checksum": ("a body arrived with a wrong checksum", _CORRUPTED),
    "short-body": ("a body was cut short", _CORRUPTED),
    "wrong-body": ("a body differs from the stored one", _CORRUPTED),
    "wrong-encryption": (
        "objects of one bucket have different encryption",
        "check whether something else changes the bucket",
    ),
    "certificate": (
        "the service's certificate is not trusted",
        "give its CA certificate with --ca FILE; services that cannot be verified are not measured",
    ),
    "connection": ("the service cannot be reached", "check --endpoint, and that the service is running"),
    "timeout": ("the service did not answer in time", "check whether it is overloaded, or the network slow"),
}
OTHER = ("the service answered {kind}", "")


def explain_error(error: Exception) -> tuple[str, str]:
    """Meaning and hint of an error of boto3."""
    from botocore import exceptions  # type: ignore[import-untyped]

    if isinstance(error, exceptions.ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        meaning, hint = MEANINGS.get(code, (OTHER[0].format(kind=code), OTHER[1]))
        return f"{meaning} ({error.operation_name})", hint
    kinds = {
        exceptions.SSLError: "certificate",
        exceptions.NoCredentialsError: "credentials",
        exceptions.ConnectionError: "connection",
        exceptions.HTTPClientError: "connection",
    }
    kind = next((kind for cause, kind in kinds.items() if isinstance(error, cause)), "")
    meaning, hint = MEANINGS.get(kind, ("it failed", ""))
    return f"{meaning} ({error})", hint
