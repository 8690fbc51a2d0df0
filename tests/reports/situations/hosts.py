"""Signatures on several hosts: enough of them for a claim about others, and too few."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.environment import Environment
from tests.reports.situations.registered import situation
from tests.reports.situations.signatures import SIGN, VERIFY, signatures
from tests.reports.situations.simulated import Case

_MODELS = ("AMD EPYC 7R13", "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", "Neoverse-N1")


@situation
def six_hosts() -> Analysed:
    """Ed25519 signs with a gain that differs from host to host; one host verifies ECDSA as no other does."""
    case = _on(6, blocks=36)
    by_host = dict(zip(case.hosts, (0.0, 0.05, -0.06, 0.02, -0.03, 0.08), strict=True))
    case.pace = {"node2": 0.4, "node3": 0.7, "node5": 0.4, "node6": 0.7}
    case.moves = {
        f"{SIGN}/EdDSA": lambda block: by_host[case.host(block)],
        f"{VERIFY}/ES256": lambda block: -0.5 if case.host(block) == "node5" else 0.1 * by_host[case.host(block)],
    }
    return case.build()


@situation
def three_hosts() -> Analysed:
    """The last one came late: it made one block."""
    case = _on(3, blocks=17)
    case.order = ("node1", "node2") * 8 + ("node3",)
    return case.build()


def _on(hosts: int, blocks: int) -> Case:
    case = signatures()
    case.blocks = blocks
    case.hosts = {f"node{number + 1}": _environment(number) for number in range(hosts)}
    case.order = tuple(case.hosts) * (blocks // hosts)
    return case


def _environment(number: int) -> Environment:
    return Environment({"host.cpu_model": _MODELS[number % len(_MODELS)], "host.cpus": "8"})
