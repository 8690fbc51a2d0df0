"""Uploads: the archive, and the rest of the document."""

from __future__ import annotations

import base64
import json

import msgspec
import pytest

from lambda_local.code import BadArchive, CodeStore, store
from lambda_local.code.upload import take_apart
from tests.lambda_local.serving import archive, create, invoke

SOURCE = "def handler(event, context):\n    return 1\n"


@pytest.mark.parametrize("pieces", [1, 7])
def test_an_upload_is_the_archive_and_the_rest_of_the_document(pieces):
    whole = json.dumps({"Code": {"ZipFile": base64.b64encode(b"zip").decode(), "S3Key": None}, "FunctionName": "ü"})
    data = whole.encode()
    step = len(data) // pieces + 1

    upload = take_apart([data[at : at + step] for at in range(0, len(data), step)])

    assert json.loads(upload.document) == {"Code": {"S3Key": None}, "FunctionName": "ü"}
    assert upload.archive == b"zip"


@pytest.mark.parametrize("wrong", [b"[1]", b'{"Code": {"ZipFile": "no base64!"}}', b"\xff"])
def test_malformed_upload_is_rejected(wrong):
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        take_apart([wrong])


def test_archives_say_their_size_unpacked_and_those_over_50_mb_are_rejected(tmp_path, monkeypatch):
    data = archive({"a/b": bytes(1000), "c": b"four"})

    assert CodeStore(tmp_path).add(data).unpacked == 1004
    monkeypatch.setattr(store, "ZIPPED_BYTES", 100)
    with pytest.raises(BadArchive, match="smaller than 100 bytes"):
        CodeStore(tmp_path).add(data)


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
