"""`sectax audit` as a user calls it: targets, refusals, exit statuses, documents."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.golden import refused_as_agreed
from tests.program import sectax
from tests.schemas import follows_its_schema

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "audit" / "tools" / "samples"
CSV = ["--value", "elapsed", "--unit", "ms"]
GOLDEN = Path(__file__).with_name("golden") / "audit.txt"


@pytest.mark.parametrize("target", ["published:confidential-vm-sysbench", str(SAMPLES / "hyperfine.json")])
def test_document_follows_its_schema_and_names_every_check(target):
    document = json.loads(sectax("audit", target, "--json").out)

    follows_its_schema(document)
    statuses = [check["status"] for check in document["checks"]]
    verdict = document["verdict"]
    assert [verdict["fired"], verdict["silent"], verdict["unchecked"], verdict["not_applicable"]] == [
        statuses.count(text) for text in ("fired", "silent", "cannot-be-checked", "does-not-apply")
    ]
    assert document["target"] == target


@pytest.mark.parametrize(("name", "statuses"), [("gobench.txt", [0, 1]), ("sysbench-memory.txt", [1, 1])])
def test_ci_may_fail_on_f_or_on_w_too(name, statuses):
    target = str(SAMPLES / name)

    document = json.loads(sectax("audit", target, "--json").out)

    assert document["verdict"]["warned"] > 0
    assert [sectax("audit", target, "--fail-on", on).status for on in "FW"] == statuses
    assert (sectax("audit", target).status, sectax("audit", target, "--strict").status) == (0, statuses[0])


@pytest.mark.parametrize(
    "name", ["sysbench-cpu.txt", "openssl-signatures.txt", "openssl-aes.txt", "wrk.txt", "gobench.txt", "pyperf.json"]
)
def test_strict_lets_sound_outputs_pass_whose_figures_are_of_one_run(name):
    result = sectax("audit", str(SAMPLES / name), "--strict")

    assert result.status == 0, result.out


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".md"))
def test_no_more_figures_are_counted_than_there_are(name):
    document = json.loads(sectax("audit", str(SAMPLES / name), "--json").out)

    verdict = document["verdict"]
    assert verdict["fatal"] + verdict["warned"] <= document["figures"]
    unnamed = [one for check in document["checks"] for one in check["warnings"] if not one["figures"]]
    assert verdict["beside"]["fatal"] == sum(one["severity"] == "F" for one in unnamed)


@pytest.mark.more
@pytest.mark.parametrize("name", ["r.sectax", "renamed"])
def test_a_run_file_is_audited_by_its_name_or_by_its_content(name, run_file, tmp_path):
    run_file.rename(tmp_path / name)

    document = json.loads(sectax("audit", name, "--json", folder=tmp_path).out)

    follows_its_schema(document)
    assert (document["source"]["kind"], document["source"]["own"]) == ("run", True)
    assert document["figures"] >= document["verdict"]["fatal"] + document["verdict"]["warned"]
    assert document["figures"] > 0


def test_a_run_file_whose_table_is_a_view_without_end_is_refused(run_file, tmp_path):
    with closing(sqlite3.connect(run_file)) as db:
        db.execute("PRAGMA legacy_alter_table = ON")  # the views that read it stay as they are
        db.execute("ALTER TABLE block RENAME TO was")
        db.execute("CREATE VIEW block AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n")
        db.commit()

    refused_as_agreed(GOLDEN, "a view", sectax("audit", "r.sectax", folder=tmp_path), tmp_path)


def test_labels_cannot_steer_the_terminal(tmp_path):
    label = "\x1b[31mred\x07"
    (tmp_path / "h.json").write_text(json.dumps({"results": [{"command": label, "times": [1.0]}]}))

    result = sectax("audit", "h.json", "--all", folder=tmp_path)

    assert result.status == 0
    assert "\x1b" not in result.out
    assert "\x07" not in result.out


def _socket(target: Path) -> None:
    before = Path.cwd()
    os.chdir(target.parent)  # a socket's path must be short
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("target")
    finally:
        os.chdir(before)


# What stands in place of a file, and contents.
BAD = {
    "nothing there": lambda target: None,
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a device": lambda target: target.symlink_to("/dev/zero"),
    "a broken link": lambda target: target.symlink_to("nowhere"),
    "a link to itself": lambda target: target.symlink_to("target"),
    "an empty file": b"",
    "no UTF-8": b"a,b\n1,\xff\n",
    "a program": b"\x7fELF\xff\0\0\1" * 20,
    "half a character of UTF-16": "a,b\n".encode("utf-16") + b"x",
    "NUL bytes": b"a,b\n1,\0\n",
    "one huge line": b"x," * 3_000_000,
    "too large a file": b"goos: linux\n" + b"a line of nothing\n" * 4_000_000,
    "a letter": b"Dear Sir,\n\n",
    "a PDF": b"%PDF-1.7\n",
    "a web page": b"<!DOCTYPE html><p>",
    "a report of ours": b'{\n  "schema": "sectax/report/2"',
    "a page of ours": b'<!DOCTYPE html>\n<meta name="generator" content="sectax">\n<pre>',
    "a table of ours": b"run,experiment,comparison,cell\n1,jwt,a,b\n",
    "a Markdown of ours": b"# jwt\n\n| a | \xc2\xb5s |\n| --- | --- |\n| x | 1 |\n\n## Self-check\n",
    "a spreadsheet": b"PK\3\4rest",
    "a damaged run file": b"SQLite format 3\0" + b"\xff" * 500,
    "no UTF-8 far down": b"arm,ms\n" + b"a,1\n" * 400_000 + b"b,\xfe\n",
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_what_is_not_a_file_of_numbers_is_refused(case, tmp_path):
    bad = BAD[case]
    if callable(bad):
        bad(tmp_path / "target")
    else:
        (tmp_path / "target").write_bytes(bad)

    refused_as_agreed(GOLDEN, case, sectax("audit", "target", folder=tmp_path, timeout=60), tmp_path)


def test_a_huge_line_in_a_csv_is_named(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"arm,ms\n" + b"x" * 3_000_000)

    refused_as_agreed(GOLDEN, "a huge line in a CSV", sectax("audit", "t.csv", folder=tmp_path), tmp_path)


@pytest.mark.more
def test_a_character_across_the_first_chunk_is_read(tmp_path):
    content = b"arm,elapsed\n" + b"a,1\n" * 16380 + "ä,2\n".encode() * 50
    for shift in range(4):
        (tmp_path / "t.csv").write_bytes(b"#" + b"x" * shift + b"\n" + content)
        assert sectax("audit", "t.csv", *CSV, folder=tmp_path).status == 0


PUBLISHED = ("published:s3-default-encryption", "published:hmac-lambda-2023", "published:confidential-vm-sysbench")


@pytest.mark.parametrize("target", [*PUBLISHED, *sorted(map(str, SAMPLES.glob("*.*[!d]")))])
def test_words_have_no_powers_of_ten_and_nothing_is_reported_twice(target):
    result = sectax("audit", target)

    assert not re.search(r"\d e\+?\d|\de\+\d|nan|\binf\b", result.out)
    assert "not checked" not in result.out.partition("Not checked")[0]


@pytest.mark.more
def test_a_run_is_audited_with_the_names_of_the_other_reports(run_file, tmp_path):
    out = sectax("audit", "r.sectax", "--all", folder=tmp_path).out

    assert "all/" not in out
    assert "#" not in out


ARMS = "run,none,hmac\n1,1.0,1.5\n2,1.1,1.4\n"


@pytest.mark.parametrize(
    ("text", "words", "figures", "values"),
    [
        ("arm,elapsed\na,1\nb,2\na,3\nb,4\n", [*CSV, "--by", "arm", "--baseline", "a"], 2, 4),
        (ARMS, ["--value", "none", "--value", "hmac", "--unit", "ms"], 2, 4),
        (ARMS, ["--unit", "ms"], 2, 4),  # several columns of values are arms
        ("algorithm,sign (ops/s)\nrsa2048,1500\ned25519,72000\n", ["--value", "sign (ops/s)"], 2, 2),
        ("\ufeffarm,elapsed\r\na,1\r\nb,2\r\n", CSV, 2, 2),  # columns of text are levels
    ],
)
def test_columns_are_named_or_known_by_their_content(text, words, figures, values, tmp_path):
    (tmp_path / "t.csv").write_bytes(text.encode())

    document = json.loads(sectax("audit", "t.csv", *words, "--json", folder=tmp_path).out)

    assert (document["source"]["kind"], document["figures"], document["values"]) == ("csv", figures, values)
