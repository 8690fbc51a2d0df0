"""`sectax attest RUN`."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from sectax.cli.options import FileName, as_json, print_json, run_file
from sectax.model.errors import ExitStatus
from sectax.workflow.attested import Checked, attested


@click.command("attest")
@run_file
@click.option(
    "--certificates",
    type=FileName(path_type=Path),
    metavar="FILE",
    help="The certificates of a host that gave none with its report (PEM): that of its chip's key, then AMD's two.",
)
@as_json
def command(run_file: str, certificates: Path | None, json_: bool) -> None:
    """Check the attestation reports that the confidential hosts of a run gave.

    A report is good where a processor's vendor vouches for it, and it was made for this run's plan. Whether the vendor
    has revoked a key, or wants newer firmware, is not checked.

    Exit status: 0 every host that says that its memory is encrypted gave a good report; 1 one did not, or there is no
    such host.
    """
    checked = attested(Path(run_file), certificates, when=datetime.datetime.now(datetime.UTC))
    if json_:
        print_json(checked)
    else:
        _print(checked.hosts)
    if not checked.hosts or not all(host.genuine for host in checked.hosts):
        raise click.exceptions.Exit(ExitStatus.GATE_MISSED)


def _print(attestations: tuple[Checked, ...]) -> None:
    several = len({attestation.session for attestation in attestations}) > 1
    for attestation in attestations:
        session = f", session {attestation.session}" if several else ""
        click.echo(
            f"{attestation.host}{session}: {'attested' if attestation.genuine else 'not attested'}: {attestation.words}"
        )
    if not attestations:
        click.echo("no host of this run says that its memory is encrypted")
