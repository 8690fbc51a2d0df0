"""Several client processes that share the load of every arm, and are spoken to as if they were one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sectax.experiments.client_server.client import Answered, ArmOpened
from sectax.experiments.client_server.together import Together, every
from sectax.experiments.http.client import ArmTotals, Sent, SharedClient
from sectax.hosts.places import ClientHost


class ManyClients(Together[SharedClient]):
    """Each has an equal part of the connections and of the rate. What its methods raise, those of `SharedClient` do."""

    def __init__(self, program: str, places: Sequence[ClientHost]) -> None:
        """Args: where each of them runs."""
        super().__init__((SharedClient(program, place) for place in places), places)
        self._rates: dict[str, float] = {}

    def join(self, arm: str) -> None:
        for client in self.clients:
            client.join(arm)

    def leave(self, arm: str) -> None:
        for client in self.clients:
            client.leave(arm)

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> ArmOpened:
        """Each opens its part of the connections. All must see the same answer."""
        self._rates[arm] = float(wanted["rate"])
        part = {"concurrency": wanted["concurrency"] // len(self), "rate": wanted["rate"] / len(self)}
        first, *rest = [client.open(arm, {**wanted, **part}, longest_s) for client in self.clients]
        if any(answer.witnesses != first.witnesses for answer in rest):
            raise Answered("body-varies", f"{len(self)} clients saw different answers")
        return first

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        def ask(client: SharedClient, own: int, begin: int) -> None:
            client.ask(arm, own, ramp // len(self), begin)

        def sent(client: SharedClient) -> Sent:
            return client.sent(longest_s)

        return self.measure_together(self.shares(count, ramp), self._rates[arm], ask, sent)

    def close(self, arm: str) -> ArmTotals:
        closed = every(partial(client.close, arm) for client in self.clients)
        return ArmTotals(sum(client.requests for client in closed), sum(client.connections for client in closed))
