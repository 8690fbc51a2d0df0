"""Two arms by turns on one processor, or both at once on two ('duet', arXiv 2001.05811): which pairs agree better here?

    python -m benchmarks.duet [--blocks 20]

The arms are ES256 in PHP twice (in truth the same), and RS256 beside ES256 (unlike work). A block lasts equally long
both ways: by turns in rounds of two batches, at once in twice as many rounds, where the arms change processors every
round. Prints the standard deviation of a block's log ratio: the smaller one needs fewer blocks.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.output import heading, table
from sectax.experiments.jwt.experiment import signature_subject
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.on_probe.subject import BATCH_CPU, ProbeSpec, ProbeSubject
from sectax.model.subject import Work

BATCH_S = 0.0045
ROUNDS = 40
PAIRS = (("ES256", "ES256"), ("RS256", "ES256"))


def opened(algorithm: str, language: str = "php") -> tuple[ProbeSubject, int]:
    """A probe that signs, and how many operations last a batch."""
    levels = {"language": language, "operation": "sign", "key_use": "parsed-once", "layer": "primitive"}
    spec = signature_subject(levels | {"algorithm": algorithm}, make_keys([algorithm]))
    assert isinstance(spec, ProbeSpec)
    subject = spec.subject()
    subject.open()
    fastest_s = min(cpu_s(subject, 10) for _ in range(20))
    return subject, max(1, round(BATCH_S / fastest_s))


def cpu_s(subject: ProbeSubject, count: int) -> float:
    """CPU seconds per operation of one batch, after a settling one of half its length."""
    visit = subject.visit(Work(count=count, settle=count // 2))
    return next(observation.value for observation in visit.observations if observation.metric == BATCH_CPU) / count


def pin(subject: ProbeSubject, processor: int) -> None:
    assert subject.pid is not None
    os.sched_setaffinity(subject.pid, {processor})


Block = Callable[[tuple[ProbeSubject, int], tuple[ProbeSubject, int], tuple[int, int]], float]


def by_turns(one: tuple[ProbeSubject, int], other: tuple[ProbeSubject, int], processors: tuple[int, int]) -> float:
    """The log ratio of a block whose arms take turns on one processor."""
    for subject, _ in (one, other):
        pin(subject, processors[0])
    times = np.array([(cpu_s(*one), cpu_s(*other)) for _ in range(ROUNDS)])
    return float(np.log(times[:, 0].mean() / times[:, 1].mean()))


def at_once(one: tuple[ProbeSubject, int], other: tuple[ProbeSubject, int], processors: tuple[int, int]) -> float:
    """The log ratio of a block whose arms run side by side."""
    times = np.empty((2 * ROUNDS, 2))
    with ThreadPoolExecutor(2) as both:
        for turn in range(2 * ROUNDS):
            pin(one[0], processors[turn % 2])
            pin(other[0], processors[1 - turn % 2])
            times[turn] = [done.result() for done in [both.submit(cpu_s, *arm) for arm in (one, other)]]
    return float(np.log(times[:, 0].mean() / times[:, 1].mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--blocks", type=int, default=20, help="of about half a second each way")
    arguments = parser.parse_args()
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        parser.exit(1, "a duet needs two processors\n")
    pair = (processors[-1], processors[0])
    heading("By turns or at once")
    rows = []
    for names in PAIRS:
        ratios: dict[Block, list[float]] = {by_turns: [], at_once: []}
        for block in range(arguments.blocks):
            one, other = (opened(name) for name in names)
            for way in list(ratios)[:: 1 if block % 2 else -1]:
                ratios[way].append(way(one, other, pair))
            for subject, _ in (one, other):
                subject.close()
        for words, seen in zip(("by turns", "at once"), ratios.values(), strict=True):
            spread = f"{100 * np.std(seen, ddof=1):.2f} %"
            rows.append([" / ".join(names), words, f"{np.exp(np.mean(seen)):.3f}", spread])
    table(["arms", "way", "ratio", "spread between blocks"], rows)


if __name__ == "__main__":
    main()
