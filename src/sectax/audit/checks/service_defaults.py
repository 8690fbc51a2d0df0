"""Settings that managed services no longer offer, with the day on which they were withdrawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Withdrawn:
    """Since that day the service does `instead` where `value` of `setting` is asked for."""

    service: str
    setting: str
    value: str
    since: date
    instead: str
    source: str


WITHDRAWN: tuple[Withdrawn, ...] = (
    Withdrawn(
        service="Amazon S3",
        setting="server_side_encryption",
        value="none",
        since=date(2023, 1, 5),
        instead="encrypts every new object (SSE-S3)",
        source="https://aws.amazon.com/blogs/aws/amazon-s3-encrypts-new-objects-by-default/",
    ),
)
SETTINGS = frozenset(end.setting for end in WITHDRAWN)


def withdrawn(service: str, setting: str, value: str) -> Withdrawn | None:
    """What is known of this setting's end; None where it is still available, as far as this table knows."""
    asked = (service, setting, value)
    return next((end for end in WITHDRAWN if (end.service, end.setting, end.value) == asked), None)
