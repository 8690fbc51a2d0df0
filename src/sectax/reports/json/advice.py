"""Advice: seconds and bytes; money in the currency that each bill names."""

from __future__ import annotations

from sectax.model.advice import Advice, Priced
from sectax.reports.json.parts import NOT_ASKED, Missing, Record, encoded, estimate, known, record

SCHEMA = "sectax/advice/1"


def document(given: Advice) -> bytes:
    """One JSON document, UTF-8. Seconds and bytes; money in the currency that each bill names."""
    return encoded(
        {
            "schema": SCHEMA,
            "run": given.run_id,
            "anatomies": [
                {
                    "cell": each.cell,
                    "treatment": each.treatment,
                    "parts": [
                        {"words": part.words, "seconds": estimate(part.seconds), "share": estimate(part.share)}
                        for part in each.parts
                    ],
                }
                for each in given.anatomies
            ],
            "growths": [
                record(
                    levels=dict(each.levels),
                    step=known(each.step or None, "it is the whole operation"),
                    fixed=estimate(each.fixed),
                    per_byte=estimate(each.per_byte),
                    extra_per_byte=(
                        Missing("it is the baseline, a stage or a step, or there are fewer than three sizes")
                        if each.extra_per_byte is None
                        else estimate(each.extra_per_byte)
                    ),
                )
                for each in given.growths
            ],
            "events": [{"level": each.level, "bytes": each.event_bytes, "times": each.times} for each in given.sent],
            "held": [
                {
                    "cell": each.cell,
                    "treatment": each.treatment,
                    "throttled_periods": each.throttled_periods,
                    "periods": each.periods,
                }
                for each in given.held
            ],
            "lacking": list(given.lacking),
            "bills": [_priced(each) for each in given.priced],
            "smallest": record(
                under_s=known(given.limit and given.limit.under_s, NOT_ASKED),
                statistic=known(given.limit and given.limit.statistic, NOT_ASKED),
                found=[
                    record(
                        levels=dict(each.levels),
                        memory_mb=known(each.memory_mb, "none that was measured, as far as it is known"),
                        unknown=[
                            {
                                "memory_mb": memory,
                                "estimate": estimate(seen.estimate),
                                "failed_blocks": seen.failed_blocks,
                            }
                            for memory, seen in each.unknown.items()
                        ],
                    )
                    for each in given.smallest
                ],
            ),
        }
    )


def _priced(each: Priced) -> Record:
    return {
        "cell": each.cell,
        "treatment": each.treatment,
        "memory_mb": each.memory_mb,
        "billed_s": each.billed_s,
        "requests": 1_000_000,
        "total": each.bill.total,
        "least": each.least,
        "most": each.most,
        "currency": each.bill.currency,
        "prices": {"day": each.bill.day, "place": each.bill.place, "source": each.bill.source},
    }
