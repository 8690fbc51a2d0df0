"""Objects of one arm that lie in several buckets, one of which is slower: part of a cost may be that of the bucket."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

from sectax.audit.checks.interface import Remark, check, fatal
from sectax.audit.checks.words import duration
from sectax.audit.own.evidence import Arm, RunEvidence

_BUCKET = re.compile(r"bucket_\d{1,3}_s")
# In quarters of so many blocks a bucket is slower by chance in less than one run of a thousand, and less by so much.
FEWEST_BLOCKS, SLOWER = 6, 1.2


def _buckets(arm: Arm) -> dict[str, list[float]]:
    """The median latency in each bucket, block by block."""
    seen = {name: values for name, values in (arm.witnesses or {}).items() if _BUCKET.fullmatch(name)}
    return {name: [float(value) for value in values if isinstance(value, int | float)] for name, values in seen.items()}


@check(
    "F: one bucket of an arm is over 20 % slower than its others, in the quarters of 6 blocks or more",
    applies=lambda evidence: any(map(_buckets, evidence.arms.values())),
)
def slow_bucket(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        buckets = {name: seen for name, seen in _buckets(arm).items() if len(seen) >= FEWEST_BLOCKS}
        if len(buckets) < 2:
            continue
        slow = max(buckets, key=lambda name: statistics.median(buckets[name]))
        others = [seconds for name, seen in buckets.items() if name != slow for seconds in seen]
        if statistics.quantiles(buckets[slow], n=4)[0] > SLOWER * statistics.quantiles(others, n=4)[2]:
            number = slow.removeprefix("bucket_").removesuffix("_s")
            yield fatal(
                arm.id,
                f"its objects take {duration(statistics.median(buckets[slow]))} in bucket {number}, and "
                f"{duration(statistics.median(others))} in the others",
                "part of what it costs, or saves, is that bucket's and not the treatment's",
                "find out what is different about that bucket, or name others",
            )
