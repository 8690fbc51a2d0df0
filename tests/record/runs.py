"""Small runs for tests: a plan of two cells, and the events of its blocks."""

from __future__ import annotations

import gzip
import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.measured import Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.model.subject import Observation, Work
from sectax.model.treatment import Cell, Comparison, Factor, Role, SkippedTreatment, Standing, Treatment
from sectax.model.trial import BlockEvent, Closed, Opened, PlannedBlock, PlannedCell, PlannedVisit, State, Trial
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter

THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")
LATENCY = Metric("latency", "s", Better.LOWER, Summary.MEDIAN, "batch_time")
FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, "first")
MEMORY = Metric("memory", "B", Better.LOWER, Summary.MAXIMUM, "memory", resolution=4096)
TAIL = Metric("p99", "s", Better.LOWER, Summary.P99, "batch_time", compared=False)
METRICS = (THROUGHPUT, LATENCY, FIRST, MEMORY, TAIL)

ALGORITHMS = ("RS256", "ES256", "EdDSA")
OPERATIONS = ("sign", "verify")
ENVIRONMENT = Environment({"cpu": "Intel 8086", "kernel": "6.1"}, {"load": "0.10"})

# A run in format 1: three blocks of `plan()`, a note, a failure in the pilot.
FORMAT_1 = gzip.decompress(Path(__file__).with_name("format-1.sectax.gz").read_bytes())


def plan(metrics: tuple[Metric, ...] = METRICS, *, options: dict[str, tuple[str, ...]] | None = None) -> Plan:
    treatments = tuple(
        Treatment(
            id=f"{operation}/{algorithm}",
            cell=operation,
            levels={"operation": operation, "algorithm": algorithm},
            role=Role.BASELINE if algorithm == "RS256" else Role.TREATMENT,
            declares={"alg": algorithm, "key_bits": 2048},
        )
        for operation in OPERATIONS
        for algorithm in ALGORITHMS
    )
    return Plan(
        experiment="jwt",
        preset="quick",
        question="Which algorithm?",
        transfers="The ratios.",
        control="algorithm",
        factors=(Factor("operation", OPERATIONS), Factor("algorithm", ALGORITHMS)),
        metrics=metrics,
        cells=tuple(Cell(name, {"operation": name}, "php", f"{name}/RS256") for name in OPERATIONS),
        treatments=treatments,
        comparisons=tuple(
            Comparison(f"{t.id} throughput", t.cell, t.id, f"{t.cell}/RS256", "throughput", Standing.PRIMARY, 0.0125)
            for t in treatments
            if t.role is Role.TREATMENT
        ),
        skipped=(SkippedTreatment("sign/Ed448", {"algorithm": "Ed448"}, "OpenSSL is too old", "apt install openssl"),),
        stopping=Stopping(0.02, budget_s=60.0),
        seed=2**64 - 1,
        batch_s=0.02,
        choices=("2048 bits",),
        options=options or {"language": ("php",)},
    )


def calibrated(plan: Plan, rounds: int = 4) -> Calibrated:
    return Calibrated(
        {t.id: Calibration(t.id, 33, 2, 0.02, 0.05, 1e-9, 2.5e-8, None) for t in plan.treatments},
        {cell.id: rounds for cell in plan.cells},
    )


def planned_block(plan: Plan, number: int, rounds: int = 4, live: Iterable[str] | None = None) -> PlannedBlock:
    """A block of the treatments *live*, all of them by default."""
    chosen = {t.id for t in plan.treatments} if live is None else set(live)
    cells = []
    for cell in plan.cells:
        opening = tuple(t.id for t in plan.treatments if t.cell == cell.id and t.id in chosen)
        visits = tuple(
            PlannedVisit(name, round_, position, Work(33))
            for round_ in range(1, rounds + 1)
            for position, name in enumerate(opening)
        )
        cells.append(PlannedCell(cell.id, opening, dict.fromkeys(opening, (2, 33)), visits))
    return PlannedBlock(number, tuple(cells))


def events(block: PlannedBlock, seed: int = 0) -> Iterator[BlockEvent]:
    """The events of a successful block; deterministic by number and seed."""
    rng = random.Random(f"{block.number} {seed}")
    for cell in block.cells:
        for name in cell.opening:
            witnesses = {"key_bits": 2048, "implementation": "openssl"}
            yield Opened(name, witnesses, (Observation("first", dyadic(rng), "s", "hrtime", 1),), 0.05)
        for visit in cell.visits:
            observations = (
                Observation("batch_time", dyadic(rng), "s", "hrtime", visit.work.count),
                Observation("memory", 4096.0 * rng.randrange(1, 9), "B", "getrusage", 1),
            )
            telemetry = {"steal_s": 0.0, "run_delay_s": dyadic(rng)}
            yield Trial(visit.treatment, visit.round, visit.position, State.OK, observations, telemetry)
        for name in cell.opening:
            yield Closed(name, {"alg": name.partition("/")[2]})


def dyadic(rng: random.Random) -> float:
    """A time whose sums are exact in any order, so that two ways to add them must agree to the last bit."""
    return rng.randrange(1, 1 << 16) / (1 << 20)


def create(path: Path, environment: Environment = ENVIRONMENT) -> RunWriter:
    return RunWriter.create(path, plan(), environment, "00000000000000a1")


def write(writer: RunWriter, block: PlannedBlock, block_events: Iterable[BlockEvent] | None = None) -> None:
    """Begin a block and write its events, by default those of a successful block."""
    writer.begin_block(block)
    for event in events(block) if block_events is None else block_events:
        writer.event(block.number, event)


def record_block(writer: RunWriter, rounds: int = 4, *, seconds: float = 1.5, host: str = LOCAL_HOST) -> int:
    """Write a successful block, and return its number."""
    block = replace(planned_block(writer.plan, writer.next_block_number(), rounds), host=host)
    write(writer, block)
    writer.finish_block(block.number, seconds)
    return block.number


def edit(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)


def rows(path: Path, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def read(path: Path) -> Measured:
    """The run in the file."""
    with RunReader.open(path) as reader:
        reader.next_block_number()
        return reader.measured()
