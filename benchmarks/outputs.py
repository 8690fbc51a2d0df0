"""Whether the audit still reads what today's releases print.

python -m benchmarks.outputs [--only NAME]

Installs the newest release of each tool into a temporary folder, runs it for about a second in each of its forms
against a server or a function, and audits what it prints. A form has changed where its metrics and statistics are not
those of the sample in tests/audit/tools/samples. Writes the versions of tools whose
forms are all read into outputs.json, for docs/generate_audit.py.
Needs pip, npm, Go, cargo and apt; a tool that does not install is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.output import ROOT, heading, table
from sectax.audit.reading import registry
from sectax.formats.bad_input import BadInput

VERSIONS = Path(__file__).with_suffix(".json")
SAMPLES = ROOT / "tests" / "audit" / "tools" / "samples"
# An installation may compile.
INSTALLED_IN_S, RUN_IN_S, _TIMED_OUT = 120, 60, 124
_LOOP = "for (let i = 0; i < 1e3; i++) t += i"
SCRIPTS = {
    "pyperf_bench.py": "import pyperf\npyperf.Runner().bench_func('sum', sum, range(1000))\n",
    "test_sum.py": "def test_sum(benchmark):\n    benchmark(sum, range(1000))\n",
    "locustfile.py": "from locust import *\nclass User(HttpUser):\n  @task\n  def get(self): self.client.get('/')\n",
    "mitata.mjs": f"import {{ run, bench }} from 'mitata';\nlet t = 0;\nbench('sum', () => {{ {_LOOP} }});\n"
    "await run(process.argv[2] ? { format: 'json' } : {});\n",
    "tinybench.mjs": "import { Bench } from 'tinybench';\nconst b = new Bench({ time: 300 });\nlet t = 0;\n"
    f"b.add('sum', () => {{ {_LOOP} }});\nawait b.run();\nconsole.table(b.table());\n",
    "benchmark.cjs": "const { Suite } = require('benchmark');\nlet t = 0;\n"
    f"new Suite().add('sum', () => {{ {_LOOP} }}).on('cycle', (e) => console.log(String(e.target))).run();\n",
    "go.mod": "module example\n",
    "sum_test.go": 'package example\nimport "testing"\nvar t int\nfunc BenchmarkSum(b *testing.B) {\n'
    '\tb.ReportAllocs()\n\tb.SetBytes(8000)\n\tb.ReportMetric(1, "keys/op")\n'
    "\tfor i := 0; i < b.N*1000; i++ {\n\t\tt += i\n\t}\n}\n",
}


# Shell lines that install a package here, and that print its version.
INSTALLERS = {
    "pip": (f"{sys.executable} -m venv . && bin/pip install -q {{package}}", "bin/pip show {package} | grep ^Version"),
    "npm": ("npm install --silent {package}", "node -p 'require(\"./node_modules/{package}/package.json\").version'"),
    "go": ("go install {package}@latest", "go version -m bin/* | grep -w mod | tail -1"),
    "cargo": ("cargo install -q --root . {package}", "cargo install --list --root . | head -1"),
    "apt": (
        "mkdir partial; apt-get install --reinstall -y -q --download-only -o Dir::Cache::archives=$PWD {package} && "
        "for deb in *.deb; do dpkg -x $deb .; done",
        "ls {package}_*.deb | cut -d_ -f2",
    ),
}


@dataclass(frozen=True)
class Tool:
    """A tool, its package, and a shell line for each form, by the sample with which the form is compared."""

    name: str  # of the format
    installer: str
    package: str
    forms: dict[str, str]


_OHA = "oha -z 1s -c 4 --no-tui"
_BOTH = "'sleep 0.02' 'sleep 0.03' -r 5"
_GO_BENCH = "go test -bench . -benchtime 20x -count 6"
TOOLS = (
    Tool("pyperf", "pip", "pyperf", {
        "pyperf.json": "python pyperf_bench.py --fast -q -o p.json > /dev/null && cat p.json",
        "pyperf-show.txt": "python pyperf_bench.py --fast -q -o s.json > /dev/null && python -m pyperf show s.json",
        "pyperf-stats.txt": "python pyperf_bench.py --fast -q -o t.json > /dev/null && python -m pyperf stats t.json",
    }),
    Tool("pytest-benchmark", "pip", "pytest-benchmark", {
        "pytest-benchmark.txt": "pytest -q test_sum.py",
        "pytest-benchmark-data.json": "pytest test_sum.py --benchmark-json p --benchmark-save-data > /dev/null; cat p",
    }),
    Tool("locust", "pip", "locust", {
        "locust.csv": "locust --headless -u 2 -t 2s -H {url} --csv l --only-summary > /dev/null 2>&1; cat l_stats.csv",
        "locust-history.csv": "locust --headless -u 2 -t 3s -H {url} --csv h --csv-full-history > /dev/null 2>&1; "
        "cat h_stats_history.csv",
    }),
    Tool("autocannon", "npm", "autocannon", {
        "autocannon.txt": "autocannon -c 4 -d 2 {url} 2>&1", "autocannon.json": "autocannon -c 4 -d 2 --json {url}",
    }),
    Tool("mitata", "npm", "mitata", {"mitata.txt": "node mitata.mjs", "mitata.json": "node mitata.mjs json"}),
    Tool("tinybench", "npm", "tinybench", {"tinybench.txt": "node tinybench.mjs"}),
    Tool("benchmark-js", "npm", "benchmark", {"benchmark-js.txt": "node benchmark.cjs"}),
    Tool("hey", "go", "github.com/rakyll/hey", {"hey.txt": "hey -z 1s -c 4 {url}"}),
    Tool("vegeta", "go", "github.com/tsenart/vegeta/v12", {
        "vegeta.txt": "echo GET {url} | vegeta attack -rate 100/s -duration 1s | vegeta report",
        "vegeta.json": "echo GET {url} | vegeta attack -rate 100/s -duration 1s | vegeta report -type json",
    }),
    Tool("bombardier", "go", "github.com/codesenberg/bombardier", {
        "bombardier.txt": "bombardier -c 4 -d 1s -l {url}",
        "bombardier.json": "bombardier -c 4 -d 1s -l -p r -o json {url}",
    }),
    Tool("fortio", "go", "fortio.org/fortio", {
        "fortio.txt": "fortio load -qps 200 -c 4 -t 2s {url} 2>&1",
        "fortio-errors.json": "fortio load -quiet -qps 200 -c 4 -t 2s -json - {url} 2> /dev/null",
    }),
    Tool("benchstat", "go", "golang.org/x/perf/cmd/benchstat", {
        "benchstat.txt": f"{_GO_BENCH} > a.txt; {_GO_BENCH} > b.txt; benchstat a.txt b.txt",
        "benchstat.csv": f"{_GO_BENCH} > a.txt; {_GO_BENCH} > b.txt; benchstat -format csv a.txt b.txt",
        "gobench.txt": f"{_GO_BENCH}",
    }),
    Tool("hyperfine", "cargo", "hyperfine", {
        "hyperfine-2.txt": f"hyperfine {_BOTH} 2> /dev/null",
        "hyperfine-2-parameters.json": f"hyperfine {_BOTH} --export-json j > /dev/null 2>&1; cat j",
        "hyperfine-2-csv.txt": f"hyperfine {_BOTH} --export-csv c > /dev/null 2>&1; cat c",
        "hyperfine-2-markdown.txt": f"hyperfine {_BOTH} --export-markdown m > /dev/null 2>&1; cat m",
        "hyperfine-2-asciidoc.txt": f"hyperfine {_BOTH} --export-asciidoc a > /dev/null 2>&1; cat a",
        "hyperfine-2-org.txt": f"hyperfine {_BOTH} --export-orgmode o > /dev/null 2>&1; cat o",
    }),
    Tool("oha", "cargo", "oha", {"oha.txt": f"{_OHA} {{url}}", "oha.json": f"{_OHA} --output-format json {{url}}"}),
    Tool("wrk", "apt", "wrk", {"wrk.txt": "wrk -t 2 -c 4 -d 1 --latency {url}"}),
    Tool("ab", "apt", "apache2-utils", {
        "ab.txt": "ab -n 500 -c 4 {url}",
        "ab-e.csv": "ab -n 500 -c 4 -e e.csv {url} > /dev/null; cat e.csv",
        "ab-g.tsv": "ab -n 500 -c 4 -g g.tsv {url} > /dev/null; cat g.tsv",
    }),
    Tool("h2load", "apt", "nghttp2-client", {"h2load.txt": "h2load --h1 -n 500 -c 4 {url}"}),
    Tool("siege", "apt", "siege", {"siege.txt": "HOME=. siege -b -c 4 -t 1S {url} 2>&1"}),
    Tool("sysbench", "apt", "sysbench", {"sysbench-cpu.txt": "sysbench cpu --time=1 run"}),
    Tool("iperf3", "apt", "iperf3", {
        "iperf3.json": "iperf3 -s -1 -p 15202 > /dev/null & sleep 0.3; iperf3 -c 127.0.0.1 -p 15202 -t 2 --json",
        "iperf3-parallel.txt": "iperf3 -s -1 -p 15203 > /dev/null & sleep 0.3; iperf3 -c 127.0.0.1 -p 15203 -t 2 -P 2",
    }),
    Tool("stress-ng", "apt", "stress-ng", {"stress-ng.txt": "stress-ng --cpu 1 -t 1 --metrics 2>&1"}),
)  # fmt: skip


def _call(line: str, folder: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    path = ":".join(f"{folder}/{name}" for name in ("bin", "node_modules/.bin", "usr/bin", "usr/sbin"))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "PATH": f"{path}:{os.environ['PATH']}",
        "GOBIN": f"{folder}/bin",
        "LD_LIBRARY_PATH": f"{folder}/usr/lib/{os.uname().machine}-linux-gnu",
    }
    # It ends what the line started, too.
    words = ["timeout", str(seconds), "bash", "-c", line]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=False, errors="replace")
    if done.returncode == _TIMED_OUT:
        raise RuntimeError(f"no end after {seconds} s")
    return done


def _installed(tool: Tool, folder: Path) -> str:
    """Install a tool; return its version. Raises RuntimeError."""
    line, version = (words.replace("{package}", tool.package) for words in INSTALLERS[tool.installer])
    done = _call(line, folder, INSTALLED_IN_S)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip()[-200:])
    words = _call(version, folder, RUN_IN_S).stdout.split()
    return next((word.strip("v:") for word in words if word.lstrip("v")[:1].isdigit()), "unknown")


def _contents(text: str) -> tuple[str, set[str]]:
    """Return the format of an output, and its metrics with their statistics; raises `BadInput`."""
    grammar, evidence = registry.read(text)
    claims = {f"{series.metric} {claim.statistic}" for series in evidence.series for claim in series.claims}
    return grammar.name, claims | {f"{series.metric} values" for series in evidence.series if len(series.values)}


def _compared(name: str, printed: str) -> str:
    """Say how an output was read, and what it has more and less than its sample."""
    expected = _contents((SAMPLES / name).read_text(encoding="utf-8"))
    try:
        found = _contents(printed)
    except BadInput as error:
        return f"refused: {error}"[:160]
    if found[0] != expected[0]:
        return f"taken for {found[0]}"
    more, less = sorted(found[1] - expected[1]), sorted(expected[1] - found[1])
    return ", ".join(["read", *(f"+ {one}" for one in more), *(f"- {one}" for one in less)])


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 4096  # one packet for an answer

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "12")
        self.end_headers()
        self.wfile.write(b"hello world\n")

    def log_message(self, format: str, *_: object) -> None:
        """Print nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 100

    def handle_error(self, *_: object) -> None:
        """Print nothing: clients close connections at their end."""


def _tried(tool: Tool, url: str) -> Iterator[tuple[str, str, str]]:
    """Install a tool and yield its version, a form, and how that was read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            version = _installed(tool, folder)
        except RuntimeError as error:
            yield "not installed", "", str(error).replace("\n", " ")[:100]
            return
        for script, text in SCRIPTS.items():
            (folder / script).write_text(text, encoding="utf-8")
        for form, line in tool.forms.items():
            try:
                result = _compared(form, _call(line.replace("{url}", url), folder, RUN_IN_S).stdout)
            except RuntimeError as error:
                result = str(error)
            yield version, form, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[tool.name for tool in TOOLS], action="append")
    only = parser.parse_args().only
    heading("The newest release of each tool, its forms, and what changed against the kept samples")
    server = _Server(("127.0.0.1", 0), _Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    versions = json.loads(VERSIONS.read_text(encoding="utf-8"))
    rows = []
    for tool in TOOLS:
        if not only or tool.name in only:
            results = [*_tried(tool, f"http://127.0.0.1:{server.server_port}/")]
            rows += [[tool.name, *result] for result in results]
            if all(result.startswith("read") for *_, result in results):
                versions[tool.name] = {"version": results[0][0], "date": date.today().isoformat()}
    table(["tool", "version", "form", "result"], rows)
    VERSIONS.write_text(json.dumps(dict(sorted(versions.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
