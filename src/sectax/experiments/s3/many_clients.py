"""Several S3 client processes used as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sectax.experiments.client_server.client import ArmOpened, ClientFailure
from sectax.experiments.client_server.client_group import ClientGroup, collect_answers
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.client_process import ClientProcess, ObjectBatch
from sectax.hosts.places import ClientHost
from sectax.model.subject import Witnesses

# These differ, since every client stores its own first object.
_OWN = frozenset({"first_bucket", "first_key"})


class ManyClients(ClientGroup[ClientProcess]):
    """Clients with equal shares of the load, used like `ClientProcess`."""

    def __init__(
        self,
        places: Sequence[ClientHost],
        argv: tuple[str, ...],
        access: S3Access,
        size: int,
        rate: float,
        seed: str = "",
    ) -> None:
        self._rate = rate
        clients: list[ClientProcess] = []
        try:
            for place in places:
                clients.append(ClientProcess(argv, access, size, rate / len(places), seed, place))
        except BaseException:
            for client in clients:
                client.kill()
            raise
        super().__init__(clients, places)

    def open(self, wanted: Mapping[str, Any], objects: int) -> ArmOpened:
        """Open all clients; the first removes a seeded body, stored once."""
        count = len(self)
        wanted = {**wanted, "concurrency": wanted["concurrency"] // count, "rate": wanted["rate"] / count}
        first, *rest = self.clients
        opened = first.open(wanted, objects)
        if wanted.get("seed"):
            wanted |= {"found": [opened.witnesses["first_bucket"], opened.witnesses["first_key"]], "keep": True}
        if any(_common_witnesses(client.open(wanted, objects)) != _common_witnesses(opened) for client in rest):
            raise ClientFailure("wrong-encryption", f"{count} clients saw different objects")
        return opened

    def make_ready(self, count: int, ramp: int = 0) -> None:
        for client, share in zip(self.clients, self.shares(count, ramp), strict=True):
            client.make_ready(share)

    def measure(self, count: int, ramp: int = 0) -> ObjectBatch:
        shares = self.shares(count, ramp)

        def ask(client: ClientProcess, share: int, start_ns: int) -> None:
            client.ask(share, ramp // len(self), start_ns)

        return self.measure_together(shares, self._rate, ask, lambda client: client.sent(max(shares)))

    def clear(self, count: int) -> None:
        collect_answers(partial(client.clear, count) for client in self.clients)

    def close(self, left: int = 0) -> int:
        return sum(collect_answers(partial(client.close, left) for client in self.clients))

    def kill(self) -> None:
        for client in self.clients:
            client.kill()


def _common_witnesses(opened: ArmOpened) -> Witnesses:
    return {name: value for name, value in opened.witnesses.items() if name not in _OWN}
