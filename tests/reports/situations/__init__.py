"""One function per situation of a report: a run that is simulated, recorded and judged once."""

# ruff: noqa: F401 (they are for the tests)
from __future__ import annotations

from tests.reports.situations.commands import hostile_labels, two_commands
from tests.reports.situations.hosts import six_hosts, three_hosts
from tests.reports.situations.registered import ALL
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
from tests.reports.situations.verdicts import every_kind_of_verdict, twelve_answers, two_hundred_treatments

PATH = "runs/2026-03-02-jwt.sectax"
