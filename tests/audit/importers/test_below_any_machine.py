"""What no machine does so fast, and what a file shows of other builds, single operations, clocks and lost engines."""

from __future__ import annotations

import json

import pytest

from tests.audit.importers.samples import read, sample
from tests.audit.importers.test_load_clients import said

HEAD = "goos: linux\ngoarch: amd64\npkg: example\ncpu: A fast one\n"


def go(*lines: str) -> set[str]:
    return said(read(HEAD + "".join(f"Benchmark{line}\n" for line in lines)))


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("TLSHandshake-8  200000  6266 ns/op  0 B/op  0 allocs/op", "F"),
        ("TLSHandshake-8  200000  6266 ns/op  8192 B/op  90 allocs/op", "W"),
        ("TLSHandshake-8  2000  626600 ns/op  81920 B/op  900 allocs/op", ""),
        ("TLSHandshakeStateNew-8  200000  66 ns/op  0 B/op  0 allocs/op", ""),
        ("WebsocketHandshake-8  200000  6266 ns/op  0 B/op  0 allocs/op", ""),
        ("RSA2048Sign-8  2000000  626 ns/op", "F"),
        ("RSA2048Sign-8  2000  626600 ns/op", ""),
        ("RSA2048Verify-8  200000  12266 ns/op", ""),
        ("Ed25519Sign-8  100000  12266 ns/op", ""),
        ("Ed25519Sign-8  1000000  1266 ns/op", "W"),
        ("SignECDSA/P256-8  100000000  12.6 ns/op", "F"),
        ("SignalECDSA-8  100000000  12.6 ns/op", ""),
        ("GenerateRSAKey-8  10000  12266 ns/op", "F"),
        ("RSAKeyImport-8  10000  12266 ns/op", ""),
        ("Bcrypt-8  10000000  126 ns/op", "F"),
        ("BcryptCost-8  10000000  126 ns/op", ""),
        ("Bcrypt-8  1000  800126 ns/op", ""),
    ],
)
def test_a_time_below_that_of_any_machine_is_of_something_else(line: str, severity: str) -> None:
    assert {each for each in go(line) if each.endswith("faster-than-physics") and each[0] in "FW"} == (
        {f"{severity} faster-than-physics"} if severity else set()
    )


@pytest.mark.parametrize(("counts", "warned"), [((1, 200), True), ((2, 200), False), ((1, 1), True)])
def test_one_operation_alone_is_a_first_one(counts: tuple[int, int], *, warned: bool) -> None:
    words = go(f"Store-8  {counts[0]}  1533096236 ns/op", f"List-8  {counts[1]}  5719244 ns/op")

    assert ("W first-trial" in words) is warned
    # Several counts show what the next is like.
    assert "W first-trial" not in go(*["Store-8  1  1533096236 ns/op"] * 2)


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("ParseWeatherStations44K-8  7000000  1698 ns/op", "F"),
        ("ParseWeatherStations44K-8  7000  1698000 ns/op", ""),
        ("Decode/rows=100000-8  7000000  169 ns/op", "F"),
        # One thing may be an operation of it, or the number is none of things.
        ("Insert100000Items-8  7000000  169 ns/op", "W"),
        ("Parse1000Lines-8  70000000  16 ns/op", "W"),
        ("FindIn100000Items-8  70000000  16 ns/op", ""),
        ("ParseInt64-8  70000000  5 ns/op", ""),
        ("ParseRFC3339-8  70000000  45 ns/op", ""),
        ("ParseCached100000Rows-8  70000000  45 ns/op", ""),
    ],
)
def test_all_of_many_things_take_their_time(line: str, severity: str) -> None:
    assert {each for each in go(line) if each.endswith("faster-than-physics") and each[0] in "FW"} == (
        {f"{severity} faster-than-physics"} if severity else set()
    )


@pytest.mark.parametrize(("seconds", "fatal"), [(0.31, True), (0.502, False)])
def test_a_sleep_lasts_as_long_as_it_is_told_to(seconds: float, *, fatal: bool) -> None:
    timed = {"results": [{"command": "sleep 0.5", "mean": seconds, "times": [seconds, seconds + 0.001]}]}

    assert ("F faster-than-physics" in said(read(json.dumps(timed)))) is fatal


@pytest.mark.parametrize(
    ("values", "warned"),
    [
        ((56387, 48189, 40989, 37692, 41134), True),
        ((46387, 48189, 40989, 42692, 41134), False),
        ((239, 504), True),
    ],
)
def test_few_values_far_apart_tell_no_middle(values: tuple[int, ...], *, warned: bool) -> None:
    assert ("W modes" in go(*(f"A-8  1000  {each} ns/op" for each in values))) is warned


@pytest.mark.parametrize(
    ("values", "warned"),
    [
        ((2486, 2328, 2318, 2166, 2175, 2202, 2190), True),
        ((2328, 2190, 2318, 2166, 2486, 2202, 2175), False),
        ((2246, 2228, 2218, 2166, 2175, 2202, 2190), False),
    ],
)
def test_first_values_that_fall_to_a_level_are_a_warm_up(values: tuple[int, ...], *, warned: bool) -> None:
    assert ("W first-trial" in go(*(f"A-8  500000  {each} ns/op" for each in values))) is warned


@pytest.mark.parametrize(
    ("allocations", "contradicts"), [((732, 5), True), ((732, 734), False), ((2, 4), False), ((5, 5), False)]
)
def test_allocations_are_those_of_one_build(allocations: tuple[int, int], *, contradicts: bool) -> None:
    words = go(*(f"A-8  1000  4410 ns/op  64 B/op  {each} allocs/op".replace("64 B", "9999 B") for each in allocations))

    assert ("W contradiction" in words) is contradicts


@pytest.mark.parametrize(
    ("one", "other", "contradicts"),
    [
        ("1402 B/op  20 allocs/op", "549 B/op  16 allocs/op", True),
        # A pool that was emptied, and a map that grew once more.
        ("1402 B/op  20 allocs/op", "549 B/op  20 allocs/op", False),
        ("1402 B/op  20 allocs/op", "1390 B/op  18 allocs/op", False),
    ],
)
def test_bytes_and_allocations_together_are_those_of_one_build(one: str, other: str, *, contradicts: bool) -> None:
    words = go(f"A-8  137865  8158 ns/op  {one}", f"A-8  137865  7158 ns/op  {other}")

    assert ("W contradiction" in words) is contradicts


BLOCK = "BenchmarkA-8   100  {a} ns/op\nBenchmarkB-8   100  {b} ns/op\n"


@pytest.mark.parametrize(
    ("text", "contradicts"),
    [
        (f"With one layer\n{BLOCK}\nWith n layers\n{BLOCK}", True),
        # The same again; no words in between; and other names under each of them.
        (f"With one layer\n{BLOCK}\nWith n layers\n{BLOCK.replace('{b}', '{a}')}".replace("{b}", "{a}"), False),
        (f"{BLOCK}\nPASS\nok  \texample\t2.0s\n{BLOCK}", False),
        (f"With one layer\n{BLOCK}\nWith n layers\n{BLOCK.replace('kB', 'kC')}", False),
    ],
)
def test_names_under_headings_of_their_own_are_no_values_of_one_figure(text: str, *, contradicts: bool) -> None:
    first, _, second = text.partition("\n\n")
    words = said(read(f"{first.format(a=2851, b=1559)}\n\n{second.format(a=2851, b=6784)}"))

    assert ("W contradiction" in words) is contradicts


CRITERION = "{name}                  time:   [1.10 µs 1.11 µs 1.12 µs]\n"


@pytest.mark.parametrize(
    ("line", "fatal"),
    [
        (
            "Benchmarking b: Warming up for 3.0000 sthread 'main' panicked at 'called `Option::unwrap()`', a.rs:347:21",
            True,
        ),
        ("2019/05/01 thread 'worker' panicked at a.rs:1:2:", True),
        ("thread <unnamed> panicked at a.rs:1:2:", True),
        ("thread 'main' (4711) panicked at a.rs:1:2:", True),
        ("worker thread was not panicked", False),
    ],
)
def test_a_panic_is_heard_wherever_it_stands(line: str, *, fatal: bool) -> None:
    assert ("F said-by-the-tool" in said(read(f"{CRITERION.format(name='a')}{line}\n"))) is fatal


@pytest.mark.parametrize("torn", ["┬╡s", "Âµs", "┬Ás", "\ufffds", "\ufffd\ufffds"])
def test_a_torn_micro_is_read(torn: str) -> None:
    (one,) = read(CRITERION.format(name="a").replace("µs", torn) + "b   time:   [1.0 ns 1.1 ns 1.2 ns]\n").figures[:1]

    assert one.value == pytest.approx(1.11e-6)


@pytest.mark.parametrize("line", ['Invalid engine "devcrypto"', "can't use that engine"])
def test_an_engine_that_is_refused_takes_the_figures_away(line: str) -> None:
    table = sample("openssl-aes.txt")

    assert "F said-by-the-tool" in said(read(f"{line}\n{table}", "openssl-speed"))
    # What stands before it is of another command.
    assert "F said-by-the-tool" not in said(read(f"{table}\n{line}\n", "openssl-speed"))
    assert "W said-by-the-tool" in said(read(f"{table}\n{line}\n", "openssl-speed"))
    assert "W said-by-the-tool" not in said(read(f'engine "devcrypto" set.\n{table}', "openssl-speed"))


@pytest.mark.parametrize(("count", "contradicts"), [(4754871, True), (8754871, False)])
def test_steps_without_a_table_are_compared_by_size(count: int, *, contradicts: bool) -> None:
    text = "".join(
        f"Doing aes-128 cbc for 3s on {size} size blocks: {each} aes-128 cbc's in 2.98s\n"
        for size, each in ((16, 25156911), (64, count), (256, 3019704))
    )

    assert ("W contradiction" in said(read(text, "openssl-speed"))) is contradicts


@pytest.mark.parametrize(
    ("tick_ns", "steps", "warned"), [(125 / 3, 15, True), (125 / 3, 90, False), (100, 12, True), (37.3, 15, False)]
)
def test_a_round_of_few_ticks_is_warned_of(tick_ns: float, steps: int, *, warned: bool) -> None:
    def rounded(count: int) -> float:
        return round(count * tick_ns) * 1e-9

    benchmarks = [
        {
            "name": f"test_{at}",
            "stats": {
                "min": rounded(steps + at),
                "median": rounded(steps + at + 1),
                "mean": rounded(steps + at + 1),
                "max": rounded(3 * steps + 7 * at),
                "rounds": 1000,
                "iterations": 1,
            },
        }
        for at in range(5)
    ]
    words = said(read(json.dumps({"machine_info": {}, "benchmarks": benchmarks})))

    assert ("W timer" in words) is warned
