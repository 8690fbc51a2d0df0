"""`sectax advise RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli import parse
from sectax.cli.options import FileName, as_json, form, run_file
from sectax.cli.output import Form, print_result
from sectax.model.advice import UserWorkload
from sectax.run.advice import advise
from sectax.text.spans import seconds


@click.command("advise")
@run_file
@click.option(
    "--prices",
    type=FileName(path_type=Path),
    metavar="FILE",
    help="Use your own prices instead of the built-in ones.",
)
@click.option("--calls", type=click.IntRange(1, 1_000_000), metavar="N", help="Your calls in each invocation.")
@click.option(
    "--rate",
    metavar="N/s",
    help="Your operations a second: of jwt signatures and verifications, of secrets invocations of one instance.",
)
@click.option("--sign", type=click.FloatRange(0), metavar="N", help="Signatures in your work, beside --verify.")
@click.option("--verify", type=click.FloatRange(0), metavar="N", help="Verifications in your work, beside --sign.")
@click.option("--ttl", metavar="TIME", help="How long your cache uses what it has, such as 5m.")
@form(as_json)
def command(
    run_file: str,
    prices: Path | None,
    calls: int | None,
    rate: str | None,
    sign: float | None,
    verify: float | None,
    ttl: str | None,
    form: Form,
) -> None:
    """Recommend what to do after a run; show where its time goes and what it costs at your rate.

    Runs of jwt take your mix of signatures and verifications (--sign 1 --verify 20), runs of secrets your calls, rate
    and TTL (--calls, --rate, --ttl).
    """
    rate_s = None if rate is None else parse.rate(rate)
    counts = parse.counts({"sign": sign, "verify": verify})
    asked = UserWorkload(counts, rate_s, calls, None if ttl is None else seconds(ttl, "--ttl"))
    print_result(advise(Path(run_file), asked, prices), form)
