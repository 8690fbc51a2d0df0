"""What goes wrong in other people's figures, made up at random, with clean twins."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.figure import Circumstances, Cold, Contrast, EndsBy, Figure, Moves, Quantity
from sectax.model.finding import Severity
from tests.audit.fixtures import Scenario, register

Rng = np.random.Generator

UNITS = {
    Quantity.TIME: "s",
    Quantity.TOTAL_TIME: "s",
    Quantity.RATE: "operations/s",
    Quantity.BANDWIDTH: "bytes/s",
    Quantity.MEMORY: "B",
}
# Of a source that has told everything and did everything well.
SOUND = Circumstances(
    errors=0, cold=Cold.APART, instrument="none", replicates=10, replicate="process", processor="X", runtime="Y"
)
SIDES = ("without", "with")
CONTRAST = Contrast("control", "without")


def figure(name: str, value: float, *, quantity: Quantity = Quantity.TIME, **given: Any) -> Figure:
    """A sound figure; `given` are members of the figure or of its circumstances."""
    members = {field.name for field in dataclasses.fields(Figure)}
    told = {key: given.pop(key) for key in list(given) if key not in members}
    return Figure(
        **{
            "id": name,
            "table": "t",
            "levels": {"case": name},
            "metric": "m",
            "quantity": quantity,
            "unit": UNITS[quantity],
            "value": value,
            "statistic": "mean",
            "trials": 1000,
            "circumstances": dataclasses.replace(SOUND, **told),
        }
        | given
    )


def source(figures: Sequence[Figure], contrast: Contrast | None = None) -> Evidence:
    return Evidence(tuple(figures), contrast)


def sides(rng: Rng, seconds: float = 1e-3, *, rows: int = 0, **given: Any) -> list[Figure]:
    """The same thing without and with the control, in some rows; `given` as for `figure`."""
    return [
        figure(
            f"t: {row}, {side}",
            seconds * noise(rng) * (1 + 0.2 * number),
            **({"levels": {"row": str(row), "control": side}} | given),
        )
        for row in range(rows or int(rng.integers(1, 6)))
        for number, side in enumerate(SIDES)
    ]


def noise(rng: Rng, most: float = 0.1) -> float:
    return float(np.exp(rng.normal(0, rng.uniform(0.01, most))))


def one_of(rng: Rng, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def told(evidence: Evidence, number: int, **circumstances: Any) -> Evidence:
    """The evidence with one figure's circumstances changed."""
    figures = list(evidence.figures)
    changed = dataclasses.replace(figures[number].circumstances, **circumstances)
    figures[number] = dataclasses.replace(figures[number], circumstances=changed)
    return dataclasses.replace(evidence, figures=tuple(figures))


def some(rng: Rng, evidence: Evidence, **circumstances: Any) -> Evidence:
    return told(evidence, int(rng.integers(len(evidence.figures))), **circumstances)


# Sizes


def sized(rng: Rng, broken: bool) -> Evidence:
    """A body that is not read, beside a metadata operation that may be flat."""
    known = bool(rng.random() < 0.5)
    link = 10 ** rng.uniform(8, 10)
    fixed = 10 ** rng.uniform(-4, -2.5)
    sizes = np.geomspace(10 ** rng.uniform(2, 5), 10 ** rng.uniform(8.5, 9.5), int(rng.integers(2, 8)))
    share = rng.uniform(0.2, 1.0)  # of the link
    figures = []
    for size in sizes:
        seconds = (fixed if broken else fixed + size / (share * link)) * noise(rng)
        given = {"size_bytes": float(size), "link_bytes_s": 1.05 * link if known else None}
        levels = {"size": f"{size:.0f} B"}
        figures.append(figure(f"get: {size:.0f}", seconds, levels=levels, moves=Moves.BODY, **given))
        stat = fixed * noise(rng)
        figures.append(figure(f"stat: {size:.0f}", stat, table="stat", levels=levels, moves=Moves.METADATA, **given))
    return source(figures)


def contained(rng: Rng, broken: bool) -> Evidence:
    figures = []
    short = 10 ** rng.uniform(-4, -1)
    for row in range(int(rng.integers(1, 6))):
        whole = short / rng.uniform(3, 100) if broken else short * (1 + rng.exponential(2))
        # They are of few trials each, and differ by more than those of many.
        figures += [figure(f"get: {row}", whole * noise(rng, 0.2), levels={"operation": "get", "row": str(row)})]
        figures[-1] = dataclasses.replace(
            figures[-1], circumstances=dataclasses.replace(SOUND, operation="get", contains=("head",))
        )
        levels = {"operation": "head"} if rng.random() < 0.3 else {"operation": "head", "row": str(row)}
        figures.append(figure(f"head: {row}", short * noise(rng, 0.2), levels=levels, operation="head"))
    return source(figures)


def beyond_the_link(rng: Rng, broken: bool) -> Evidence:
    link = 10 ** rng.uniform(6, 11)
    figures = []
    for row in range(int(rng.integers(1, 6))):
        size = 10 ** rng.uniform(3, 8)
        bytes_s = link * (rng.uniform(1.5, 1000) if broken else rng.uniform(0.05, 1.0))
        given = {"moves": Moves.BODY, "size_bytes": size, "link_bytes_s": link * rng.uniform(0.97, 1.03)}
        if rng.random() < 0.5:
            figures.append(figure(f"t: {row}", size / bytes_s, **given))
        else:
            figures.append(figure(f"t: {row}", bytes_s, quantity=Quantity.BANDWIDTH, **given))
    return source(figures)


def dead_code(rng: Rng, broken: bool) -> Evidence:
    """A loop that takes no longer when it goes round more often."""
    one, overhead = 10 ** rng.uniform(-8, -3), rng.uniform(0, 0.5)
    fewest, figures = int(rng.integers(1000, 5000)), []
    total = bool(rng.random() < 0.5)
    for power in range(int(rng.integers(2, 6))):
        count = fewest * 4**power
        lasts = one * (fewest * overhead + (fewest if broken else count)) * noise(rng, 0.05)
        if total:
            given = {"quantity": Quantity.TOTAL_TIME, "ends_by": EndsBy.EVENTS, "events": count}
            figures.append(figure(f"t: {count}", lasts, levels={"n": str(count)}, **given))
        else:
            given = {"batch": count, "calibrated": False}
            figures.append(figure(f"t: {count}", lasts / count, levels={"n": str(count)}, **given))
    return source(figures)


def dead_code_beside_calibrated(rng: Rng, broken: bool) -> Evidence:
    """Benchmarks of unlike speed, each repeated until it has lasted as long as the others. One may be dead code."""
    lasts, figures = rng.uniform(0.1, 2), []
    for name in ("short", "long", "longer")[: int(rng.integers(2, 4))]:
        seconds = 10 ** rng.uniform(-8, -2)
        count = round(lasts / seconds)
        timed = lasts / count * noise(rng, 0.05)
        # A table of such counts looks like one of counts that were asked for.
        levels = {"loops": str(count)} if rng.random() < 0.5 else {"name": name}
        figures.append(figure(f"t: {name}", timed, levels=levels, batch=count, calibrated=True))
    return source([*figures, *(dead_code(rng, True).figures if broken else ())])


def unlike_blocks(rng: Rng, broken: bool) -> Evidence:
    """The same amount of memory in small blocks and in large ones: fewer operations, of which each does more."""
    amount, figures = 2.0 ** int(rng.integers(28, 36)), []
    lasts = amount / rng.uniform(2e9, 2e10)
    for run, size in enumerate((2.0**10, 2.0 ** int(rng.integers(15, 21))), 1):
        given = {"quantity": Quantity.TOTAL_TIME, "ends_by": EndsBy.EVENTS, "events": amount / size}
        if rng.random() < 0.5:
            given |= {"size_bytes": size, "levels": {"test": "memory", "events": f"{amount / size:.0f}"}}
        else:
            given |= {"levels": {"test": "memory", "run": str(run)}}
        figures.append(figure(f"t: {run}", lasts * noise(rng), **given))
    return source([*figures, *(dead_code(rng, True).figures if broken else ())])


def empty_loop(rng: Rng, broken: bool) -> Evidence:
    seconds = rng.uniform(1e-10, 4e-10) if broken else 10 ** rng.uniform(-8.8, -3)
    return source([figure("t: 1", seconds)])


# Totals and counts


def fixed_total(rng: Rng, broken: bool) -> Evidence:
    duration = float(one_of(rng, 1, 5, 10, 30, 60, 300))
    figures = []
    for row in range(int(rng.integers(1, 6))):
        for side in SIDES:
            late = duration * (1 + rng.exponential(0.002))
            work = duration * rng.uniform(0.05, 0.9)
            given = {"ends_by": EndsBy.TIME} if broken else {"ends_by": EndsBy.EVENTS, "events": 10000}
            if rng.random() < 0.5:
                given = {"configured_s": duration, "events": 10000}
            figures.append(
                figure(
                    f"t: {row}, {side}",
                    late if broken else work,
                    quantity=Quantity.TOTAL_TIME,
                    statistic="total",
                    levels={"row": str(row), "control": side},
                    **given,
                )
            )
    return source(figures, CONTRAST)


def no_event(rng: Rng, broken: bool) -> Evidence:
    rate = bool(rng.random() < 0.5)
    quantity = Quantity.RATE if rate else Quantity.TOTAL_TIME
    evidence = source(sides(rng, 1000.0, quantity=quantity, ends_by=EndsBy.EVENTS, events=10000), CONTRAST)
    if not broken:
        return some(rng, evidence, events=None) if rate else evidence
    if rate and rng.random() < 0.5:
        first = dataclasses.replace(evidence.figures[0], value=0.0)
        return told(dataclasses.replace(evidence, figures=(first, *evidence.figures[1:])), 0, events=None)
    return some(rng, evidence, events=0)


def saturated(rng: Rng, broken: bool) -> Evidence:
    evidence = source(sides(rng, service="a server", events=1e5), CONTRAST)
    target = 10 ** rng.uniform(1, 5)
    kind = int(rng.integers(3))
    if kind == 0:
        return some(rng, evidence, client_cpu_share=rng.uniform(0.87, 1.2) if broken else rng.uniform(0.01, 0.83))
    if kind == 1:
        achieved = rng.uniform(0.3, 0.985) if broken else rng.uniform(0.992, 1.001)
        return some(rng, evidence, target_rate=target, achieved_rate=target * achieved)
    dropped = rng.integers(110, 50000) if broken else rng.integers(0, 95)
    return some(rng, evidence, dropped=float(dropped), events=1e5)


def short(rng: Rng, broken: bool) -> Evidence:
    """Too few operations, or too little time; many in a long time are neither."""
    seconds, events = rng.uniform(2.1, 100), float(rng.integers(101, 100_000))
    if broken and rng.random() < 0.5:
        seconds = rng.uniform(1e-4, 1.9)
    elif broken:
        events = float(rng.integers(1, 100))
    figures = sides(rng, wall_s=float(seconds), events=events)
    return dataclasses.replace(source(figures, CONTRAST), imported=True)


# Statistics


def few_for_a_quantile(rng: Rng, broken: bool) -> Evidence:
    statistic, needs = one_of(rng, ("median", 6), ("p90", 36), ("p95", 72), ("p99", 368), ("max", 59), ("mean", 2))
    trials = rng.integers(1, needs) if broken else rng.integers(needs, 10 * needs)
    return source(sides(rng, statistic=statistic, trials=int(trials)), CONTRAST)


def few_of_an_unknown_statistic(rng: Rng, broken: bool) -> Evidence:
    trials = rng.integers(2, 368) if broken else rng.integers(368, 5000)
    return source(sides(rng, statistic=None, trials=int(trials)), CONTRAST)


def few_single_values(rng: Rng, broken: bool) -> Evidence:
    """Every single value is told, and no summary of them."""
    count = int(rng.integers(2, 6) if broken else rng.integers(6, 300))
    figures = of_vectors(vectors(rng, 2, count, 0.05), cold=Cold.APART).figures
    return source([dataclasses.replace(one, value=None, statistic=None) for one in figures])


def one_run(rng: Rng, broken: bool) -> Evidence:
    """The rate or the total of one run, which nobody compares with another."""
    quantity, statistic = one_of(rng, (Quantity.RATE, "rate"), (Quantity.TOTAL_TIME, "total"), (Quantity.TIME, "mean"))
    given = {"ends_by": EndsBy.EVENTS, "events": 10**6} if quantity is Quantity.TOTAL_TIME else {}
    trials = 1 if broken else int(rng.integers(2, 50))
    return source([figure("t: 1", rng.uniform(1, 9), quantity=quantity, statistic=statistic, trials=trials, **given)])


def vectors(rng: Rng, cells: int, count: int, spread: float) -> list[np.ndarray]:
    """Noise of several shapes, all with this coefficient of variation or near it."""
    shape = int(rng.integers(3))
    made = []
    for _ in range(cells):
        centre = 10 ** rng.uniform(-5, 0)
        if shape == 0:
            made.append(centre * np.exp(rng.normal(0, spread, count)))
        elif shape == 1:
            made.append(centre * (1 + rng.gamma(2, spread / 1.5, count)))
        else:
            made.append(centre * np.exp(rng.normal(0, spread, count) + np.linspace(0, spread, count)))
    return made


def of_vectors(made: Sequence[np.ndarray], **circumstances: Any) -> Evidence:
    return source(
        [
            figure(
                f"t: {number}",
                float(np.mean(values)),
                trials=len(values),
                values=values.tolist(),
                statistic="mean",
                **circumstances,
            )
            for number, values in enumerate(made)
        ]
    )


def cold_and_warm(rng: Rng, broken: bool) -> Evidence:
    evidence = source(sides(rng), CONTRAST)
    return some(rng, evidence, cold=Cold.MIXED) if broken else some(rng, evidence, cold=one_of(rng, Cold.ONLY, None))


def cold_first(rng: Rng, broken: bool) -> Evidence:
    spread = rng.uniform(0.005, 0.05)
    made = vectors(rng, int(rng.integers(1, 10)), int(rng.integers(10, 60)), spread)
    for values in made if broken else ():
        values[0] *= rng.uniform(1.3, 10)
    return of_vectors(made, cold=None)


def one_process(rng: Rng, broken: bool) -> Evidence:
    count = rng.integers(1, 5) if broken else rng.integers(5, 50)
    return source(sides(rng, replicates=int(count), replicate=one_of(rng, "process", "host")), CONTRAST)


def copied(rng: Rng, broken: bool) -> Evidence:
    """Vectors of a few decimals, as they are printed. Two of them are the same, or all were measured."""
    count = int(rng.integers(6, 20))
    made = [
        np.array([float(f"{each:.4g}") for each in values])
        for values in vectors(rng, int(rng.integers(2, 10)), count, rng.uniform(0.01, 0.1))
    ]
    if broken:
        made[-1] = made[0].copy()
    return of_vectors(made)


def copied_summaries(rng: Rng, broken: bool) -> Evidence:
    """Cells of five summaries. Short ones tie by chance, and so does memory in whole megabytes."""
    figures: list[Figure] = []
    lowest = int(rng.integers(390, 410))
    names = ("min", "max", "mean", "median", "p90")
    cells = [
        [lowest, lowest * rng.uniform(5, 10), lowest * rng.uniform(1.1, 1.2), lowest + 11, lowest + rng.uniform(12, 40)]
        for _ in range(int(rng.integers(2, 6)))
    ]
    if broken:
        cells[-1] = list(cells[0])
    for number, cell in enumerate(cells):
        for name, value in zip(names, cell, strict=True):
            levels = {"case": str(number)}
            figures.append(figure(f"t: {number}, {name}", 1e-9 * value, statistic=name, levels=levels))
        ties = [float(rng.integers(43, 45)) * 2**20] * 5
        given = {"table": "m", "metric": "memory", "quantity": Quantity.MEMORY, "statistic": "median"}
        figures.append(figure(f"m: {number}", ties[0], levels={"case": str(number)}, values=ties, **given))
    return source(figures)


def coarse_clock(rng: Rng, broken: bool) -> Evidence:
    step = 10 ** rng.uniform(-9, -2)
    batch = int(rng.integers(1, 1000))
    steps = rng.uniform(1, 90) if broken else 10 ** rng.uniform(3.1, 6)
    return source(sides(rng, steps * step / batch / 1.0, granularity_s=step, batch=batch, rows=1), CONTRAST)


def rather_coarse_clock(rng: Rng, broken: bool) -> Evidence:
    step = 10 ** rng.uniform(-9, -2)
    steps = rng.uniform(200, 500) if broken else 10 ** rng.uniform(3.5, 6)
    return source([figure("t: 1", steps * step, granularity_s=step)])


def one_tick(rng: Rng, broken: bool) -> Evidence:
    """Times of one tick of a coarse clock; or of many, or of few that the spread averages out."""
    count = int(rng.integers(30, 200))
    step = float(one_of(rng, 1e-3, 15.6e-3, 1e-6))
    if broken:
        ticks = np.floor(one_of(rng, rng.uniform(0.4, 0.8), rng.uniform(1.2, 1.4)) + rng.uniform(0, 1, count))
        return of_vectors([step * ticks])
    many, spread = rng.uniform(15, 800), rng.uniform(1.5, 3)
    ticks = np.round(np.maximum(1, rng.normal(*((many, 0.03 * many) if rng.random() < 0.5 else (8, spread)), count)))
    return of_vectors([step * ticks])


def copied_within(rng: Rng, broken: bool) -> Evidence:
    """Values as they are printed, of which a part was copied over the next; or all were measured."""
    (values,) = vectors(rng, 1, int(rng.integers(60, 400)), rng.uniform(0.02, 0.2))
    digits = one_of(rng, 4, 6, 17)
    printed = np.array([float(f"{each:.{digits}g}") for each in values])
    if broken:
        part = printed.size // 3
        printed[part : 2 * part] = printed[:part]
    return of_vectors([printed])


def copied_among_cells(rng: Rng, broken: bool) -> Evidence:
    """A few values of each of many cells, those of one pasted over another's; or all were measured."""
    made = vectors(rng, 12, int(rng.integers(5, 9)), rng.uniform(0.02, 0.2))
    cells = [np.array([float(f"{value:.6g}") for value in each]) for each in made]
    if broken:
        one, other = rng.choice(len(cells), 2, replace=False)
        cells[one] = cells[other]
    return of_vectors(cells)


def within_a_step(rng: Rng, broken: bool) -> Evidence:
    """Sides that whole milliseconds cannot tell apart; or ones that they can, as their steps or their spread allow."""
    count = int(rng.integers(60, 100))
    plain, cost, spread = (7.3, 0.01, 0.04) if broken else one_of(rng, (200.0, 0.02, 0.002), (7.0, 0.1, 0.3))
    made = [np.round(plain * factor * np.exp(rng.normal(0, spread, count))) * 1e-3 for factor in (1, 1 + cost)]
    return source(
        [
            figure(f"t: {side}", float(np.mean(each)), levels={"control": side}, values=each.tolist(), trials=count)
            for side, each in zip(SIDES, made, strict=True)
        ],
        CONTRAST,
    )


# What a file says of itself


def fallen_quantiles(rng: Rng, broken: bool) -> Evidence:
    """Summaries of one run of a tool: they rise, or two of them changed places."""
    times = np.sort(1e-3 * np.exp(rng.normal(0, rng.uniform(0.2, 1), 2000)))
    told = {"min": times[0], "median": times[1000], "mean": times.mean(), "p90": times[1800], "max": times[-1]}
    if broken:
        one, other = one_of(rng, ("median", "p90"), ("min", "mean"), ("p90", "max"))
        told[one], told[other] = told[other], told[one]
    figures = [
        figure(f"get: {name}", float(f"{value:.3g}"), statistic=name, levels={"run": "1"}, measurement="get")
        for name, value in told.items()
    ]
    return dataclasses.replace(source(figures), imported=True)


def said_to_have_failed(rng: Rng, broken: bool) -> Evidence:
    incident = Incident(Severity.FATAL, f"line {rng.integers(99)}: it failed", "its figures are of nothing")
    return dataclasses.replace(source(sides(rng)), imported=True, incidents=(incident,) if broken else ())


# Sides


def traced(rng: Rng, broken: bool) -> Evidence:
    tool = one_of(rng, "AWS X-Ray", "a proxy", "strace")
    evidence = source(sides(rng, instrument=tool if rng.random() < 0.5 else "none"), CONTRAST)
    if not broken:
        return evidence
    # A whole side passes through it.
    for number, each in enumerate(evidence.figures):
        if each.levels["control"] == "with":
            other = "none" if each.circumstances.instrument != "none" else tool
            evidence = told(evidence, number, instrument=other)
    return evidence


def without_baseline(rng: Rng, broken: bool) -> Evidence:
    figures = sides(rng)
    if not broken:
        return source(figures, CONTRAST)
    if rng.random() < 0.5:
        return source(figures, Contrast("something else", None))
    return source([each for each in figures if each.levels["control"] == "with"], CONTRAST)


def unlike_sides(rng: Rng, broken: bool) -> Evidence:
    attribute, a, b = one_of(
        rng, ("processor", "A", "B"), ("runtime", "1", "2"), ("library", "x", "y"), ("key_bits", 2048, 3072)
    )
    evidence = source(sides(rng, **{attribute: a}), CONTRAST)
    for number, each in enumerate(evidence.figures):
        if each.levels["control"] == "with":
            evidence = told(evidence, number, **{attribute: b})
    if broken:
        return evidence
    # The difference is what is compared, or there is none.
    if rng.random() < 0.5:
        return dataclasses.replace(evidence, contrast=dataclasses.replace(CONTRAST, entails=(attribute,)))
    return source(sides(rng, **{attribute: a}), CONTRAST)


def false_label(rng: Rng, broken: bool) -> Evidence:
    if broken:
        label, key = one_of(
            rng,
            ("ECDSA 384 bit (prime256v1)", {}),
            ("secp256r1, 521-bit key", {}),
            ("RSA 4096bit", {"key_bits": 2048}),
            ("ECDSA 384 bits", {"curve": "P-256"}),
            ("Ed25519 512bit", {}),
        )
    else:
        label, key = one_of(
            rng,
            ("ECDSA 256 bit (prime256v1)", {}),
            ("RSA 2048bit", {"key_bits": 2048}),
            ("RSA 2048bit", {}),
            ("Ed25519 256 bit", {}),
            ("EdDSA", {"curve": "ed25519", "key_bits": 256}),
            ("AES 256 bit", {"key_bits": 256}),
            ("ECDSA 384 bits", {"curve": "secp384r1"}),
            ("RS512", {"key_bits": 2048}),
        )
    return source(sides(rng, levels={"algorithm": label, "row": "1"}, rows=1, **key)[:1])


def bygone(rng: Rng, broken: bool, *, later: bool) -> Evidence:
    year, month = int(rng.integers(2023, 2027)), int(rng.integers(2, 13))
    if not later:
        year, month = one_of(rng, (None, None), (int(rng.integers(2015, 2023)), int(rng.integers(1, 13))))
    setting = {"server_side_encryption": "none" if broken else one_of(rng, "SSE-S3", "SSE-KMS")}
    return source(sides(rng, service="Amazon S3", settings=setting, year=year, month=month, client_cpu_share=0.2))


def unlike_work(rng: Rng, broken: bool) -> Evidence:
    operations = float(rng.integers(10_000, 1_000_000))
    kind = int(rng.integers(3))
    if kind == 0:  # errors
        share = rng.uniform(0.0015, 0.2) if broken else rng.uniform(0, 0.0005)
        figures = sides(rng, events=operations)
        both = [
            dataclasses.replace(
                each, circumstances=dataclasses.replace(each.circumstances, errors=float(int(operations * share)))
            )
            for each in figures
        ]
        return source(both, CONTRAST)
    if kind == 1:  # few errors, but on one side
        rows = 1
        failed = (0.0, float(rng.integers(20, 90))) if broken else tuple(map(float, rng.poisson(20, 2)))
        figures = sides(rng, rows=rows, events=100_000)
        evidence = source(figures, CONTRAST)
        return told(told(evidence, 0, errors=failed[0]), 1, errors=failed[1])
    given = {"quantity": Quantity.TOTAL_TIME, "ends_by": EndsBy.EVENTS, "statistic": "total", "events": operations}
    evidence = source(sides(rng, 20.0, **given), CONTRAST)
    return some(rng, evidence, events=operations * rng.uniform(1.1, 3)) if broken else evidence


register(
    Scenario("flat-with-size", "body not read", sized),
    Scenario("contained-work", "whole faster than its part", contained),
    Scenario("faster-than-physics", "beyond the link", beyond_the_link),
    Scenario("faster-than-physics", "dead code", dead_code),
    Scenario("faster-than-physics", "calibrated counts", dead_code_beside_calibrated),
    Scenario("faster-than-physics", "unlike blocks", unlike_blocks),
    Scenario("faster-than-physics", "empty loop", empty_loop, Severity.WARNING),
    Scenario("fixed-time-total", "ended by the clock", fixed_total),
    Scenario("zero-event-run", "nothing counted", no_event),
    Scenario("short-run", "over at once", short, Severity.WARNING),
    Scenario("saturated-client", "client too slow", saturated),
    Scenario("unsupported-quantile", "too few trials", few_for_a_quantile),
    Scenario("unsupported-quantile", "statistic not told", few_of_an_unknown_statistic, Severity.WARNING),
    Scenario("unsupported-quantile", "few single values", few_single_values, Severity.WARNING),
    Scenario("unsupported-quantile", "one run", one_run, Severity.WARNING),
    Scenario("first-trial", "cold and warm in one", cold_and_warm),
    Scenario("first-trial", "first value differs", cold_first, Severity.WARNING),
    Scenario("false-replication", "few processes or hosts", one_process, Severity.WARNING),
    Scenario("copied-data", "values copied", copied),
    Scenario("copied-data", "summaries copied", copied_summaries),
    Scenario("timer", "under 100 steps", coarse_clock),
    Scenario("timer", "under 1000 steps", rather_coarse_clock, Severity.WARNING),
    Scenario("contradiction", "quantiles that fall", fallen_quantiles),
    Scenario("said-by-the-tool", "a failure", said_to_have_failed),
    Scenario("timer", "one tick long", one_tick),
    Scenario("copied-data", "a part is copied over the next", copied_within),
    Scenario("copied-data", "a few values are pasted over those of another cell", copied_among_cells),
    Scenario("timer", "sides within a step", within_a_step),
    Scenario("unequal-instruments", "one side is traced", traced),
    Scenario("no-baseline", "no baseline", without_baseline),
    Scenario("apples-and-oranges", "sides differ besides", unlike_sides),
    Scenario("mislabelled-level", "label contradicts its key", false_label),
    Scenario("mislabelled-level", "level withdrawn before", lambda rng, broken: bygone(rng, broken, later=True)),
    Scenario(
        "mislabelled-level",
        "level withdrawn since",
        lambda rng, broken: bygone(rng, broken, later=False),
        Severity.WARNING,
    ),
    Scenario("unequal-work", "errors or counts", unlike_work),
)
