"""Archives as an attacker would make them, alone and over each other: nothing outside the server's folder changes."""

from __future__ import annotations

import base64
import http.client
import io
import json
import random
import stat
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.lambda_local.archives import archive, unicode_path
from tests.lambda_local.canary import Canary, Memory, server_within

GOOD_KINDS = (stat.S_IFREG, stat.S_IFREG, stat.S_IFLNK, stat.S_IFLNK, stat.S_IFDIR)
KINDS = (*GOOD_KINDS, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, 0)
NAMES = ("a", "b", "c", "d", "x", "a/b", "x/file", "d/x/file", "a/b/c/d", "extensions/e", "bootstrap")
BAD_NAMES = (
    "", ".", "..", "./a", "a//b", "a/", "x/", "a\\..\\b", "C:/x", "a\0b", "n" * 300, "d/" * 150 + "f", "ü/é", "-rf"
)  # fmt: skip


class Attacker:
    """Makes archives; *victims* are paths that it would like to write."""

    def __init__(self, seed: int, victims: list[str]) -> None:
        self._random = random.Random(seed)
        self._victims = victims

    def archive(self) -> bytes:
        packed = io.BytesIO()
        # Most are good in all but one or two entries: the others are refused for the first reason that is found.
        bad = self._random.choice((0.0, 0.0, 0.1, 0.5))
        with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as out:
            warnings.simplefilter("ignore")  # names that are there twice
            for _ in range(self._random.randint(1, 6)):
                entry, content = self._entry(bad)
                out.writestr(entry, content)
        return self._damaged(packed.getvalue()) if self._random.random() < bad else packed.getvalue()

    def _entry(self, bad: float) -> tuple[zipfile.ZipInfo, bytes]:
        choose = self._random.choice
        is_bad = self._random.random() < bad
        name = choose((*BAD_NAMES, *self._ways())) if is_bad else choose(NAMES)
        entry = zipfile.ZipInfo(name)
        kind = choose(KINDS if is_bad else GOOD_KINDS)
        entry.external_attr = (kind | choose((0o644, 0o755, 0o6777, 0))) << 16
        if is_bad and self._random.random() < 0.4:
            other = choose((*self._ways(), *NAMES)).encode()
            entry.extra = choose((unicode_path(name, other.decode()), b"\1\0\x10\0" + bytes(16), other[:3]))
        content = b"a" * choose((0, 1, 100))
        if kind == stat.S_IFLNK:
            content = choose((".", "..", *NAMES, *self._ways(), *self._ways())).encode()
        return entry, content

    def _ways(self) -> tuple[str, ...]:
        """Ways to the victims: straight, up, and up after a way down that another layer may cut short."""
        victim = self._random.choice(self._victims)
        down = self._random.choice(("", "a/", "a/b/", "a/b/c/d/", "d/x/"))
        up = "../" * self._random.randint(0, 8)
        return victim, f"{down}{up}victim/file", f"{down}{up}victim", f"{down}{up}file", f"x/{up}link/file"

    def _damaged(self, data: bytes) -> bytes:
        damaged = bytearray(data)
        match self._random.randrange(4):
            case 0:
                for _ in range(self._random.randint(1, 6)):
                    damaged[self._random.randrange(len(damaged))] = self._random.randrange(256)
            case 1:
                del damaged[self._random.randrange(len(damaged)) :]
            case 2:  # the list says another size than there is
                at = damaged.rfind(b"PK\x01\x02")
                struct.pack_into("<L", damaged, at + 24, self._random.choice((0, 1, 2**31, 2**32 - 1)))
            case 3:  # something stands before it
                damaged[:0] = self._random.randbytes(self._random.randint(1, 100))
        return bytes(damaged)


class Caller:
    """Speaks to the server as AWS's clients do, with less effort."""

    def __init__(self, port: int, timeout: float = 60.0) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def __call__(self, method: str, path: str, document: object) -> tuple[int, Any]:
        headers = {"Authorization": "AWS4-HMAC-SHA256 x"}
        self._connection.request(method, path, json.dumps(document), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    def close(self) -> None:
        self._connection.close()


def hostile_archives(folder: Path, number: int) -> Memory:
    """Publish so many as layers, and lay them over each other. Returns what the server kept of them."""
    canary = Canary(folder)
    attacker = Attacker(11, [str(folder / "victim" / "file"), str(folder / "new"), "/dev/null"])
    choose = random.Random(12)
    code = base64.b64encode(archive({"bootstrap": "x"})).decode()
    function = {
        "FunctionName": "f",
        "Runtime": "provided.al2023",
        "Handler": "h",
        "Role": "arn:aws:iam::000000000000:role/r",
    }
    statuses: dict[int, int] = {}
    merged: dict[int, int] = {}
    layers: list[str] = []
    with server_within(canary) as server:
        call = Caller(server.port)
        assert call("POST", "/2015-03-31/functions", function | {"Code": {"ZipFile": code}})[0] == 201
        began_mb = server.resident_mb
        for turn in range(number):
            content = {"ZipFile": base64.b64encode(attacker.archive()).decode()}
            status, layer = call("POST", f"/2018-10-31/layers/l{turn % 20}/versions", {"Content": content})
            statuses[status] = statuses.get(status, 0) + 1
            if status == 201:
                layers.append(layer["LayerVersionArn"])
            if layers and turn % 2:
                over = {"Layers": choose.sample(layers, min(len(layers), choose.randint(2, 5)))}
                status, _ = call("PUT", "/2015-03-31/functions/f/configuration", over)
                merged[status] = merged.get(status, 0) + 1
            if turn % 100 == 99:
                assert canary.untouched(), turn
        assert call("DELETE", "/2015-03-31/functions/f", {})[0] == 204
        for arn in layers:
            name, version = arn.split(":")[-2:]
            assert call("DELETE", f"/2018-10-31/layers/{name}/versions/{version}", {})[0] == 204
        call.close()
        ended_mb = server.resident_mb
        escapes, peak_mb, alive = canary.escapes(), server.peak_mb, server.alive

    assert canary.untouched()
    assert escapes == []
    assert alive
    # Archives of both kinds, and nothing but clear answers.
    assert set(statuses) == {201, 400}
    assert min(statuses.values()) > number / 5
    assert set(merged) == {200, 400}
    return Memory(began_mb, peak_mb, ended_mb)


@pytest.mark.parametrize(
    "number", [60, pytest.param(300, marks=pytest.mark.more), pytest.param(10_000, marks=pytest.mark.full)]
)
def test_hostile_archives_touch_nothing_outside_the_servers_folder(tmp_path: Path, number: int) -> None:
    memory = hostile_archives(tmp_path, number)

    assert memory.peak_mb < 200
    assert memory.grown_mb < 60
