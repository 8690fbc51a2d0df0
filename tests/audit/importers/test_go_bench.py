"""What outputs of `go test -bench` tell in passing: each with one in which the same is well."""

from __future__ import annotations

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read


def test_an_interrupted_benchmark_of_go_is_told() -> None:
    begun = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8\nsignal: interrupt\n"

    assert any("BenchmarkB-8 has no result" in incident.saw for incident in read(begun).incidents)
    assert said(read(begun))["said-by-the-tool"][0] == "F"  # by the signal
    # With -v the name stands alone, and the result below it.
    assert "said-by-the-tool" not in said(read("goos: linux\nBenchmarkB-8\nBenchmarkB-8 \t 100\t 120 ns/op\nPASS\n"))


def test_a_crash_that_no_benchmark_explains_is_told() -> None:
    assert said(read("goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nfatal error: all goroutines are asleep\n"))[
        "said-by-the-tool"
    ][0] == "F"  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "testing: BenchmarkA-8 left GOMAXPROCS set to 1",
        "coverage: 71.4% of statements",
        "ok  \texample.com/a\t1.2s\tcoverage: 71.4% of statements",
        "WARNING: DATA RACE",
    ],
)
def test_what_go_says_beside_its_figures_makes_them_doubtful(line: str) -> None:
    healthy = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8 \t 100\t 240 ns/op\nPASS\n"

    assert said(read(f"{healthy}{line}\n"))["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(read(healthy))


def test_a_failure_is_not_crowded_out_by_warnings() -> None:
    begun = "".join(f"Benchmark{chr(65 + at)}-8\nx\n" for at in range(26))

    assert said(read(f"goos: linux\nBenchmarkOne-8 \t 9\t 1 ns/op\n{begun}--- FAIL: BenchmarkZ\n"))[
        "said-by-the-tool"
    ][0] == "F"  # fmt: skip


@pytest.mark.parametrize("margin", ["    ", "\t", "> "])
def test_go_in_the_margin_of_a_text_is_read(margin: str) -> None:
    text = "goos: linux\ncpu: A\nBenchmarkA-8 \t 100\t 120 ns/op\n--- FAIL: BenchmarkB\nFAIL\n"
    indented = "".join(f"{margin}{line}\n" for line in text.splitlines())

    assert [figure.value or list(figure.values) for figure in read(indented).figures] == [[pytest.approx(120e-9)]]
    assert read(indented).figures[0].circumstances.processor == "A"
    assert said(read(indented))["said-by-the-tool"][0] == "F"


def test_a_benchmark_of_go_that_a_signal_ended_is_told() -> None:
    ended = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8 \tSIGQUIT: quit\n"

    assert said(read(ended))["said-by-the-tool"][0] == "F"


GO = "goos: linux\nBenchmarkHash/{}-8 \t 100\t {} ns/op\nBenchmarkHash/{}-8 \t 100\t {} ns/op\nPASS\n"


def test_flat_times_over_sizes_that_go_names_are_doubted_and_with_set_bytes_they_fall() -> None:
    named = GO.format("size=1KiB", 100, "size=16MiB", 101)
    told = GO.format("a", "100 ns/op\t 10240.00 MB/s\t 0", "b", "101 ns/op\t 166111000.00 MB/s\t 0")

    assert said(read(named))["flat-with-size"][0] == "W"
    assert said(read(told.replace(" ns/op\t 0", " B/op")))["faster-than-physics"][0] == "F"
    assert "flat-with-size" not in said(read(GO.format("size=1KiB", 100, "size=16MiB", 900000)))


def test_a_unit_that_comes_again_behind_the_last_value_is_not_its() -> None:
    """It was an error of the program."""
    line = "BenchmarkHash-8 \t 100\t 120.0 ns/op\t 8.53 MB/s"
    (whole,), (cut,) = (
        read(f"goos: linux\n{line}{more}\nPASS\n").figures[:1] for more in ("", "\t x y\t 0m/hash ns/op")
    )

    assert (cut.id, cut.values) == (whole.id, whole.values)


def lines(*each: str) -> str:
    return "goos: linux\n" + "".join(f"Benchmark{line}\n" for line in each) + "PASS\n"


MEMORY = "Chunk/{0}-8  818  {1} ns/op  {2:.2f} MB/s  {3} B/op  2 allocs/op"


@pytest.mark.parametrize(("memory", "times", "severity"), [(8388720, 1.0, "F"), (20, 1.0, ""), (8388720, 9.0, "")])
def test_memory_that_is_taken_whatever_the_size_drowns_it(memory: int, times: float, severity: str) -> None:
    """A buffer of 8 MB is made in each round, beside 1 to 128 KB that are worked on."""
    each = [(f"{size}k", round(1_416_360 * (1 if size == 1 else times)), size) for size in (1, 16, 128)]
    words = said(read(lines(*(MEMORY.format(name, ns, 1000 * size / ns * 1000, memory) for name, ns, size in each))))

    assert words.get("flat-with-size", ("",))[0] == severity


@pytest.mark.parametrize(("quantiles", "told"), [((120, 80), True), ((80, 120), False)])
def test_quantiles_that_an_author_reports_rise(quantiles: tuple[int, int], told: bool) -> None:
    line = f"A-8  1000  100 ns/op  {quantiles[0]} p50-ns  {quantiles[1]} p99-ns"

    assert ("contradiction" in said(read(lines(line)))) is told


@pytest.mark.parametrize(("unit", "told"), [("us/op", True), ("ns/op", False)])
def test_a_time_in_another_unit_than_go_prints_is_told(unit: str, told: bool) -> None:
    assert ("contradiction" in said(read(lines("A-8  1000  100 ns/op", f"B-8  1000  120 {unit}")))) is told


@pytest.mark.parametrize(("count", "told"), [(7, True), (10, False), (13, True)])
def test_one_name_with_other_counts_than_all_others_is_told(count: int, told: bool) -> None:
    of = dict.fromkeys("ABCD", 10) | {"E": count}
    text = lines(*(f"{name}-8  1000  {100 + at % 3} ns/op" for name, many in of.items() for at in range(many)))

    assert ("contradiction" in said(read(text))) is told


def test_numbers_with_commas_are_read() -> None:
    (one,) = read(lines("A-8  1,990,310  1,743.8 ns/op")).figures

    assert list(one.values) == [pytest.approx(1743.8e-9)]
    assert one.circumstances.events == 1990310


def test_whole_nanoseconds_were_once_cut_off() -> None:
    """100.8 ns stand there as 100, and 89.7 as they are."""
    text = lines("A-8  2000000  89.7 ns/op  445.75 MB/s", "A-8  2000000  100 ns/op  396.87 MB/s")

    assert "contradiction" not in said(read(text))
    assert "contradiction" in said(read(text.replace("396.87", "296.87")))
