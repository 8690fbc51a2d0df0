"""What a service at an address does with encryption, as far as a client can see.

Only the service's files prove encryption. Its answers show which services only claim it: they return an object that was
stored with SSE-C without its key.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sectax.experiments.s3.levels import ENCRYPTIONS, SSE_C, SSE_KMS, SSE_KMS_BUCKET_KEY, SSE_S3, SSE_S3_HEADER
from sectax.model.environment import FLAW, PROOF
from sectax.text.printable import printable

CLAIMED = "claimed by the service, not proven"
IGNORED = "ignored by the service"
REFUSED = "refused by the service"
BEHAVES = "the service behaves as if it encrypts, not proven"
DISPROVEN = "claimed by the service, and disproven: it returns the object without its key"

_SAME_HEADERS = {SSE_S3: SSE_S3_HEADER, SSE_KMS_BUCKET_KEY: SSE_KMS}


@dataclass(frozen=True)
class Reaction:
    """What the service did with one kind of encryption.

    Attributes:
        kind: one of this module's words.
        shown: the answers that name the encryption, or the error code.
    """

    kind: str
    shown: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.shown})"


@dataclass(frozen=True)
class ServiceProbe:
    """Reactions by encryption."""

    reactions: Mapping[str, Reaction]

    def proof(self, encryption: str) -> str:
        """What is known of a treatment's encryption."""
        reaction = self.reactions.get(_SAME_HEADERS.get(encryption, encryption))
        return CLAIMED if reaction is None or reaction.kind == REFUSED else reaction.kind

    def circumstances(self) -> dict[str, str]:
        """Facts and flaws for the record."""
        looks = self._looks()
        named = "; ".join(f"{name}: {reaction}" for name, reaction in self.reactions.items())
        facts = {f"{PROOF}service": f"the service {looks}: {named}"}
        if self.reactions[SSE_C].kind in (DISPROVEN, IGNORED):
            facts[f"{FLAW}service"] = (
                f"the service {looks}: it returned an object that was stored with SSE-C without the key, so it does "
                "not use that key, and its other claims are doubtful"
            )
        return facts

    def _looks(self) -> str:
        """The kind of service; docs/s3.md has the examples."""
        kinds = {reaction.kind for reaction in self.reactions.values()}
        if kinds == {REFUSED}:
            return "refuses encryption, as MinIO does without a key service"
        if kinds == {IGNORED}:
            return "ignores encryption, as versitygw and s3rver do"
        if BEHAVES in kinds:
            return "behaves as if it encrypts (not proven), as SeaweedFS, MinIO and AWS do"
        if self.reactions[SSE_C].kind == REFUSED:
            return "claims to encrypt, and refuses SSE-C, with which that could be checked"
        return "only claims to encrypt, as moto and S3Mock do"


def probe(s3: Any, bucket: str, prefix: str, kms_key: str = "") -> ServiceProbe:
    """Store small objects with each header, and read them with and without the key.

    Args:
        s3: client of boto3.
        prefix: of the objects, which the caller removes.
    Raises:
        BotoCoreError: the service did not answer.
    """
    customer = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": secrets.token_bytes(32)}
    kms = {"ServerSideEncryption": "aws:kms"} | ({"SSEKMSKeyId": kms_key} if kms_key else {})
    ways: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        SSE_S3_HEADER: ({"ServerSideEncryption": "AES256"}, {}),
        SSE_KMS: (kms, {}),
        SSE_C: (customer, customer),
    }
    reactions = {}
    for name, (put, read) in ways.items():
        where = {"Bucket": bucket, "Key": f"{prefix}probe-{name}"}
        reactions[name] = _reaction(s3, where, ENCRYPTIONS[name].header, put, read)
    return ServiceProbe(reactions)


def _reaction(s3: Any, where: dict[str, str], wanted: str, put: dict[str, Any], read: dict[str, Any]) -> Reaction:
    body = secrets.token_bytes(100)
    answers = {"PUT": _ask(s3.put_object, **where, **put, Body=body)}
    if isinstance(answers["PUT"], str):
        return Reaction(REFUSED, answers["PUT"])
    answers |= {"HEAD": _ask(s3.head_object, **where, **read), "GET": _ask(s3.get_object, **where, **read)}
    named = [operation for operation, answer in answers.items() if _header(answer) == wanted]
    shown = f"named by {', '.join(named)}" if named else "named by no answer"
    if not read:
        return Reaction(CLAIMED if named else IGNORED, shown)
    another = read | {"SSECustomerKey": secrets.token_bytes(32)}
    opened = [
        how
        for how, keys in (("without its key", {}), ("with another key", another))
        if not isinstance(_ask(s3.get_object, **where, **keys), str)
    ]
    if not opened:
        return Reaction(BEHAVES, f"{shown}; without its key refused")
    return Reaction(DISPROVEN if named else IGNORED, f"{shown}; returned {' and '.join(opened)}")


def _ask(request: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any] | str:
    """The answer, with its body read, or an error's code."""
    from botocore.exceptions import ClientError  # type: ignore[import-untyped]

    try:
        answer = request(**arguments)
    except ClientError as error:
        return printable(str(error.response["Error"].get("Code")), 40)
    if "Body" in answer:
        answer["Body"].read()
    return answer


def _header(answer: dict[str, Any] | str) -> str:
    if isinstance(answer, str):
        return ""
    return "customer" if answer.get("SSECustomerAlgorithm") else str(answer.get("ServerSideEncryption"))
