"""Several HTTP client processes used as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sectax.experiments.client_server.client import ArmOpened, ClientFailure
from sectax.experiments.client_server.client_group import ClientGroup, collect_answers
from sectax.experiments.http.client import ArmTotals, Sent, SharedClient
from sectax.hosts.places import ClientHost


class ManyClients(ClientGroup[SharedClient]):
    """Clients with equal shares of connections and rate; raises as `SharedClient`."""

    def __init__(self, program: str, places: Sequence[ClientHost]) -> None:
        super().__init__((SharedClient(program, place) for place in places), places)
        self._rates: dict[str, float] = {}

    def join(self, arm: str) -> None:
        for client in self.clients:
            client.join(arm)

    def leave(self, arm: str) -> None:
        for client in self.clients:
            client.leave(arm)

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> ArmOpened:
        self._rates[arm] = float(wanted["rate"])
        share = {"concurrency": wanted["concurrency"] // len(self), "rate": wanted["rate"] / len(self)}
        first, *rest = [client.open(arm, {**wanted, **share}, longest_s) for client in self.clients]
        if any(opened.witnesses != first.witnesses for opened in rest):
            raise ClientFailure("body-varies", f"{len(self)} clients saw different answers")
        return first

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        def ask(client: SharedClient, share: int, start_ns: int) -> None:
            client.ask(arm, share, ramp // len(self), start_ns)

        shares = self.shares(count, ramp)
        return self.measure_together(shares, self._rates[arm], ask, lambda client: client.sent(longest_s))

    def close(self, arm: str) -> ArmTotals:
        closed = collect_answers(partial(client.close, arm) for client in self.clients)
        return ArmTotals(sum(client.requests for client in closed), sum(client.connections for client in closed))
