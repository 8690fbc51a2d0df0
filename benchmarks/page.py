"""The page of a run: how large it is, how long its making takes, and how soon a browser shows it.

    python -m benchmarks.page [RUN] [--opens 15]

Without RUN it measures `sectax run jwt --quick`, as `make demo` does. The page is made in fresh interpreters, the best
of three. Chromium (on PATH, or Playwright's own) opens the file in a fresh context each time: 'shown' is its first
paint with content, 'loaded' the end of its load event, both from the start of the navigation. Wanted: loaded within
0.3 s; of a million observations (`python -m benchmarks.record.million --keep FOLDER` writes the run) under 1 MB within
5 s.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.chromium import chromium
from benchmarks.output import heading, table, target

LARGEST_MB, LONGEST_S, LOADED_S = 1.0, 5.0, 0.3
# A page in the background paints nothing, so a paint that does not come is waited for no longer.
_TIMES = """
() => new Promise(done => {
  const began = performance.now();
  const answer = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const [way] = performance.getEntriesByType('navigation');
    const late = performance.now() - began > 3000;
    if (way.loadEventEnd && (paint || late)) done([paint ? paint.startTime : null, way.loadEventEnd]);
    else setTimeout(answer, 5);
  };
  answer();
})
"""


def made(run: Path, page: Path) -> tuple[float, float]:
    """Seconds that the page takes from the program's start, by the clock and of CPU time, at the fastest of three."""
    words = [sys.executable, "-m", "sectax", "report", str(run), "--format", "html", "--out", str(page)]
    taken = []
    for _ in range(3):
        page.unlink(missing_ok=True)
        start = time.perf_counter()
        program = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        assert program.returncode == 0, words
        taken.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
    return min(taken)


def opened(page: Path, times: int) -> tuple[list[float], list[float]]:
    """Seconds until it is shown, and until it is loaded, each time in a fresh context."""
    from playwright.sync_api import sync_playwright

    shown, loaded = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for number in range(times + 1):
            context = browser.new_context(viewport={"width": 1000, "height": 900})
            tab = context.new_page()
            tab.goto(page.absolute().as_uri())
            paint, end = tab.evaluate(_TIMES)
            if number:  # the first one starts what all share
                loaded.append(end / 1e3)
                shown += [] if paint is None else [paint / 1e3]
            context.close()
        browser.close()
    return shown, loaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument("--opens", type=int, default=15, help="how often the page is opened")
    given = parser.parse_args()
    heading("The page of a run")
    with tempfile.TemporaryDirectory() as folder:
        run = given.run or Path(folder, "demo.sectax")
        if given.run is None:
            words = ["run", "jwt", "--quick", "--quiet", "--out", str(run)]
            subprocess.run([sys.executable, "-m", "sectax", *words], check=True, stdout=subprocess.DEVNULL)
        page = Path(folder, "page.html")
        clock_s, cpu_s = made(run, page)
        megabytes = page.stat().st_size / 1e6
        rows = [
            ["size", f"{1e3 * megabytes:,.0f} kB"],
            ["made, by the clock", f"{clock_s:.2f} s"],
            ["made, CPU time", f"{cpu_s:.2f} s"],
        ]
        middle = None
        if chromium() is not None:
            shown, loaded = opened(page, given.opens)
            middle = statistics.median(loaded)
            rows.append(["loaded, median", f"{1e3 * middle:.0f} ms (at most {1e3 * max(loaded):.0f})"])
            if shown:
                rows.append(
                    ["shown, median", f"{1e3 * statistics.median(shown):.0f} ms (at most {1e3 * max(shown):.0f})"]
                )
        table(["", ""], rows)
        target("size", megabytes, LARGEST_MB, f"{1e3 * megabytes:,.0f} kB, at most {1e3 * LARGEST_MB:,.0f}")
        target("made", clock_s, LONGEST_S, f"{clock_s:.2f} s by the clock, at most {LONGEST_S:g}")
        said = "there is no Chromium" if middle is None else f"{1e3 * middle:.0f} ms, at most {1e3 * LOADED_S:.0f}"
        target("loaded", middle, LOADED_S, said)


if __name__ == "__main__":
    main()
