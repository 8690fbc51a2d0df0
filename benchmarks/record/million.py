"""What a million observations cost: writing a trial, and reading the run again.

    python benchmarks/record/million.py [--trials 1000000] [--keep FOLDER]

A run of 50 treatments and 50 rounds a block, one observation and six kinds of telemetry a trial, is written by the
shipped writer and copied at a quarter, at half and at its end. Each copy is read by the shipped reader, shown by
`sectax show` and audited by `sectax audit`, in fresh interpreters, the best of three. Promised: a million shown within
2 s and 300 MB and audited within 3 s, linearly.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sectax.model.environment import Environment
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Plan, Stopping
from sectax.model.subject import Observation, Work
from sectax.model.treatment import Cell, Comparison, Factor, Role, Standing, Treatment
from sectax.model.trial import Closed, Opened, PlannedBlock, PlannedCell, PlannedVisit, State, Trial
from sectax.record.writer import RunWriter

TREATMENTS = 50
ROUNDS = 50

READ = """
import sys, time
from sectax.record.reader import RunReader
start = time.perf_counter()
with RunReader.open(sys.argv[1]) as reader:
    measured = reader.measured()
assert len(measured.blocks) == int(sys.argv[2]), measured.blocks
print(time.perf_counter() - start)
"""


def plan(summary: Summary) -> Plan:
    levels = tuple(f"algorithm-{i}" for i in range(TREATMENTS))
    treatments = tuple(
        Treatment(level, "cell", {"algorithm": level}, Role.TREATMENT if i else Role.BASELINE)
        for i, level in enumerate(levels)
    )
    comparisons = tuple(
        Comparison(level, "cell", level, levels[0], "throughput", Standing.SECONDARY, 0.05) for level in levels[1:]
    )
    return Plan(
        experiment="benchmark",
        preset="million",
        question="What does a million observations cost?",
        transfers="Nothing.",
        control="algorithm",
        factors=(Factor("algorithm", levels),),
        metrics=(Metric("throughput", "operations/s", Better.HIGHER, summary, "batch_time"),),
        cells=(Cell("cell", {}, "family", levels[0]),),
        treatments=treatments,
        comparisons=comparisons,
        skipped=(),
        stopping=Stopping(0.02),
        seed=1,
        batch_s=0.02,
    )


def planned_block(plan: Plan, number: int, rng: random.Random) -> PlannedBlock:
    names = [treatment.id for treatment in plan.treatments]
    opening = tuple(rng.sample(names, len(names)))
    visits = tuple(
        PlannedVisit(name, round_, position, Work(100))
        for round_ in range(1, ROUNDS + 1)
        for position, name in enumerate(rng.sample(names, len(names)))
    )
    return PlannedBlock(number, (PlannedCell("cell", opening, dict.fromkeys(names, (2, 100)), visits),))


def telemetry(rng: random.Random) -> dict[str, float]:
    return {
        "steal_s": 0.0,
        "throttled_s": 0.0,
        "run_delay_s": rng.random() * 1e-4,
        "voluntary_switches": 3.0,
        "involuntary_switches": 1.0,
        "cpu_s": 0.02 + rng.random() * 1e-4,
    }


def write(path: Path, blocks: int, summary: Summary, copies: dict[int, Path]) -> tuple[list[float], list[float]]:
    """Write a run; give seconds per trial, and seconds per end of block."""
    rng = random.Random(1)
    trials, ends = [], []
    clock = time.perf_counter
    run = plan(summary)
    witnesses = {"key_type": "RSA", "key_bits": 2048, "implementation": "openssl"}
    with RunWriter.create(path, run, Environment({"cpu": "some"}), "run") as writer:
        for number in range(1, blocks + 1):
            block = planned_block(run, number, rng)
            events = [
                Trial(
                    visit.treatment,
                    visit.round,
                    visit.position,
                    State.OK,
                    (Observation("batch_time", round(0.02 * (1 + rng.gauss(0, 0.01)), 9), "s", "hrtime", 100),),
                    telemetry(rng),
                )
                for visit in block.cells[0].visits
            ]
            writer.begin_block(block)
            for name in block.cells[0].opening:
                writer.event(
                    number, Opened(name, witnesses, (Observation("first", rng.random(), "s", "hrtime", 1),), 0.1)
                )
            start = clock()
            for event in events:
                writer.event(number, event)
            trials.append((clock() - start) / len(events))
            for name in block.cells[0].opening:
                writer.event(number, Closed(name, {"alg": "RS256"}))
            start = clock()
            writer.finish_block(number, 50.0)
            ends.append(clock() - start)
            if number in copies:
                shutil.copyfile(path, copies[number])  # the log was folded in just now
        writer.finish("finished")
    return trials, ends


def best_of_three(*command: str | Path) -> tuple[float, float, str]:
    """Seconds, peak MB and output of a program, at its fastest."""
    answers = []
    for _ in range(3):
        start = time.perf_counter()
        program = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
        assert program.stdout is not None
        output = program.stdout.read()
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        assert program.returncode == 0, command
        answers.append((time.perf_counter() - start, usage.ru_maxrss / 1024, output))
    return min(answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--summary", choices=[summary.value for summary in Summary], default="rate")
    parser.add_argument("--keep", type=Path, help="leave the files here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = arguments.keep or Path(folder)
        place.mkdir(exist_ok=True, parents=True)
        blocks = max(4, arguments.trials // (TREATMENTS * ROUNDS))
        whole = place / f"{blocks}.sectax"
        copies = {part: place / f"{part}.sectax" for part in (blocks // 4, blocks // 2)}
        trials, ends = write(whole, blocks, Summary(arguments.summary), copies)
        slow = 1e6 * statistics.quantiles(trials, n=100)[98]
        print(f"write  a trial         {1e6 * statistics.median(trials):8.1f} µs   (99 % of blocks under {slow:.1f})")
        print(f"write  end of a block  {1e3 * statistics.median(ends):8.1f} ms   (longest {1e3 * max(ends):.1f})")
        for part, path in (*copies.items(), (blocks, whole)):
            count = part * TREATMENTS * ROUNDS
            _, read_mb, output = best_of_three("-c", READ, path, str(part))
            read_s = float(output)
            show_s, show_mb, _ = best_of_three("-m", "sectax", "show", path)
            audit_s, audit_mb, _ = best_of_three("-m", "sectax", "audit", path)
            page_s, page_mb, page = best_of_three("-m", "sectax", "report", path, "--format", "html")
            print(
                f"read   {count:9,d} trials {read_s:6.2f} s, {1e6 * read_s / count:.2f} µs a trial, {read_mb:.0f} MB;"
                f"   show {show_s:5.2f} s, {show_mb:.0f} MB;"
                f"   audit {audit_s:5.2f} s, {audit_mb:.0f} MB;"
                f"   page {page_s:5.2f} s, {page_mb:.0f} MB, {len(page.encode()) / 1e3:.0f} kB;"
                f"   file {path.stat().st_size / 1e6:.0f} MB"
            )


if __name__ == "__main__":
    main()
