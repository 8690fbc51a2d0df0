"""Several client processes that share the load of a treatment, and are spoken to as if they were one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sectax.experiments.client_server.client import Answered, ArmOpened
from sectax.experiments.client_server.together import Together, every
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.client_process import ClientProcess, ObjectBatch
from sectax.hosts.places import ClientHost
from sectax.model.subject import Witnesses

# Where the first object is, which every client stores for itself.
_OWN = frozenset({"first_bucket", "first_key"})


class ManyClients(Together[ClientProcess]):
    """Each has an equal part of the operations at once and of the rate.

    What its methods are given and raise is as of `ClientProcess`.
    """

    def __init__(
        self,
        places: Sequence[ClientHost],
        argv: tuple[str, ...],
        access: S3Access,
        size: int,
        rate: float,
        seed: str = "",
    ) -> None:
        """Args: where each of them runs."""
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
        """All must see the same. A body that can be made again is stored once, and the first client removes it."""
        many = len(self)
        wanted = {**wanted, "concurrency": wanted["concurrency"] // many, "rate": wanted["rate"] / many}
        first, *rest = self.clients
        opened = first.open(wanted, objects)
        if wanted.get("seed"):
            place = [opened.witnesses["first_bucket"], opened.witnesses["first_key"]]
            wanted |= {"found": place, "keep": True}
        if any(_common_witnesses(client.open(wanted, objects)) != _common_witnesses(opened) for client in rest):
            raise Answered("wrong-encryption", f"{many} clients saw different objects")
        return opened

    def make_ready(self, count: int, ramp: int = 0) -> None:
        for client, own in zip(self.clients, self.shares(count, ramp), strict=True):
            client.make_ready(own)

    def measure(self, count: int, ramp: int = 0) -> ObjectBatch:
        shares = self.shares(count, ramp)

        def ask(client: ClientProcess, own: int, begin: int) -> None:
            client.ask(own, ramp // len(self), begin)

        def sent(client: ClientProcess) -> ObjectBatch:
            return client.sent(max(shares))

        return self.measure_together(shares, self._rate, ask, sent)

    def clear(self, count: int) -> None:
        every(partial(client.clear, count) for client in self.clients)

    def close(self, left: int = 0) -> int:
        return sum(every(partial(client.close, left) for client in self.clients))

    def kill(self) -> None:
        for client in self.clients:
            client.kill()


def _common_witnesses(opened: ArmOpened) -> Witnesses:
    return {name: value for name, value in opened.witnesses.items() if name not in _OWN}
