"""Where the cost of encryption sits, and what AWS would be paid for the operations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sectax.experiments.s3.levels import MULTIPART, PART_BYTES, rate_of, size_bytes
from sectax.model.advice_rules import Places, Requests
from sectax.model.bill import Usage
from sectax.model.finding import TreatmentResult
from sectax.model.plan import Plan
from sectax.subjects.s3.encryption import ENCRYPTIONS

PLACES = Places(
    (
        ("latency", "latency"),
        ("first_byte", "of it until the first byte"),
        ("client_cpu", "CPU time of the client"),
        ("server_cpu", "CPU time of the server"),
        ("disk_bytes", "bytes on disk"),
    )
)
_KMS = "kms.requests"
_ONLY = ""
_WITHOUT, _WITH = "without a bucket key", "with a bucket key"
# "by up to 99 percent" (Amazon S3 User Guide, 'Reducing the cost of SSE-KMS with Amazon S3 Bucket Keys'): at best.
_BUCKET_KEY_SHARE = 0.01
_ITEMS = {"put": "s3.put", "get": "s3.get", "head": "s3.get"}  # DELETE is free


def uses(operations: int, levels: Mapping[str, str]) -> dict[str, tuple[Usage, ...]]:
    """What so many operations use of S3 and KMS: under SSE-KMS one KMS request for each request that needs the key.

    In a multipart upload all do: to begin it needs kms:GenerateDataKey, every part kms:Decrypt, and so does putting
    parts with checksums together, as AWS's libraries send them (Amazon S3 API Reference, 'CreateMultipartUpload',
    'UploadPart' and 'CompleteMultipartUpload': Permissions). How often S3 asks KMS then is documented nowhere.
    """
    operation, encryption = levels["operation"], ENCRYPTIONS[levels["encryption"]]
    item = _ITEMS.get(operation)
    made = operations * _requests(levels)
    requests = (Usage(item, made),) if item else ()
    if not encryption.kms or operation not in ("put", "get"):
        return {_ONLY: requests}
    ways = {_WITH: _BUCKET_KEY_SHARE} if encryption.bucket_key else {_WITHOUT: 1.0, _WITH: _BUCKET_KEY_SHARE}
    return {way: (*requests, Usage(_KMS, made * share)) for way, share in ways.items()}


def _requests(levels: Mapping[str, str]) -> int:
    if levels["operation"] == "put" and levels["upload"] == MULTIPART:
        return 2 + math.ceil(size_bytes(levels["size"]) / PART_BYTES)  # it is begun, and put together
    return 1


def rate(result: TreatmentResult) -> float | None:
    """Operations per second of the client that was measured: its schedule's, or as many as its latency lets through."""
    scheduled = rate_of(result.levels["load"]) if "load" in result.levels else 0.0
    latency = result.estimates["latency"].point
    if scheduled:
        return scheduled
    return int(result.levels["concurrency"]) / latency if latency > 0 else None


REQUESTS = Requests(
    uses=uses,
    rate=rate,
    limited=_KMS,
    size_factor="size",
    assumes=(
        "requests alone, as AWS bills them: not storage, and not traffic; a bucket key saves up to 99 % of the KMS "
        "requests, and this takes it at its best"
    ),
)
_OF_PARTS = (
    "; in a multipart upload under SSE-KMS every request counts as one of KMS too (to begin, each part, to complete): "
    "AWS says that each needs the key, and not how often it asks KMS for it"
)


def requests(plan: Plan) -> Requests:
    """The rule for what a plan's operations cost, with what is assumed of parts where some are uploaded so."""
    in_parts = any(each.levels["upload"] == MULTIPART for each in plan.treatments)
    return replace(REQUESTS, assumes=REQUESTS.assumes + _OF_PARTS) if in_parts else REQUESTS
