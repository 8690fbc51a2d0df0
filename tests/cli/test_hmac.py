"""`sectax hmac`: what it makes anyone can verify, it verifies what anyone makes, and keys stay where they belong."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sectax.experiments.hmac import commands
from tests.program import PROGRAM, sectax

_OPEN = os.open
KEY = "eine-Folge-von-Zeichen_die-nur-diese-Tests-kennen"
# Whoever verifies has Python and no sectax: -S leaves out what is installed, -I the environment.
ALONE = """
import base64, hashlib, hmac, json, sys
key, event = open(sys.argv[1], "rb").read(), json.load(open(sys.argv[2]))
derived = hmac.new(key, event["key"].encode(), hashlib.sha512).hexdigest().encode()
token = hmac.new(derived, event["data"].encode(), hashlib.sha512).hexdigest()
assert hmac.compare_digest(token, event["token"])
print(sorted(event), len(bytes.fromhex(event["key"])), base64.b64decode(event["data"])[:14].hex())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    return tmp_path


def signed_by_hand(data: str) -> dict[str, str]:
    derived = hmac.new(KEY.encode(), b"salt", hashlib.sha512).hexdigest().encode()
    return {"key": "salt", "token": hmac.new(derived, data.encode(), hashlib.sha512).hexdigest(), "data": data}


def test_a_key_is_64_random_bytes_that_only_its_owner_can_read(tmp_path):
    one, other = (sectax("hmac", "keygen", "--out", name, folder=tmp_path) for name in ("one", "other"))

    texts = [(tmp_path / name).read_text() for name in ("one", "other")]
    assert (one.status, one.out, one.err) == (0, "one\n", "")
    assert [len(base64.urlsafe_b64decode(text + "==")) for text in texts] == [64, 64]
    assert texts[0] != texts[1]
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o600
    assert texts[1] not in other.out + other.err


def test_a_key_is_never_overwritten_unless_asked_for(tmp_path, agreed):
    (tmp_path / "hmac.key").write_text("precious")
    (tmp_path / "hmac.key").chmod(0o644)

    refused = sectax("hmac", "keygen", folder=tmp_path)
    assert refused.status == 2
    agreed(refused.err)
    assert (tmp_path / "hmac.key").read_text() == "precious"

    assert sectax("hmac", "keygen", "--force", folder=tmp_path).status == 0
    assert len((tmp_path / "hmac.key").read_text()) == 86
    assert stat.S_IMODE((tmp_path / "hmac.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["hmac.key"]


def test_a_key_does_not_follow_a_link_to_elsewhere(tmp_path):
    (tmp_path / "hmac.key").symlink_to(tmp_path / "elsewhere")

    assert sectax("hmac", "keygen", folder=tmp_path).status == 2
    assert not (tmp_path / "elsewhere").exists()


def test_payloads_verify_with_the_standard_library_alone(folder, agreed):
    sizes = ("--size", "1B,10KiB", "--size", "3MiB")
    result = sectax("hmac", "payload", *sizes, "--out", "d", "--key-file", "key", folder=folder)

    assert result.status == 0, result
    assert sorted(path.name for path in (folder / "d").iterdir()) == ["10KiB.json", "1B.json", "3MiB.json"]
    agreed(result.out)
    for name, size in (("1B", "c401"), ("10KiB", "c52800"), ("3MiB", "c600300000")):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", ALONE, "key", f"d/{name}.json"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        assert done.stdout.startswith("['data', 'key', 'token'] 16 83a1617ba162cd01c8a36f626a"[:50])
        content = base64.b64decode(json.loads((folder / "d" / f"{name}.json").read_text())["data"])
        assert content.startswith(bytes.fromhex("83a1617ba162cd01c8a36f626a" + size))


def test_what_is_signed_by_hand_verifies_and_what_is_tampered_with_does_not(folder):
    good = signed_by_hand('{"hello": "wörld"}\n')
    events = {
        "good": json.dumps(good),
        "token": json.dumps(good | {"token": good["token"][::-1]}),
        "salt": json.dumps(good | {"key": "tlas"}),
        "data": json.dumps(good | {"data": good["data"].strip()}),
        "short": json.dumps(good | {"token": good["token"][:-2]}),
        "missing": json.dumps({name: good[name] for name in ("key", "data")}),
        "unknown": json.dumps(good | {"x": 1}),
        "nothing": "",
        "deep": "[" * 100_000,
    }
    for name, text in events.items():
        (folder / name).write_text(text)

    said = {name: sectax("hmac", "verify", name, "--key-file", "key", folder=folder) for name in events}

    assert (said["good"].status, said["good"].out) == (0, "genuine\n")
    assert {name: one.status for name, one in said.items() if name != "good"} == dict.fromkeys([*events][1:], 1)
    assert said["token"].out == said["salt"].out != said["missing"].out
    assert "`token`" in said["missing"].out


def test_an_expired_payload_is_refused(folder, agreed):
    make = ("hmac", "payload", "--size", "1B", "--out", "d", "--scheme", "hmac-sha512-expiry", "--lifetime", "0.001s")
    sectax(*make, "--key-file", "key", folder=folder)

    result = sectax("hmac", "verify", "d/1B.json", "--scheme", "hmac-sha512-expiry", "--key-file", "key", folder=folder)

    assert result.status == 1
    agreed(result.out)


def test_the_key_may_come_from_the_environment_as_the_function_s_does(folder):
    (folder / "e").write_text(json.dumps(signed_by_hand("data")))
    verify = ("hmac", "verify", "e")

    assert sectax(*verify, folder=folder, SHARED_KEY=KEY).status == 0
    assert sectax(*verify, folder=folder, SHARED_KEY_FILE="key").status == 0
    assert sectax(*verify, "--key-file", "key", folder=folder, SHARED_KEY="another").status == 0
    assert sectax(*verify, folder=folder, SHARED_KEY="another").status == 1
    both = sectax(*verify, folder=folder, SHARED_KEY=KEY, SHARED_KEY_FILE="key")
    assert both.status == 2
    assert "both SHARED_KEY and SHARED_KEY_FILE" in both.err


def test_an_event_is_never_overwritten_unless_asked_for(folder):
    make = ("hmac", "payload", "--size", "1KiB", "--out", "d", "--key-file", "key")
    sectax(*make, folder=folder)
    before = (folder / "d/1KiB.json").read_bytes()

    assert sectax(*make, folder=folder).status == 2
    assert (folder / "d/1KiB.json").read_bytes() == before
    assert sectax(*make, "--force", folder=folder).status == 0
    assert (folder / "d/1KiB.json").read_bytes() != before


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
@pytest.mark.parametrize("key", ["short", "x" * 32])
def test_keys_that_are_short_or_that_others_can_read_are_warned_of(folder, key, mode):
    (folder / "doubtful").write_text(key)
    (folder / "doubtful").chmod(mode)

    (folder / "data").write_text("data")

    done = sectax("hmac", "sign", "data", "--key-file", "doubtful", folder=folder)

    assert done.status == 0
    assert ("has 5 bytes" in done.err) is (key == "short")
    assert (f"has mode {mode:03o}" in done.err) is (mode != 0o600)
    assert json.loads(done.out)["data"] == "data"


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_new_key_that_is_sent_to_a_file_is_warned_of_where_others_can_read_it(folder, mode):
    place = folder / "sent"
    place.touch()
    place.chmod(mode)

    with place.open("wb") as out:
        done = subprocess.run([*PROGRAM, "hmac", "keygen", "--out", "-"], stdout=out, stderr=subprocess.PIPE, text=True)

    assert done.returncode == 0
    assert (f"has mode {mode:03o}" in done.stderr) is (mode != 0o600)
    assert place.read_text().strip() not in done.stderr


def test_a_new_key_is_warned_of_where_the_file_system_keeps_no_modes(folder, monkeypatch, capsys):
    monkeypatch.setattr(os, "fchmod", lambda *given: None)
    monkeypatch.setattr(os, "open", lambda path, flags, mode=0, **more: _OPEN(path, flags, mode | 0o644, **more))
    monkeypatch.chdir(folder)

    commands.group(["keygen", "--out", "shared"], standalone_mode=False)

    assert "mode 644" in capsys.readouterr().err


def test_a_document_and_a_key_are_not_printed_together(folder):
    assert sectax("hmac", "keygen", "--out", "-", "--json", folder=folder).status == 2
