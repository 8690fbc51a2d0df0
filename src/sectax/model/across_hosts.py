"""One comparison on several hosts: host by host, and what it says about hosts like these."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.finding import Estimate, Finding


@dataclass(frozen=True)
class OfOneHost:
    """A comparison in the blocks of one host alone, at the error level of a single interval."""

    host: str
    finding: Finding


@dataclass(frozen=True)
class AcrossHosts:
    """One comparison of a run on several hosts.

    Attributes:
        measured: its finding, which is about the hosts measured: all of them count alike.
        hosts: by name.
        odd: the host that differs from all others; empty where there is none.
        left_out: hosts with too few blocks to be part of the finding.
        spread: by how much the effect differs between hosts, a standard deviation as a share (0.06 is 6 %); None with
            one host.
        alike: the same comparison on hosts like these; None where nothing is claimed of them.
        refused: why not, or empty.
        unseen: the largest share of a fleet that a kind of hosts may have of which none was measured.
    """

    measured: Finding
    hosts: tuple[OfOneHost, ...]
    odd: str
    left_out: tuple[str, ...]
    spread: Estimate | None
    alike: Finding | None
    refused: str = ""
    unseen: float = 0.0
