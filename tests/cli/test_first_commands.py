"""What people type first, who have not read the documentation, and what each must see to go on."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.program import sectax

TWO = "sectax run command --baseline 'sleep 0.01' --treatment longer='sleep 0.03'"


@dataclass(frozen=True)
class Call:
    """A command line, the status that it ends with, and words that it prints (`err`: on stderr)."""

    line: str
    says: tuple[str, ...]
    status: int = 0
    err: tuple[str, ...] = ()


PEOPLE: dict[str, tuple[Call, ...]] = {
    "who types the name alone": (
        Call("sectax", ("Three commands to start with", "sectax doctor", "sectax run command", "sectax run jwt")),
        Call("sectax help", ("run", "doctor", "Exit status:")),
        Call("sectax --version", ("sectax 0.",)),
    ),
    "who loves hyperfine": (
        Call("sectax run command 'sleep 0.01' 'sleep 0.03'", ("Keep baseline", "sleep-0.03")),
        Call("sectax run command --baseline 'sleep 0.01' --treatment 'b=sleep 0.03' --warmup 3", ("times slower",)),
    ),
    "who wants to know what will happen": (
        Call("sectax list", ("jwt: ", "algorithm: RS256, HS256, ES256, EdDSA", "probes:", "published studies: ")),
        Call("sectax run jwt --help", ("algorithm: RS256", "--budget TIME", "[default: 120s, 60s with --quick]")),
        Call("sectax run function --help", ("(… stands for others that you name)",)),
        Call(f"{TWO} --dry-run", ("1 main comparison", "takes about 2 min")),
    ),
    "who compares two commands and keeps the result": (
        Call(f"{TWO} --out two.sectax", ("longer", "slower", "What to do"), err=("recording to two.sectax",)),
        Call("sectax show two.sectax", ("longer", "slower", "What to do")),
        Call("sectax runs", ("two.sectax", "finished")),
        Call("sectax report last --format csv", ("cost_ratio",)),
    ),
    "who is in a hurry": (
        Call("sectax run jwt --budget 1s", (), 3, ("a budget of 1s is too short for a verdict", "give --budget")),
    ),
    "who writes a program around it": (
        Call(f"{TWO} --json --quiet", ('"schema": "sectax/report/2"',)),
        Call("sectax list --json", ('"schema":"sectax/list/2"',)),
        Call("sectax show no.sectax --json", ('"schema":"sectax/error/1"',), 2, ("there is no file no.sectax",)),
    ),
    "who doubts other people's numbers": (
        Call("sectax audit published:jwt-php", ("jwt-php",)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("person", PEOPLE)
def test_the_first_commands_of_somebody(person: str, tmp_path: Path) -> None:
    for call in PEOPLE[person]:
        result = sectax(*shlex.split(call.line)[1:], folder=tmp_path, simulated=1, COLUMNS="100")

        assert result.status == call.status, f"{call.line}\n{result.out}{result.err}"
        for words in call.says:
            assert words in " ".join(result.out.split()), f"{call.line}\n{result.out}"
        for words in call.err:
            assert words in result.err, f"{call.line}\n{result.err}"
        if call.line.endswith(".sectax"):
            assert all(len(line) <= 100 for line in result.out.splitlines()), call.line
