"""Archives of strangers: what leaves the folder or grows without bound is refused, and nothing is left of it."""

from __future__ import annotations

import io
import os
import random
import stat
import struct
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from lambda_local.code import archive as archives
from lambda_local.code.archive import BadArchive, unpack
from tests.lambda_local.archives import LINK, archive, zipped
from tests.lambda_local.serving import create


@pytest.fixture
def newer_zipfile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.12 and later take an entry's name from the extra field 0x7075; make an older one do so as well."""
    if sys.version_info >= (3, 12):
        return
    decode = zipfile.ZipInfo._decodeExtra  # type: ignore[attr-defined]

    def decode_with_names(entry: zipfile.ZipInfo, *more: int) -> None:
        decode(entry, *more)
        kind, size = struct.unpack_from("<HH", entry.extra) if entry.extra else (0, 0)
        if kind == 0x7075:
            entry.filename = entry.extra[9 : 4 + size].decode()

    monkeypatch.setattr(zipfile.ZipInfo, "_decodeExtra", decode_with_names)


@pytest.mark.parametrize("other", ["../evil", "/evil", "d/../../evil", "..", "a/\\evil", "file"])
@pytest.mark.usefixtures("newer_zipfile")
def test_the_name_that_an_extra_field_gives_is_judged_too(tmp_path, other):
    data = zipped(("file", "x", 0), ("good", "x", 0), unicode_paths={"good": other})
    (tmp_path / "server").mkdir()

    with pytest.raises(BadArchive):
        unpack(data, tmp_path / "server" / "out")

    assert [path.name for path in tmp_path.rglob("*")] == ["server"]


def test_a_list_without_end_is_refused_before_it_is_read(tmp_path, monkeypatch):
    many = archive({str(number): "" for number in range(50)})
    monkeypatch.setattr(archives, "FILES", 10)
    monkeypatch.setattr(zipfile, "ZipFile", None)

    with pytest.raises(BadArchive, match=r"\b10\b"):
        unpack(many, tmp_path / "out")


def test_an_existing_folder_is_not_changed(tmp_path):
    (tmp_path / "mine").write_text("kept")

    with pytest.raises(FileExistsError):
        unpack(archive({"a": "x"}), tmp_path)

    assert (tmp_path / "mine").read_text() == "kept"


def test_files_and_their_modes_come_out(tmp_path):
    data = archive({"bootstrap": "#!/bin/sh\n", "lib/a.py": "x = 1", "deep/er/b": ""}, executable=("bootstrap",))

    size = unpack(data, tmp_path / "out")

    assert size == 15
    assert (tmp_path / "out/lib/a.py").read_text() == "x = 1"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").rglob("*")}
    assert modes == {"bootstrap": 0o755, "lib": 0o755, "a.py": 0o644, "deep": 0o755, "er": 0o755, "b": 0o644}


def test_links_inside_the_folder_stay(tmp_path):
    unpack(zipped(("a", "x", 0), ("d/b", "../a", LINK)), tmp_path / "out")

    assert (tmp_path / "out/d/b").read_text() == "x"
    assert os.readlink(tmp_path / "out/d/b") == "../a"


@pytest.mark.parametrize(
    "entries",
    [
        [("../evil", "x", 0)],
        [("a/../../evil", "x", 0)],
        [("/evil", "x", 0)],
        [("a\\..\\evil", "x", 0)],
        [("C:/evil", "x", 0)],
        [("link", "/etc/passwd", LINK)],
        [("link", "../evil", LINK)],
        [("d/x", "", 0), ("d/up", "..", LINK), ("out", "d/up/../..", LINK)],  # out only through another link
        [("link", "..", LINK), ("link/evil", "x", 0)],
        [("link", "sub", LINK), ("link/evil", "x", 0)],
        [("a", "x", 0), ("./a", "y", 0)],
        [("pipe", "", (stat.S_IFIFO | 0o644) << 16)],
        [("device", "", (stat.S_IFCHR | 0o644) << 16)],
        [("file", "x", 0), ("file/in", "x", 0)],
        [("long", "x" * 5000, LINK)],
        [("empty", "", LINK)],
        [("nul", "a\0b", LINK)],
        [("loop", "loop", LINK), ("through", "loop/../../evil", LINK)],
    ],
    ids=lambda entries: entries[-1][0],
)
def test_paths_outside_the_folder_and_special_files_are_rejected_without_leftovers(tmp_path, entries):
    before = set(Path(tmp_path).rglob("*"))

    with pytest.raises(BadArchive):
        unpack(zipped(*entries), tmp_path / "out")

    assert set(Path(tmp_path).rglob("*")) == before


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new)


def encrypted() -> bytes:
    data = bytearray(zipped(("secret", "x", 0)))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


MB = 2**20


def packed_zeros(method: int, size: int = 48 * MB) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as out:
        out.writestr("zeros", bytes(size))
    return packed.getvalue()


def with_dictionary(data: bytes, size: int) -> bytes:
    """An archive whose only entry, of LZMA, asks for a dictionary of another size."""
    start = 30 + len("zeros") + 5
    return data[:start] + struct.pack("<I", size) + data[start + 4 :]


LYING = replaced(archive({"zeros": bytes(3 * MB)}), struct.pack("<L", 3 * MB), struct.pack("<L", 1000))
WRONG = replaced(zipped(("a", "hello", 0)), struct.pack("<L", zlib.crc32(b"hello")), bytes(4))
REFUSED = {
    "a bomb": (archive({f"{number}": bytes(MB // 4) for number in range(5)}), "Unzipped size must be smaller"),
    "a bomb that lies of its size": (LYING, "Could not unzip"),
    "too many files": (archive({str(number): "" for number in range(11)}), "11 entries"),
    "an encrypted file": (encrypted(), "encrypted"),
    "a wrong checksum": (WRONG, "Could not unzip"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_unbounded_and_falsified_archives_are_rejected(tmp_path, monkeypatch, data, words):
    monkeypatch.setattr(archives, "UNPACKED_BYTES", MB)
    monkeypatch.setattr(archives, "FILES", 10)

    with pytest.raises(BadArchive, match=words):
        unpack(data, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_with_large_steps_are_unpacked_in_little_memory(tmp_path, method):
    data = packed_zeros(method)
    tracemalloc.start()
    try:
        size = unpack(data, tmp_path / "out")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (size, (tmp_path / "out/zeros").read_bytes()) == (48 * MB, bytes(48 * MB))
    assert len(data) < MB
    assert peak < 16 * MB


def test_an_lzma_entry_gets_no_larger_dictionary_than_it_can_use(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "_DICTIONARY_BYTES", MB)
    small, large = packed_zeros(zipfile.ZIP_LZMA, MB // 2), packed_zeros(zipfile.ZIP_LZMA, 2 * MB)
    unpack(with_dictionary(small, 2**32 - 1), tmp_path / "small")

    assert (tmp_path / "small/zeros").read_bytes() == bytes(MB // 2)
    with pytest.raises(BadArchive, match="2 MiB of memory"):
        unpack(with_dictionary(large, 2**32 - 1), tmp_path / "large")
    assert not (tmp_path / "large").exists()


def test_damaged_lzma_and_bzip2_are_refused(tmp_path):
    generator, refused = random.Random(5), 0
    for number in range(200):
        damaged = bytearray(packed_zeros((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[number % 2], 1000))
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(30, len(damaged))] = generator.randrange(256)
        try:
            unpack(bytes(damaged), tmp_path / str(number))
        except BadArchive:
            refused += 1

    assert refused > 150


@pytest.mark.parametrize("data", [zipped(("link", "a\0b", LINK)), zipped(("link", "", LINK))], ids=["nul", "empty"])
def test_a_link_that_cannot_be_made_is_answered_with_status_400(lambda_, data):
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="link"):
        lambda_.publish_layer_version(LayerName="links", Content={"ZipFile": data})


def test_a_name_with_nul_is_answered_with_status_400(lambda_):
    data = replaced(zipped(("n_ame", "x", 0)), b"n_ame", b"n\0ame")

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="outside its folder"):
        lambda_.publish_layer_version(LayerName="names", Content={"ZipFile": data})


def test_damaged_archives_are_refused_whatever_is_damaged(tmp_path):
    generator = random.Random(4)
    good = archive({"a.py": "x = 1\n" * 50, "b/c.txt": "text" * 100})
    refused = 0
    for number in range(400):
        damaged = bytearray(good)
        for _ in range(generator.randint(1, 8)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        try:
            unpack(bytes(damaged[: generator.randint(len(good) // 2, len(good))]), tmp_path / str(number))
        except BadArchive:
            refused += 1
            assert not (tmp_path / str(number)).exists()

    assert refused > 300


def test_layers_that_do_not_fit_over_each_other_are_refused(lambda_):
    contents = {"file": archive({"thing": "x"}), "folder": archive({"thing/inside": "x"})}
    published = [
        lambda_.publish_layer_version(LayerName=name, Content={"ZipFile": content})
        for name, content in contents.items()
    ]
    arns = [version["LayerVersionArn"] for version in published]

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="cannot be merged"):
        create(lambda_, "clashing", "", Layers=arns)


def entry(date: tuple[int, ...], extra: bytes = b"") -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("f")
    made.date_time = date  # type: ignore[assignment] - a damaged zip has others than ZipInfo() takes
    made.extra = extra
    return made
