"""An operation that moves its body must take longer for a larger one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Moves, Quantity
from sectax.audit.grouping import each_table, gather, seconds_per_operation, series, unknown
from sectax.audit.growth import Amount, falls, is_flat, rising
from sectax.audit.over_blocks import interval, parts_of, typical_speeds
from sectax.audit.words import bandwidth, duration, first_of, ids, named, number
from sectax.model.finding import Severity

# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12

# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise.
LEAST_SHOWN = 0.25

# What an operation takes of memory beside the bytes that it works on, whatever these are; and the part of its time that
# taking it needs at the least, on a machine that clears so many bytes a second.
TIMES_THE_SIZE, CLEARS_BYTES_S, LEAST_OF_THE_TIME = 8.0, 2e10, 0.2
# So many times the bytes in the same time, where memory takes it; and where nothing says what does.
FLAT_WITH_MEMORY, FLAT_ALONE, SAME_TIME = 16.0, 1000.0, 1.1

# So many times by their labels in the same time, beside others that grow with theirs to so near that time.
FLAT_BESIDE, NEAR_THE_LARGEST = 100.0, 2.0

# Shared by all of a run of ours: that a time which grows just as much as it must is called flat.
CHANCE = 0.005


def link_of(figure: Figure) -> float:
    """The bandwidth that the figure cannot pass, in bytes per second."""
    return figure.circumstances.link_bytes_s or NO_MACHINE_BYTES_S


def _sees(evidence: Evidence) -> list[Figure]:
    """All that move a body of a size that is told, or may do so: whether they do may be what is missing."""
    return [
        figure
        for figure in evidence.printed
        if figure.circumstances.moves is not Moves.METADATA
        and figure.circumstances.size_bytes is not None
        and _time(figure) > 0
    ]


def _by_size(figures: Sequence[Figure]) -> list[list[Figure]]:
    """Those that carry a body, each group at two sizes or more, rising."""
    bodies = [figure for figure in figures if figure.circumstances.moves is Moves.BODY]
    return list(series(bodies, lambda figure: figure.circumstances.size_bytes))


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _sees(evidence)
    groups = _by_size(seen)
    spanned = set(ids(figure for group in groups for figure in group))
    yield from unknown(
        [figure for figure in seen if figure.circumstances.moves is None],
        "whether the operation moves its body or metadata alone is not reported",
    )
    yield from unknown(
        [figure for group in groups if _grows(group) is None for figure in group],
        "the times are flat, but the sizes are too small or too near to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    yield from unknown(
        [figure for figure in seen if figure.circumstances.moves is Moves.BODY and figure.id not in spanned],
        "one size alone shows no growth",
        "measure a second size, far larger",
    )
    flat = [group for group in groups if _grows(group) is False]
    yield from each_table(
        Severity.FATAL,
        [figure for group in flat for figure in group],
        lambda table: f"{_saw([each for each in flat if each[0].table == table[0].table])}. Seen in {named(table)}",
        "the body was not moved: the figures are of something else than the operation",
        "read the body to its end and check it",
    )
    yield from _drowned(evidence, [group for group in groups if _grows(group) is not False])
    yield from _by_names(evidence)
    yield from _by_amounts(evidence)
    yield from _beside_siblings(evidence)
    yield from _in_runs(evidence)


def _memory_of(evidence: Evidence) -> Callable[[Figure], float]:
    """Bytes of memory that an operation takes, 0 where that is not told."""
    taken = {
        (figure.measurement, frozenset(figure.levels.items())): figure.typical or 0.0
        for figure in evidence.printed
        if figure.metric == "B/op"
    }
    return lambda figure: taken.get((figure.measurement, frozenset(figure.levels.items())), 0.0)


def _drowned(evidence: Evidence, groups: list[list[Figure]]) -> Iterator[Remark]:
    """F where each operation takes the same large memory whatever its size, and its time is that; W of flat times."""
    memory = _memory_of(evidence)
    for every in groups:
        group = [figure for figure in every if _size(figure) > 0 and _time(figure) > 0]
        flat = [figure for figure in group if _time(figure) <= SAME_TIME * _time(group[0])]
        if flat != group[: len(flat)] or len(flat) < 2:
            continue
        last = flat[-1]
        times = _size(last) / _size(group[0])
        taken = [memory(figure) for figure in flat]
        is_memory = (
            min(taken) >= TIMES_THE_SIZE * _size(last)
            and max(taken) <= SAME_TIME * min(taken)
            and min(taken) >= LEAST_OF_THE_TIME * _time(last) * CLEARS_BYTES_S
        )
        if times < (FLAT_WITH_MEMORY if is_memory else FLAT_ALONE):
            continue
        flatly = f"{number(times)} times the bytes take {number(_time(last) / _time(group[0]))} times as long"
        yield Remark(
            Severity.FATAL if is_memory else Severity.WARNING,
            group[0].table,
            f"{flatly} ({group[0].id}; {last.id})"
            + (f", and each takes {number(min(taken))} bytes of memory" if is_memory else ""),
            "what is measured is taking that memory: the bytes a second say nothing of the work"
            if is_memory
            else "something else takes the time: the bytes a second grow with the size alone",
            "take the memory before the clock starts; or compare sizes at which the work takes the time",
            ids(flat),
        )


def _by_names(evidence: Evidence) -> Iterator[Remark]:
    """W where sizes stand in names alone, times are flat over them, and working on so many bytes takes longer."""
    flat = [
        group
        for group in gather(_named(evidence), lambda figure: (figure.table, figure.circumstances.named))
        if len({figure.circumstances.named_bytes for figure in group}) > 1 and _is_flat_by_name(group)
    ]

    def saw(table: list[Figure]) -> str:
        one = next(group for group in flat if group[0].table == table[0].table)
        few, many = _ends(one)
        return (
            f"{number(_named_bytes(many) / _named_bytes(few))} times the bytes by name take "
            f"{number(_time(many) / _time(few))} times as long ({few.id}; {many.id}). Seen in {named(table)}"
        )

    yield from each_table(
        Severity.WARNING,
        [figure for group in flat for figure in group],
        saw,
        "if the operation works on what its name tells, the work was not done: no machine is so fast",
        "see that the whole body is worked on; or name the bytes (b.SetBytes in Go)",
    )


def _by_amounts(evidence: Evidence) -> Iterator[Remark]:
    """W where more of what a name or level counts takes clearly less time, or a thousand times as much the same."""
    groups = list(rising(evidence))
    falling = [pair for group in groups if (pair := falls(group)) is not None]
    tables = {
        few.figure.table: [each for each in falling if each[0].figure.table == few.figure.table] for few, _ in falling
    }
    for table in tables.values():
        few, many = min(table, key=lambda pair: pair[1].seconds / pair[0].seconds)
        figures = [each.figure for pair in table for each in pair]
        yield Remark(
            Severity.WARNING,
            few.figure.table,
            f"{number(many.amount / few.amount)} times as much by its label takes {number(many.seconds / few.seconds)} "
            f"times as long ({few.figure.id}; {many.figure.id}). Seen in {named(figures)}",
            "more work in less time: some of it was not done, or the machine was not the same to both (a warm-up, "
            "another load)",
            "measure both sizes again, in turns",
            ids(figures),
        )
    flat = [each.figure for group in groups if is_flat(group) for each in group]
    yield from each_table(
        Severity.WARNING,
        flat,
        lambda table: f"far more by its label takes the same time, in {named(table)}",
        "if the operation works on all of it, the work was not done, or something else takes the time",
        "see that the whole input is worked on",
    )


def _beside_siblings(evidence: Evidence) -> Iterator[Remark]:
    """Flat times of what takes as long as others of the same labels do at the largest, F with its memory as well."""
    memory = _memory_of(evidence)
    groups: dict[object, list[list[Amount]]] = {}
    for group in rising(evidence):
        labels = group[0].figure.table, group[0].factor, group[0].stem, tuple(each.amount for each in group)
        groups.setdefault(labels, []).append(group)
    for same in groups.values():
        times = same[0][-1].amount / same[0][0].amount
        seconds = [[each.seconds for each in group] for group in same]
        taken = [[memory(each.figure) for each in group] for group in same]
        grown = [at for at in range(len(same)) if _grows_with(times, seconds[at])]
        for at, group in enumerate(same):
            like = [other for other in grown if times >= FLAT_BESIDE and _is_like(seconds[at], seconds[other])]
            if not like:
                continue
            fatal_ = any(_grows_with(times, taken[other]) and _is_like(taken[at], taken[other]) for other in like)
            yield Remark(
                Severity.FATAL if fatal_ else Severity.WARNING,
                group[0].figure.table,
                f"{number(times)} times as much by its label takes the same time{' and memory' if fatal_ else ''} "
                f"({group[0].figure.id}; {group[-1].figure.id}), which {same[like[0]][-1].figure.id} takes too, and "
                "that grows",
                "it does the work of the largest whatever its label says: the size is not used",
                "see that the size of the label reaches the work",
                ids(each.figure for each in group),
            )
            break


def _grows_with(times: float, values: Sequence[float]) -> bool:
    return values[0] > 0 and values[-1] >= LEAST_GROWTH * times * values[0]


def _is_like(flat: Sequence[float], grown: Sequence[float]) -> bool:
    """Whether values are the same throughout, and near the largest of others."""
    return (
        0 < max(flat) <= SAME_TIME * min(flat)
        and NEAR_THE_LARGEST * max(flat) >= grown[-1] >= min(flat) / NEAR_THE_LARGEST
    )


def _named(evidence: Evidence) -> list[Figure]:
    """What has a size in its name, and does not tell how much it moves."""
    return [
        figure
        for figure in evidence.printed
        if figure.circumstances.named_bytes is not None
        and figure.circumstances.size_bytes is None
        and figure.statistic in (None, "mean", "median", "rate")
        and figure.quantity in (Quantity.TIME, Quantity.RATE)
        and _time(figure) > 0
    ]


def _ends(group: list[Figure]) -> tuple[Figure, Figure]:
    return min(group, key=_named_bytes), max(group, key=_named_bytes)


def _is_flat_by_name(group: list[Figure]) -> bool:
    few, many = _ends(group)
    needed = (_named_bytes(many) - _named_bytes(few)) / NO_MACHINE_BYTES_S
    return needed >= LEAST_SHOWN * _time(few) and _time(many) - _time(few) < LEAST_GROWTH * needed


def _named_bytes(figure: Figure) -> float:
    return figure.circumstances.named_bytes or 0.0


def _grows(group: list[Figure]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be told."""
    short, long = _time(group[0]), _time(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    if needed >= LEAST_SHOWN * short:
        return growth >= LEAST_GROWTH * needed
    return None


def _needed(group: Sequence[Figure]) -> float:
    return (_size(group[-1]) - _size(group[0])) / link_of(group[-1])


def _saw(groups: list[list[Figure]]) -> str:
    worst = min(groups, key=lambda group: (_time(group[-1]) - _time(group[0])) / _needed(group))
    first, last = worst[0], worst[-1]
    link = "of the link" if last.circumstances.link_bytes_s else "that no machine passes"
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {number(_time(last) / _time(first))} times as long "
        f"({first.id}: {duration(_time(first))}; {last.id}: {duration(_time(last))}); at the bandwidth {link}, "
        f"{bandwidth(link_of(last))}, they need {duration(_needed(worst))} more"
    )


def _in_runs(evidence: Evidence) -> Iterator[Remark]:
    groups = _by_size(typical_speeds(evidence))
    unclear = []
    for group in groups:
        parts = _parts(group, evidence)
        low, high = _growth(group, parts, CHANCE / len(groups))
        if high < _needed(group):
            yield from _flat(group, parts, low, high)
        elif low < _needed(group):
            unclear.append(group[-1])
    if unclear:
        yield cannot_be_checked(
            unclear[0].treatment if len(unclear) == 1 else "run",
            f"the blocks do not show whether time grows with the size as it must ({first_of(unclear)})",
            "more blocks, or a larger size",
        )


def _parts(group: list[Figure], evidence: Evidence) -> list[Figure]:
    """What is to be taken off the smallest and the largest: what they do before they work on the body.

    Nothing where that was not measured at both sizes, or where it is not known that they do more with the body.
    """
    if group[-1].circumstances.link_bytes_s is None:
        return []
    small, large = (
        {part.circumstances.operation: part for part in parts_of(figure, evidence)} for figure in (group[0], group[-1])
    )
    return next(([small[each], large[each]] for each in small if each in large), [])


def _growth(group: list[Figure], parts: list[Figure], alpha: float) -> tuple[float, float]:
    """The interval of how many seconds more the largest takes than the smallest, beyond their parts if any."""
    last, first = group[-1].seconds(), group[0].seconds()
    less = [first, *([parts[1].seconds()] if parts else [])]
    more = [last, *([parts[0].seconds()] if parts else [])]
    shared = [block for block in last if all(block in column for column in (*less, *more))]
    differences = [sum(each[block] for each in more) - sum(each[block] for each in less) for block in shared]
    return interval(differences, alpha, sum(last[block] for block in shared) / max(len(shared), 1))


def _flat(group: list[Figure], parts: list[Figure], low: float, high: float) -> Iterator[Remark]:
    first, last = group[0], group[-1]
    beyond = f" beyond {parts[1].circumstances.operation}" if parts else ""
    for figure in group:
        yield fatal(
            figure.treatment,
            f"{number(_size(last) / _size(first))} times the bytes take {1e3 * low:+.2g} to {1e3 * high:+.2g} ms more"
            f"{beyond} ({first.id}; {last.id}); at no more than {bandwidth(link_of(last))} they need "
            f"{1e3 * _needed(group):.2g} ms more",
            "the body was not worked on: the figures are of something else than the treatment",
            "check that the whole body arrives, and that its last byte changes the result",
        )


def _time(figure: Figure) -> float:
    return seconds_per_operation(figure) or 0.0


def _size(figure: Figure) -> float:
    return figure.circumstances.size_bytes or 0.0


FLAT_WITH_SIZE = Check(
    id="flat-with-size",
    rule="F: time grows less than half as much over the sizes as the bandwidth demands, so the body was not moved; "
    "W: where only names tell the sizes, more by its label takes four fifths of the time or less, or a thousand "
    "times as much takes the same; in a run of ours, where the interval of the growth leaves no doubt",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(_by_size(typical_speeds(evidence)) or _named(evidence) or any(rising(evidence))),
)
