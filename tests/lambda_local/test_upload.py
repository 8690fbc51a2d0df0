"""Uploads: small ones are taken in a thread, large ones in a process of their own, so that nothing else waits."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import zipfile
from typing import Any

import pytest

from lambda_local.code import upload
from lambda_local.code.store import CodeStore
from lambda_local.code.upload import take
from tests.lambda_local.serving import archive, create, invoke

SOURCE = "def handler(event, context):\n    return 1\n"


def stored(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, content in files.items():
            out.writestr(name, content)
    return packed.getvalue()


def body(content: bytes, **more: Any) -> bytes:
    return json.dumps({"Code": {"ZipFile": base64.b64encode(content).decode(), "S3Key": None}} | more).encode()


def test_a_large_upload_is_taken_in_by_another_process(lambda_, monkeypatch):
    def taken_here(*given: object) -> None:
        raise AssertionError("in the server's own process")

    monkeypatch.setattr(upload, "taken", taken_here)
    large = stored({"f.py": SOURCE.encode(), "data": os.urandom(2_000_000)})

    made = create(lambda_, "large", "", Code={"ZipFile": large})

    assert made["CodeSha256"] == base64.b64encode(hashlib.sha256(large).digest()).decode()
    assert invoke(lambda_, "large").value == 1


@pytest.mark.parametrize("size", [10, 2_000_000], ids=["small", "large"])
@pytest.mark.parametrize("pieces", [1, 7])
def test_an_upload_is_the_archive_and_the_rest_of_the_document(tmp_path, size, pieces):
    content = stored({"a/b": os.urandom(size), "c": b"four"})
    whole = body(content, FunctionName="ü")
    step = len(whole) // pieces + 1

    done = take([whole[at : at + step] for at in range(0, len(whole), step)], CodeStore(tmp_path))

    assert json.loads(done.document) == {"Code": {"S3Key": None}, "FunctionName": "ü"}
    assert done.code is not None
    assert (done.code.size, done.code.unpacked) == (len(content), size + 4)
    assert (done.code.folder / "c").read_bytes() == b"four"


@pytest.mark.parametrize("padding", [0, 1_000_000], ids=["small", "large"])
@pytest.mark.parametrize(
    ("wrong", "member"),
    [
        (b"[1]", "malformed"),
        (b'{"Code": {"ZipFile": "no base64!"}}', "malformed"),
        (b'{"Code": {"ZipFile": "bm8gemlw"}}', "refused"),
    ],
)
def test_what_is_wrong_with_an_upload_is_said(tmp_path, wrong, member, padding):
    done = take([wrong, b" " * padding], CodeStore(tmp_path))

    assert getattr(done, member)
    assert done.code is None


def test_a_zip_of_more_than_50_mb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(upload, "ZIPPED_BYTES", 100)

    done = take([body(archive({"f.py": os.urandom(200)}))], CodeStore(tmp_path))

    assert done.refused == "Zipped size must be smaller than 100 bytes"


def test_code_and_layers_together_have_a_limit(lambda_, monkeypatch):
    monkeypatch.setattr("lambda_local.api.functions.UNPACKED_BYTES", 1000)
    content = {"ZipFile": archive({"x": "x" * 900})}
    layers = [lambda_.publish_layer_version(LayerName=name, Content=content) for name in ("heavy", "as-heavy")]
    create(lambda_, "light", SOURCE)

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="combined with layers exceeds"):
        lambda_.update_function_configuration(
            FunctionName="light", Layers=[layer["LayerVersionArn"] for layer in layers]
        )


def test_twenty_mib_of_zeros_are_no_bomb(lambda_):
    made = create(lambda_, "zeros", "", Code={"ZipFile": archive({"f.py": SOURCE, "zeros": bytes(20 * 2**20)})})

    assert made["CodeSize"] < 100_000
    assert invoke(lambda_, "zeros").value == 1
