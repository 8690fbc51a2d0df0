"""More work by its label in less time, a whole that is faster than its part by their names, and a cold first row."""

from __future__ import annotations

import pytest

from sectax.audit.importers.columns import Columns
from tests.audit.importers.samples import read
from tests.audit.importers.test_load_clients import said


def go(*rows: tuple[str, float]) -> set[str]:
    return said(read("".join(f"Benchmark{name}-8   1000  {time} ns/op\n" for name, time in rows)))


@pytest.mark.parametrize(
    ("names", "times", "warned"),
    [
        (("Sum/100", "Sum/1000"), (100, 1000), False),
        (("Sum/100", "Sum/1000"), (100, 90), False),
        (("Sum/100", "Sum/1000"), (100, 56), True),
        (("Sum/n=100", "Sum/n=1000"), (100, 56), True),
        (("Sum/rows_100", "Sum/rows_1k"), (100, 56), True),
        # Twice as much may take a little less, a tenth more hardly.
        (("Sum/400", "Sum/500"), (142, 100), False),
        (("Sum/400", "Sum/500"), (142, 80), True),
        # What is to be faster with more, and what is no amount.
        (("Sum/workers=1", "Sum/workers=8"), (100, 20), False),
        (("Sum/batch_10", "Sum/batch_100"), (100, 20), False),
        (("Workers/1", "Workers/8"), (100, 20), False),
        (("Parallel/100", "Parallel/1000"), (100, 20), False),
        (("SHA256", "SHA512"), (100, 60), False),
        (("RSA2048", "RSA4096"), (100, 60), False),
        (("V1", "V2"), (100, 20), False),
        # A thousand times as much.
        (("Create1", "Create100", "Create10000"), (40412, 40112, 40601), True),
        (("Create1", "Create100", "Create10000"), (40412, 60112, 98601), False),
        (("Lookup1", "Lookup100", "Lookup10000"), (40412, 40112, 40601), False),
    ],
)
def test_more_by_its_label_in_less_time_is_doubted(
    names: tuple[str, ...], times: tuple[float, ...], warned: bool
) -> None:
    words = go(*zip(names, times, strict=True))

    assert ("W flat-with-size" in words) is warned
    assert "F flat-with-size" not in words


def test_single_values_that_overlap_explain_a_fall() -> None:
    def counts(*times: float) -> set[str]:
        return go(*((f"Sum/{size}", time) for size, each in ((10, (100, times[0])), (100, times[1:])) for time in each))

    assert "W flat-with-size" in counts(102, 50, 51)
    assert "W flat-with-size" not in counts(40, 50, 51)


@pytest.mark.parametrize(
    ("whole", "part", "warned"),
    [
        ("Queue_PushPop", "Queue_Push", True),
        ("Push and pop", "Push", True),
        ("hash+sign", "hash", True),
        ("Gob_RoundTrip", "Gob_Encode", True),
        # A mixture, a fast variant and another name are no wholes.
        ("ReadWrite", "Read", False),
        ("SortFast", "Sort", False),
        ("PushPop", "Pull", False),
    ],
)
def test_a_whole_that_is_faster_than_its_part_is_doubted(whole: str, part: str, warned: bool) -> None:
    def pair(fast: float, slow: float) -> set[str]:
        table = f"name,elapsed\n{whole},{fast}\n{part},{slow}\n"
        return said(read(table, columns=Columns("elapsed", "us", ("name",))))

    assert ("W contained-work" in pair(22.6, 75.16)) is warned
    assert "W contained-work" not in pair(75.16, 22.6)
    assert "W contained-work" not in pair(22.6, 24.0)


@pytest.mark.parametrize(("first", "fatal"), [(39.7, True), (0.40, False), (2.0, False)])
def test_a_first_row_that_pays_for_the_start_is_fatal(first: float, fatal: bool) -> None:
    table = f"width,elapsed\n256,{first}\n256,0.36\n800,1.20\n"

    assert ("F first-trial" in said(read(table, columns=Columns("elapsed", "ms", ("width",))))) is fatal


def test_a_thousand_times_the_bytes_in_the_same_time_are_told_and_a_size_of_0_is_not() -> None:
    def table(first: int, last: int) -> set[str]:
        rows = f"name,size,elapsed\nCopy,{first},141\nCopy,{last},142\n"
        return said(read(rows, columns=Columns("elapsed", "us", ("name",), size="size")))

    assert "W flat-with-size" in table(1, 5000)
    assert "W flat-with-size" not in table(1, 5)
    assert "W flat-with-size" not in table(0, 5000)
