"""One call of an action: what stands in its path, its query and its body."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qs

from lambda_local.api import names, requests
from lambda_local.http import Exchange

_Body = TypeVar("_Body", bound=requests.Body)


class Call(NamedTuple):
    """Attributes: *path* holds the parameters of the path by their names in the API reference."""

    path: Mapping[str, str]
    exchange: Exchange
    region: str

    def query(self, name: str) -> str | None:
        """A parameter of the query; None where it is not given."""
        query = self.exchange.request.query
        return parse_qs(query, keep_blank_values=True).get(name, [None])[0] if query else None

    def name(self) -> str:
        """The function that is meant. Raises `ApiError`."""
        return names.function(self.path["FunctionName"], self.query("Qualifier"), self.region)

    async def read(self, kind: type[_Body]) -> _Body:
        """The body, read in a thread: an archive takes a while. Raises `ApiError`."""
        return await asyncio.to_thread(lambda: requests.read(self.exchange.request.body, kind))
