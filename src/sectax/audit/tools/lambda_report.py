"""REPORT lines of AWS Lambda, in any log (docs.aws.amazon.com/lambda/latest/dg, 'Viewing logs')."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sectax.audit.form import Cold, Trouble, TroubleKind
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import report_fields

# Tools that follow several functions put the log group, and so the name, before each line.
_FUNCTION = re.compile(r"/aws/lambda/([A-Za-z0-9_-]{1,140})")
_STREAM = re.compile(r"\[\$?\w{1,40}\][0-9a-f]{32}")
_FAILED = re.compile(r"Status: (?:error|timeout)")
_OF_RUNTIMES = (
    r"Task timed out|Runtime exited with error|Runtime\.\w{0,40}Error|ERROR\s(?:Uncaught|Unhandled Promise|Invoke)"
    r"|\[ERROR\]\s\w{0,60}(?:Error|Exception):|INIT_REPORT .{0,80}Status: (?:timeout|error)"
)
_MOST_FAILURES = 0.001
# What is billed is in whole milliseconds, and in steps of 100 until December 2020.
_STEP_S, _STEP_BEFORE_S = 2e-3, 0.1


def _shape(records: list[Record]) -> list[Record]:
    reports = [one for record in records if (one := _report(record)) is not None]
    failures = [record for record in records for _ in record.fields.get("failure", ())]
    if reports and failures:
        kind = TroubleKind.FAILED if len(failures) > _MOST_FAILURES * len(reports) else TroubleKind.WARNED
        reports[0].troubles.append(Trouble(kind, failures[0].line, str(failures[0].text("failure"))[:100]))
    groups: dict[str, list[Record]] = {}
    for one in reports:
        groups.setdefault(one.text("name") or "", []).append(one)
    marked = any(name.endswith("cold") for name in groups)
    for name, group in groups.items():
        failed = sum("is_failed" in one.fields for one in group)
        streams = {one.text("stream") for one in group} - {None}
        work: dict[str, Any] = {"operations": Number(float(len(group)))}
        work |= {"failures": Number(float(failed))} if failed else {}
        work |= {"replicates": Number(float(len(streams))), "replicate": "instance"} if streams else {}
        work |= {"instrument": "X-Ray"} if any("is_traced" in one.fields for one in group) else {}
        work |= {"cold": Cold.ONLY if name.endswith("cold") else Cold.APART} if marked else {}
        for one in group:
            one.fields |= {key: [value] for key, value in work.items()}
    return reports


def _report(record: Record) -> Record | None:
    """One invocation; None where lines are of something else."""
    parts = [str(value) for name in ("report", "more") for value in record.fields.get(name, ())]
    line = " ".join(parts)
    if not parts:
        return None
    made = Record(record.line, ended=True)
    try:
        told = report_fields(line)
        if "duration" not in told:
            raise BadInput("it has no duration")
    except BadInput as error:
        made.troubles.append(Trouble(TroubleKind.UNREAD, record.line, f"{error.message}: {line[:80]}"))
        made.fields["name"] = ["REPORT"]
        return made
    for name, pattern in (("function", _FUNCTION), ("stream", _STREAM)):
        if (found := pattern.search(line)) is not None:
            made.fields[name] = [found[found.lastindex or 0]]
    memory = f"{told['memory'] / 2**20:g} MB" if "memory" in told else "unknown memory"
    levels = {"function": made.text("function"), "memory": memory, "start": "cold" if "init" in told else "warm"}
    shown = {factor: level for factor, level in levels.items() if level is not None}
    made.fields |= {f"level.{factor}": [level] for factor, level in shown.items()}
    made.fields |= {"name": [", ".join(shown.values())], "option.memory": [memory]}
    for name in ("runtime", "library"):
        made.fields |= {name: record.fields[name]} if name in record.fields else {}
    if "Sampled: true" in line.partition("XRAY TraceId:")[2]:
        made.fields["is_traced"] = ["yes"]
    _numbers(made, told, emulated=0 <= line.find("Init Duration") < line.find("Billed"))
    if _FAILED.search(line):
        made.fields["is_failed"] = ["yes"]
    return made


def _numbers(made: Record, told: Mapping[str, float], *, emulated: bool) -> None:
    took, billed = told["duration"], told.get("billed")
    whole = took + sum(told.get(name, 0.0) for name in ("init", "restore", "restore_billed"))
    made.fields |= {"duration.one": [Number(took, 1e-5, "s")], "took": [Number(took)], "whole": [Number(whole)]}
    if "init" in told:
        made.fields["init duration.one"] = [Number(told["init"], 1e-5, "s")]
    # The local emulator, which puts the initialisation first, says of all that they used all.
    for name, place in (("memory", "memory"), ("used", "used"), ("used", "max memory used.one")):
        if name in told and not emulated:
            made.fields[place] = [Number(told[name], 0.0, "bytes")]
    if billed is None:
        return
    if billed >= 1 and billed == round(billed) and (billed < took - _STEP_S or took == round(took)):
        # What is cut off is billed for its whole timeout.
        made.fields["is_failed"] = ["yes"]
    else:
        made.fields["billed"] = [Number(billed, _STEP_S)]


_REPORT = r"REPORT RequestId:|REPORT Duration: |(?<!\w\s)Duration: [0-9.]+ ms(?:\s|\\+t)+Billed Duration: "
LAMBDA = Text(
    name="lambda",
    title="REPORT lines of AWS Lambda",
    starts=(rf"(?=.{{0,400}}?(?:{_REPORT})){{report:text}}$",),
    head=(
        r"(?:.{0,200}?\s)?START RequestId: \S+ Version: {library:w}",
        r"(?:.{0,200}?\s)?INIT_START Runtime Version: {runtime:w}",
    ),
    lines=(
        r"(?=(?:(?:Billed |Init |Restore |Billed Restore )?Duration|Memory Size|Max Memory Used|XRAY TraceId): )"
        r"{more:text}$",
        rf"(?=.{{0,300}}?(?:{_OF_RUNTIMES})){{failure:text}}$",
    ),
    fixed={"service": "AWS Lambda"},
    repeats=True,
    promises=(
        Promise("billed >= took", within=0.0),
        Promise(f"billed <= whole + {_STEP_BEFORE_S}", within=0.0),
        # The service reports a little more than there is where a process was killed for it.
        Promise("used <= 1.05 * memory", within=0.0),
        Promise("used + 1 <= memory", within=0.0, fatal=False),
        Promise("took <= 901", within=0.0),
    ),
    shape=_shape,
)
GRAMMARS = (LAMBDA,)
