#!/usr/bin/env bash
# hyperfine 2 runs a command without a shell unless it is asked to, and times `echo a; sleep 1` as `echo` with three
# arguments: about a millisecond, without a warning. hyperfine 1 timed the second.
#
# Guess before the measurement: it starts a shell where the line needs one, or refuses the line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Its manifest asks for a newer Rust than it needs.
cargo install --quiet --locked --ignore-rust-version --root . hyperfine@2.0.0
PATH="$folder/bin:$PATH"
hyperfine --version
hyperfine --warmup 1 --runs 5 --export-json result.json 'echo a; sleep 1' 2>warnings
cat warnings
python3 - <<'EOF'
import json
import statistics

times = [each["time_wall_clock"]["value"] for each in json.load(open("result.json"))["results"][0]["measurements"]]
print(f"`echo a; sleep 1` took {1000 * statistics.mean(times):.1f} ms")
raise SystemExit(0 if max(times) < 0.5 and not open("warnings").read().strip() else 1)
EOF
