"""One function per situation that a report must show. Each is a run that was simulated, recorded and judged, once."""

from __future__ import annotations

from collections.abc import Callable

from sectax.model.analysed import Analysed
from tests.reports.situations.commands import commands, hostile_labels
from tests.reports.situations.hosts import six_hosts, three_hosts
from tests.reports.situations.signatures import (
    answered_in_cpu_time,
    interrupted_after_four_blocks,
    negative_control_fired,
    negative_control_within_the_margin,
    only_one_block,
    positive_control_missed,
    probe_failed_in_the_pilot,
    published_preset,
    signatures_in_php,
    treatment_failed_in_some_blocks,
    treatment_failed_in_the_pilot,
    treatments_skipped,
    verdict_withdrawn,
    watched_by_the_kernel,
)
from tests.reports.situations.verdicts import (
    every_kind_of_verdict,
    twelve_answers,
    two_hundred_treatments,
)

PATH = "runs/2026-03-02-jwt.sectax"

ALL: dict[str, Callable[[], Analysed]] = {
    "signatures-in-php": signatures_in_php,
    "every-kind-of-verdict": every_kind_of_verdict,
    "treatments-skipped": treatments_skipped,
    "treatment-failed-in-some-blocks": treatment_failed_in_some_blocks,
    "treatment-failed-in-the-pilot": treatment_failed_in_the_pilot,
    "probe-failed-in-the-pilot": probe_failed_in_the_pilot,
    "watched-by-the-kernel": watched_by_the_kernel,
    "verdict-withdrawn": verdict_withdrawn,
    "negative-control-fired": negative_control_fired,
    "negative-control-within-the-margin": negative_control_within_the_margin,
    "positive-control-missed": positive_control_missed,
    "interrupted-after-four-blocks": interrupted_after_four_blocks,
    "only-one-block": only_one_block,
    "published-preset": published_preset,
    "answered-in-cpu-time": answered_in_cpu_time,
    "two-hundred-treatments": two_hundred_treatments,
    "two-commands": commands,
    "hostile-labels": hostile_labels,
    "twelve-answers": twelve_answers,
    "six-hosts": six_hosts,
    "three-hosts": three_hosts,
}
