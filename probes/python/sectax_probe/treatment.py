"""What one `prepare` asks for, with its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sectax_probe import jose
from sectax_probe.algorithms import Algorithm
from sectax_probe.answers import Failed, Skipped


class Treatment(NamedTuple):
    """
    Attributes:
        per_call: the key is parsed inside every timed call.
        inputs: as they came; what this treatment does not need is passed over.
    """

    algorithm: Algorithm
    per_call: bool
    inputs: Mapping[str, str]

    def input(self, name: str) -> str:
        """
        Raises:
            Failed: it did not come, or came empty.
        """
        if not self.inputs.get(name):
            raise Failed(f"the input {name!r} is missing")
        return self.inputs[name]

    def ascii_input(self, name: str) -> bytes:
        """
        Raises:
            Failed: it did not come, or is not ASCII.
        """
        try:
            return self.input(name).encode("ascii")
        except UnicodeEncodeError:
            raise Failed(f"the input {name!r} is not ASCII") from None

    def secret(self) -> bytes:
        """
        Raises:
            Failed: it did not come, or is no base64url.
            Skipped: it should be parsed in every call, and there is nothing to parse.
        """
        if self.per_call:
            raise Skipped(f"the key of {self.algorithm.name} is plain bytes: there is nothing to parse")
        try:
            return jose.decode(self.input("secret"))
        except jose.Malformed as error:
            raise Failed(f"the input 'secret' is malformed: {error}") from None
