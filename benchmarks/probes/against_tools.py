"""The probes in Go, Java, Node and Rust beside their language's own bench tool for the same call: same library, same key.

    python -m benchmarks.probes.against_tools [--languages go,java,node,rust] [--blocks 20] [--batches 10]

As with pyperf (against_pyperf) whole processes take turns: in each block one of the probe and one of `go test -bench`,
JMH, mitata or criterion, in random order, each with as many operations. What the tools run is in `tools/`; it is
built with the probe's own Go, Java, Node and lock of crates. In Java and Node both run as many operations before they count.

Times are CPU time of the whole process, which every tool can be given: as a metric of a Go benchmark's own, JMH's
auxiliary counter, criterion's `Measurement`, mitata's `now`. (tinybench works for 5 µs of CPU time between two calls.)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.output import environment, heading, near_one, ratio, table
from benchmarks.probes.cases import BATCH_S, CASES, WITHIN, Case, fitting_count, one_processor, probe_seconds
from benchmarks.probes.estimates import Times, between, microseconds
from sectax.hosts.process.processors import pinned
from sectax.experiments.jwt.keys import algorithm_inputs, make_keys, signing_input
from sectax.parts import go, probes

TOOLS = Path(__file__).with_name("tools")
PROBE, TOOL = "probe", "tool"


class Size(NamedTuple):
    """What a process runs: batches of so many operations, after so many of a warm-up."""

    count: int
    batches: int
    warmup: int

    @property
    def operations(self) -> int:
        return self.count * self.batches


# CPU seconds per operation of one fresh process.
Seconds = Callable[[Path, Size], float]


def _run(command: list[str], folder: Path, **more: str) -> str:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment() | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout


def go_test(folder: Path) -> Seconds:
    tool = go.find(go.wanted(folder / "go.mod"))
    if tool is None:
        raise SystemExit("Go is not installed here")
    _run([str(tool), "test", "-c", "-o", "call.test", "."], folder, CGO_ENABLED="0")

    def seconds(case: Path, size: Size) -> float:
        words = [f"-test.benchtime={size.operations}x", "-test.run=^$", "-test.bench=."]
        said = _run([str(folder / "call.test"), *words], folder, CASE=str(case))
        found = re.search(r"([\d.]+) cpu-ns/op", said)
        assert found is not None, said
        return float(found[1]) * 1e-9

    return seconds


def mitata(folder: Path) -> Seconds:
    _run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], folder)
    node = probes.load("node").command()[0]

    def seconds(case: Path, size: Size) -> float:
        sizes = {"COUNT": size.count, "SAMPLES": size.batches, "WARMUP_SAMPLES": max(2, -(-size.warmup // size.count))}
        return float(_run([node, "call.js"], folder, CASE=str(case), **{name: str(of) for name, of in sizes.items()}))

    return seconds


def criterion(folder: Path) -> Seconds:
    shutil.copy(probes.bundled("rust") / "Cargo.lock", folder)
    said = _run(["cargo", "bench", "--no-run", "--quiet", "--message-format=json"], folder)
    built = [json.loads(line).get("executable") for line in said.splitlines()]
    program = next(path for path in built if path)

    def seconds(case: Path, size: Size) -> float:
        out = {"CRITERION_HOME": str(folder / "criterion"), "SECONDS": str(size.batches * BATCH_S)}
        _run([program, "--bench", "--quiet"], folder, CASE=str(case), **out)
        estimates = json.loads((folder / "criterion/call/call/new/estimates.json").read_text())
        return float(estimates["mean"]["point_estimate"]) * 1e-9

    return seconds


def jmh(folder: Path) -> Seconds:
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies"
    _run(["mvn", "--batch-mode", "--quiet", "compile", copy, "-DoutputDirectory=lib"], folder)
    # By the count, as the probe: a second of a busy machine warms a JVM less than one of a quiet one.
    here = ["java", "-cp", "target/classes:lib/*", "org.openjdk.jmh.Main", "Call", "-f", "1", "-bm", "ss", "-tu", "ns"]

    def seconds(case: Path, size: Size) -> float:
        warm = ["-wi", str(-(-size.warmup // size.count)), "-wbs", str(size.count)]
        out = folder / "result.json"
        timed = ["-i", str(size.batches), "-bs", str(size.count), "-rf", "json", "-rff", str(out)]
        _run([*here, *warm, *timed], folder, CASE=str(case))
        (result,) = json.loads(out.read_text())
        spent = result["secondaryMetrics"]["nanoseconds"]["rawData"][0]
        return float(sum(spent)) * 1e-9 / size.operations

    return seconds


LANGUAGES = {
    "go": ("go test -bench", go_test),
    "java": ("JMH", jmh),
    "node": ("mitata", mitata),
    "rust": ("criterion", criterion),
}
# A JVM's compiler is done after one to three seconds of work, beside a load after five; V8's after some tenths of one.
WARM_S = {"java": 6.0, "node": 0.5}


def blocks_of(
    language: str, inputs: Mapping[str, str], tool: Seconds, folder: Path, blocks: int, batches: int
) -> dict[Case, list[Times]]:
    made: dict[Case, list[Times]] = {case: [] for case in CASES}
    sizes = {}
    for case in CASES:
        count, warmup = fitting_count(language, case, inputs, WARM_S.get(language, 0.0))
        sizes[case] = Size(count, batches, warmup)
    for case in CASES:
        text = case._asdict() | {"signing_input": signing_input(case.algorithm)} | algorithm_inputs(inputs, case.algorithm)
        (folder / f"{case}.json").write_text(json.dumps(text))
    for _ in range(blocks):
        for case in random.sample(CASES, len(CASES)):
            size = sizes[case]
            ways: dict[str, Callable[[], float]] = {
                PROBE: lambda case=case, size=size: probe_seconds(language, case, inputs, *size),
                TOOL: lambda case=case, size=size: tool(folder / f"{case}.json", size),
            }
            made[case].append({way: ways[way]() for way in random.sample(list(ways), len(ways))})
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.probes.against_tools", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--languages", default="go,java,node,rust")
    parser.add_argument("--blocks", type=int, default=20, help="fresh processes of each (20)")
    parser.add_argument("--batches", type=int, default=10, help="of 20 ms in each process (10)")
    given = parser.parse_args()

    heading("Probes beside their language's own bench tools")
    inputs = make_keys(sorted({case.algorithm for case in CASES}))
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o700)
        for language in given.languages.split(","):
            title, make = LANGUAGES[language]
            folder = Path(scratch, language)
            shutil.copytree(TOOLS / language, folder, ignore=shutil.ignore_patterns("node_modules", "target"))
            tool = make(folder)
            # A JVM's compiler works beside what is measured.
            with pinned(os.sched_getaffinity(0) if language == "java" else one_processor()):
                blocks = blocks_of(language, inputs, tool, folder, given.blocks, given.batches)
            table(
                ["µs per operation", f"{language} probe", title, f"probe / {title}"],
                [
                    [
                        str(case),
                        *(microseconds(blocks[case], way) for way in (PROBE, TOOL)),
                        ratio(between(blocks[case], PROBE, TOOL)),
                    ]
                    for case in CASES
                ],
                f"{given.blocks} blocks, {given.batches} batches of {1e3 * BATCH_S:g} ms in each process",
            )
            for case in CASES:
                near_one(f"{language} {case}", between(blocks[case], PROBE, TOOL), WITHIN)


if __name__ == "__main__":
    main()
