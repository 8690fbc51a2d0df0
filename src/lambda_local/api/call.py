"""One call of an action: what stands in its path, its query and its body, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs

import msgspec

from lambda_local.api import names, requests
from lambda_local.api.errors import constraint
from lambda_local.http import Exchange

_Body = TypeVar("_Body", bound=msgspec.Struct)
_Item = TypeVar("_Item")
_MOST_LISTED = 50


class Call(NamedTuple):
    """Attributes: *path* holds the parameters of the path by their names in the API reference."""

    action: str
    path: Mapping[str, str]
    exchange: Exchange
    region: str

    def query(self, name: str) -> str | None:
        """A parameter of the query; None where it is not given."""
        values = self.queries(name)
        return values[0] if values else None

    def queries(self, name: str) -> list[str]:
        """All values of a parameter."""
        query = self.exchange.request.query
        return parse_qs(query, keep_blank_values=True).get(name, []) if query else []

    def function(self) -> tuple[str, str | None]:
        """The function that is meant, and the qualifier: of the path or of the query. Raises `ApiError`."""
        return names.function(self.path["FunctionName"], self.query("Qualifier"), self.region)

    def name(self) -> str:
        """The function that is meant, by an action that knows no versions. Raises `ApiError`."""
        return names.unqualified(self.path["FunctionName"], self.region)

    def read(self, kind: type[_Body]) -> _Body:
        """The body. Raises `ApiError`."""
        return requests.read(self.exchange.request.body, kind)

    def page(
        self, name: str, items: Iterable[_Item], key: Callable[[_Item], str], document: Callable[[_Item], Any]
    ) -> dict[str, Any]:
        """One page of a list, from the item behind the marker.

        Args:
            name: of the member that holds the list.
            key: what tells the items apart; they are in its order, or in any that does not change.
        """
        most = self.query("MaxItems") or str(_MOST_LISTED)
        if not most.isdecimal() or int(most) < 1:
            raise constraint(most, "maxItems", "Member must have value greater than or equal to 1")
        listed = list(items)
        marker = self.query("Marker")
        if marker:
            at = next((index for index, item in enumerate(listed) if key(item) == marker), None)
            # None: it was removed meanwhile.
            listed = [item for item in listed if key(item) > marker] if at is None else listed[at + 1 :]
        shown = listed[: min(int(most), _MOST_LISTED)]
        answer: dict[str, Any] = {name: [document(item) for item in shown]}
        if len(listed) > len(shown):
            answer["NextMarker"] = key(shown[-1])
        return answer
