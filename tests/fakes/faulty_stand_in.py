"""The stand-in for Secrets Manager, some of whose answers go wrong: `fail` says how. moto's interpreter runs it too."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sectax.experiments.secrets.backend import Backend

_JSON = {"Content-Type": "application/x-amz-json-1.1"}
_WRONG: dict[str, tuple[int, dict[str, str], bytes]] = {
    "garbage": (200, {"Content-Type": "text/html"}, b"<html>\x00\xff</html>"),
    "400": (400, _JSON, b'{"__type":"InvalidRequestException"}'),
    "denied": (400, _JSON, b'{"__type":"AccessDeniedException"}'),
}


def fail(backend: Backend, how: str, times: int) -> None:
    """Let the next answers go wrong: slow, close, garbage, 400 or denied."""
    backend._ask({"fault": how, "times": times})


def main(folder: str) -> None:
    """Args: where the real one is."""
    sys.path.insert(0, folder)
    import server  # type: ignore[import-not-found]

    faults: list[str] = []

    class Handler(server.Handler):  # type: ignore[misc]
        def _answer(self, body: bytes) -> tuple[int, dict[str, Any], bytes]:
            how = faults.pop() if faults else ""
            if how == "slow":
                time.sleep(5)
            if how in ("close", "garbage"):
                self.server.counters.add("refused")
            if how == "close":
                self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"Name"')
                raise ConnectionAbortedError
            answer: tuple[int, dict[str, Any], bytes] = _WRONG.get(how) or super()._answer(body)
            return answer

    class Orders:
        def readline(self) -> str:
            return stdin.readline()

        def __iter__(self) -> Iterator[str]:
            for line in stdin:
                order = json.loads(line)
                faults.extend([order["fault"]] * order["times"] if order else [])
                yield line

    stdin, sys.stdin = sys.stdin, Orders()  # type: ignore[assignment]
    server.Handler = Handler
    server.main()


if __name__ == "__main__":
    from_tests = Path(__file__).parents[2] / "src" / "sectax" / "experiments" / "secrets" / "stand_in"
    main(str(from_tests))
