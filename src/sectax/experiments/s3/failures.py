"""Turns what went wrong with an S3 service or a client into words for a person."""

from __future__ import annotations

from sectax.experiments.client_server.subject import Meanings

_CREDENTIALS = "see that AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_PROFILE are those of this service"
_NOT_ALL = "see what lies between here and the service: what it sent did not arrive as it was stored"

# By the service's error code, or the client's own kind: what it means, and what to do.
MEANINGS: Meanings = {
    "InvalidAccessKeyId": ("the service does not know the access key", _CREDENTIALS),
    "SignatureDoesNotMatch": ("the secret key is not the one of the access key", _CREDENTIALS),
    "credentials": ("there are no credentials", _CREDENTIALS),
    "AccessDenied": (
        "access is denied",
        "is the bucket yours, and may you put, get and delete objects in it (and use its KMS key)?",
    ),
    "NoSuchBucket": ("there is no such bucket", "create it, or leave --bucket out: sectax then makes its own"),
    "403": ("access is denied", "is the bucket yours, and may you put, get and delete objects in it?"),
    "BucketAlreadyExists": ("somebody else has a bucket of this name", "run it again: the next name is another one"),
    "404": ("there is no such bucket or object", "did something else delete it meanwhile?"),
    "NoSuchKey": ("an object that was stored is gone", "did something else delete it meanwhile?"),
    "PermanentRedirect": ("the bucket is in another region", "say --region, or AWS_REGION"),
    "AuthorizationHeaderMalformed": ("the bucket is in another region", "say --region, or AWS_REGION"),
    **dict.fromkeys(
        ("redirected", "TemporaryRedirect", "301", "302", "307", "308"),
        (
            "the service redirects to another address, which is not followed",
            "give that address with --endpoint: what is measured is the service that was named",
        ),
    ),
    "NotImplemented": ("the service does not have this", "leave it out, or take another service"),
    "SlowDown": ("the service asks to slow down", "fewer requests at once: a lower concurrency, or fewer sizes"),
    "SlowDownRead": ("the service asks to slow down", "fewer requests at once: a lower concurrency"),
    "SlowDownWrite": ("the service asks to slow down", "fewer requests at once: a lower concurrency"),
    "ServiceUnavailable": ("the service is overloaded", "try again later, or with a lower concurrency"),
    "503": ("the service is overloaded", "try again later, or with a lower concurrency"),
    "XMinioStorageFull": (
        "the server's disk is full",
        "free some space, give another folder with --data, or smaller sizes",
    ),
    "RequestTimeTooSkewed": (
        "this machine's clock is wrong",
        "set it (timedatectl set-ntp true): a signature holds 15 minutes",
    ),
    "InvalidRequest": ("the service refuses the request", "does it know this kind of encryption?"),
    "BadDigest": ("the service says that a body arrived changed", _NOT_ALL),
    "XAmzContentChecksumMismatch": ("the service says that a body arrived changed", _NOT_ALL),
    "wrong-checksum": ("a body came with a checksum that is not its own", _NOT_ALL),
    "short-body": ("a body was cut short", _NOT_ALL),
    "wrong-body": ("a body is not the one that was stored", _NOT_ALL),
    "wrong-encryption": (
        "objects of one bucket are not encrypted alike",
        "does something change the bucket meanwhile?",
    ),
    "certificate": (
        "the service's certificate is not trusted",
        "give the certificate of its authority with --ca FILE; what cannot be verified is not measured",
    ),
    "connection": ("the service cannot be reached", "is --endpoint right, and does it run?"),
    "timeout": ("the service did not answer in time", "is it overloaded, or the link very slow?"),
}
OTHER = ("the service answered {kind}", "")


def explain_error(error: Exception) -> tuple[str, str]:
    """Of an error of boto3's own: what it means, and what to do."""
    from botocore import exceptions as trouble  # type: ignore[import-untyped]

    if isinstance(error, trouble.ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        meaning, hint = MEANINGS.get(code, (OTHER[0].format(kind=code), OTHER[1]))
        return f"{meaning} ({error.operation_name})", hint
    kinds = {
        trouble.SSLError: "certificate",
        trouble.NoCredentialsError: "credentials",
        trouble.ConnectionError: "connection",
        trouble.HTTPClientError: "connection",
    }
    kind = next((kind for cause, kind in kinds.items() if isinstance(error, cause)), "")
    meaning, hint = MEANINGS.get(kind, ("it failed", ""))
    return f"{meaning} ({error})", hint
