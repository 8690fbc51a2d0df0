"""base64url and the compact form, read strictly."""

from __future__ import annotations

import pytest

from sectax_probe import jose


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"f", "Zg"),
        (b"fo", "Zm8"),
        (b"foo", "Zm9v"),
        (b"\xfb\xff\xfe", "-__-"),
        (b"\0" * 4, "AAAAAA"),
    ],
)
def test_base64url_goes_both_ways(data: bytes, text: str) -> None:
    assert jose.encode(data) == text
    assert jose.decode(text) == data


@pytest.mark.parametrize(
    "text", ["Zh", "Zg==", "Z", "Zg\n", "Z g", "Zm9v!", "+/+/", "é", "\ud800", "Zm8=Zm8"]
)
def test_only_the_canonical_form_is_read(text: str) -> None:
    with pytest.raises(jose.Malformed):
        jose.decode(text)


@pytest.mark.parametrize(
    "token",
    ["", "a", "e30.e30", "e30.e30.e30.e30", "e30.e30.!", "W10.e30.", "e3.e30.", "MTIz.e30.", "fQ.e30."],
)
def test_what_is_no_compact_jws_is_malformed(token: str) -> None:
    with pytest.raises(jose.Malformed):
        jose.parse(token)


def test_the_parts_of_a_token() -> None:
    assert jose.parse("eyJhbGciOiJ4In0.e30.Zm9v") == (b"eyJhbGciOiJ4In0.e30", {"alg": "x"}, b"foo")
