"""openssl speed as people paste it: steps without their tables, rows that cannot be read, runs that did nothing."""

from __future__ import annotations

import pytest

from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import figures, read, sample
from tests.audit.importers.test_load_clients import said

BLOCKS = "Doing sha256 for 3s on {size} size blocks: {count} sha256's in {seconds}s\n"
STEPS = "".join(
    BLOCKS.format(size=size, count=count, seconds=seconds)
    for size, count, seconds in ((16, 16986930, "2.99"), (64, 13293120, "3.00"), (16384, 425000, "3.00"))
)


def fatal(text: str) -> set[str]:
    return {each for each in said(read(text)) if each.startswith("F")} - {"F unsupported-quantile"}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("Doing sha256 for 3s on 16 size blocks: 3000 sha256's in 3.00s", "sha256, 16 bytes", 16e3),
        ("Doing AES ops for 3s on 16384 bytes: 3000 AES ops in 3.00s", "AES, 16384 bytes", 16384e3),
        ("Doing aes for **3s** on 16 size blocks: **3000** aes's in **3.00s**", "aes, 16 bytes", 16e3),
        ("Doing sha256 for 3s on 16 size blocks:\n3000 sha256's in 3.00s", "sha256, 16 bytes", 16e3),
        ("+DT:sha256:3:16\n+R:3000:sha256:3.000000", "sha256, 16 bytes", 16e3),
        ("Doing 2048 bit private rsa's for 10s: 5000 2048 bit private RSA's in 10.00s", "2048 bits rsa, sign", 500),
        ("Doing 2048 bits public rsa encrypt ops for 10s: 5000 RSA ops in 10.00s", "2048 bits rsa, encrypt", 500),
        ("Doing 256 bits verify ecdsa's for 10s: 5000 256 bits ECDSA verify in 10.00s", "256 bits ecdsa, verify", 500),
        ("Doing 224 bits  ecdh's for 10s: 5000 224-bits ECDH ops in 10.00s", "224 bits ecdh, op", 500),
        ("Doing ML-KEM-512 encaps ops for 10s: 5000 ML-KEM-512 KEM encaps ops in 10.00s", "ML-KEM-512, encaps", 500),
    ],
)  # fmt: skip
def test_a_step_of_any_version_is_a_figure(line: str, name: str, value: float) -> None:
    found = {figure.id: figure.value for figure in read(f"{line}\n", "openssl-speed").figures}

    assert found == {name: pytest.approx(value)}


def test_steps_without_a_table_are_read_and_accused_of_nothing() -> None:
    assert next(figure.value for figure in read(STEPS).figures) == pytest.approx(16 * 16986930 / 2.99)
    assert fatal(STEPS) == set()


@pytest.mark.parametrize(
    "name", ["openssl-aes.txt", "openssl-signatures.txt", "openssl-sha256-mr.txt", "openssl-agreement.txt"]
)
def test_steps_beside_their_table_make_no_figures(name: str) -> None:
    text = sample(name)
    without = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith(("Doing", "+DT", "+R")))

    assert figures(text).keys() == figures(without).keys()
    assert fatal(text) == set()


@pytest.mark.parametrize(
    ("seconds", "contradicts"),
    [("2.98", False), ("0.90", False), ("0.18", True), ("0.00", True), ("99999.21", True), ("3.40", False)],
)
def test_a_step_that_did_not_last_as_long_as_asked_is_fatal(seconds: str, contradicts: bool) -> None:
    text = STEPS + BLOCKS.format(size=1024, count=5056862, seconds=seconds)

    assert ("F contradiction" in fatal(text)) is contradicts


def test_few_slow_operations_may_end_late() -> None:
    assert fatal("Doing 16384 bits private rsa's for 1s: 1 16384 bits private RSA's in 2.70s\n") == set()


def test_a_counter_that_came_to_its_end_is_fatal() -> None:
    assert "F said-by-the-tool" in fatal(STEPS + BLOCKS.format(size=1024, count=2**31 - 1, seconds="3.00"))


def test_a_throughput_of_steps_that_falls_at_a_larger_block_is_doubted() -> None:
    rising = STEPS + BLOCKS.format(size=32768, count=212500, seconds="3.00")

    assert "W contradiction" not in said(read(rising))
    assert "W contradiction" in said(read(rising.replace("212500", "152500")))


def test_a_step_without_a_result_is_said() -> None:
    assert "W said-by-the-tool" in said(read(f"{STEPS}Doing sha512 for 3s on 16 size blocks: \n"))
    assert "W said-by-the-tool" not in said(read(STEPS))


TABLE = "type             16 bytes     64 bytes\nsha256          100000.00k   200000.00k\n"


@pytest.mark.parametrize(
    ("row", "severity"),
    [("sha512  -183.41  331.07", "F"), ("sha512  -183.41k  33100.07k", "F"), ("sha512  183000.41k", "W")],
)
def test_a_row_that_cannot_be_read_takes_no_other_away(row: str, severity: str) -> None:
    found = read(f"{TABLE}{row}\n")

    assert f"{severity} said-by-the-tool" in said(found)
    assert "sha256, 64 bytes" in {figure.id for figure in found.figures}


@pytest.mark.parametrize(
    "line",
    ["ECDSA sign setup failure.  No ECDSA sign will be done.", "Doing sha256 for 3s on 16 size blocks: "],
)
def test_a_run_in_which_nothing_was_done_says_so_in_its_own_words(line: str) -> None:
    with pytest.raises(BadInput, match=r"nothing was measured.*(?:ECDSA sign setup failure|has no result)"):
        read(f"{line}\n")
