"""REPORT lines of AWS Lambda, in any log (docs.aws.amazon.com/lambda)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sectax.audit.form import Cold, Trouble, TroubleKind
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number
from sectax.audit.reading.text import shown
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import report_fields

# Tools that follow several functions prefix each line with the log group and name.
_FUNCTION = re.compile(r"/aws/lambda/([A-Za-z0-9_-]{1,140})")
_FAILED = re.compile(r"Status: (?:error|timeout)")
_OF_RUNTIMES = (
    r"Task timed out|Runtime exited with error|Runtime\.\w{0,40}Error|ERROR\s(?:Uncaught|Unhandled Promise|Invoke)"
    r"|\[ERROR\]\s\w{0,60}(?:Error|Exception):|INIT_REPORT .{0,80}Status: (?:timeout|error)"
)
_MOST_FAILURES = 0.001
# Billing is per millisecond, and per 100 ms until December 2020.
_STEP_S, _STEP_BEFORE_S = 2e-3, 0.1


def _shape(records: list[Record]) -> list[Record]:
    reports = [report for record in records if (report := _report(record)) is not None]
    failures = [record for record in records for _ in record.fields.get("failure", ())]
    if reports and failures:
        kind = TroubleKind.FAILED if len(failures) > _MOST_FAILURES * len(reports) else TroubleKind.WARNED
        reports[0].troubles.append(Trouble(kind, failures[0].line, shown(str(failures[0].text("failure")))))
    marked = any("init duration.one" in report.fields for report in reports)
    for name in {report.text("name") for report in reports}:
        group = [report for report in reports if report.text("name") == name]
        failed = sum("is_failed" in report.fields for report in group)
        for report in group:
            cold = Cold.ONLY if report.text("level.start") == "cold" else Cold.APART
            report.put({"operations": Number(float(len(group))), "cold": cold if marked else None})
            report.put({"failures": Number(float(failed)) if failed else None})
    return reports


def _report(record: Record) -> Record | None:
    """Return one invocation; None for other lines."""
    line = " ".join(str(value) for name in ("report", "more") for value in record.fields.get(name, ()))
    if not line:
        return None
    invocation = Record(record.line, {"name": ["REPORT"]}, ended=True)
    try:
        fields = report_fields(line)
        if "duration" not in fields:
            raise BadInput("it has no duration")
    except BadInput as error:
        invocation.troubles.append(Trouble(TroubleKind.UNREAD, record.line, f"{error.message}: {line[:80]}"))
        return invocation
    memory = f"{fields['memory'] / 2**20:g} MB" if "memory" in fields else "unknown memory"
    function = _FUNCTION.search(line)
    levels = {"function": function[1]} if function is not None else {}
    levels |= {"memory": memory, "start": "cold" if "init" in fields else "warm"}
    invocation.put({"name": ", ".join(levels.values())}, levels)
    _numbers(invocation, fields, emulated=0 <= line.find("Init Duration") < line.find("Billed"))
    if _FAILED.search(line):
        invocation.fields["is_failed"] = ["yes"]
    return invocation


def _numbers(invocation: Record, fields: Mapping[str, float], *, emulated: bool) -> None:
    took, billed = fields["duration"], fields.get("billed")
    whole = took + sum(fields.get(name, 0.0) for name in ("init", "restore", "restore_billed"))
    invocation.fields |= {"duration.one": [Number(took, 1e-5, "s")], "took": [Number(took)], "whole": [Number(whole)]}
    if "init" in fields:
        invocation.fields["init duration.one"] = [Number(fields["init"], 1e-5, "s")]
    # The local emulator, which prints the init time first, reports full memory use for all.
    for name, place in (("memory", "memory"), ("used", "used"), ("used", "max memory used.one")):
        if name in fields and not emulated:
            invocation.fields[place] = [Number(fields[name], 0.0, "bytes")]
    if (
        billed is not None
        and billed >= 1
        and billed == round(billed)
        and (billed < took - _STEP_S or took == round(took))
    ):
        # A timeout is billed in full.
        invocation.fields["is_failed"] = ["yes"]
    elif billed is not None:
        invocation.fields["billed"] = [Number(billed, _STEP_S)]


_REPORT = r"REPORT RequestId:|REPORT Duration: |(?<!\w\s)Duration: [0-9.]+ ms(?:\s|\\+t)+Billed Duration: "
LAMBDA = Text(
    name="lambda",
    title="REPORT lines of AWS Lambda",
    starts=(r"REPORT RequestId: {report:text}$", rf"(?=.{{0,400}}?(?:{_REPORT})){{report:text}}$"),
    lines=(
        r"(?=(?:(?:Billed |Init |Restore |Billed Restore )?Duration|Memory Size|Max Memory Used|XRAY TraceId): )"
        r"{more:text}$",
        rf"(?=.{{0,300}}?(?:{_OF_RUNTIMES})){{failure:text}}$",
    ),
    fixed={"service": "AWS Lambda"},
    repeats=True,
    promises=(
        Promise("took <= billed", within=0.0),
        Promise(f"billed <= whole + {_STEP_BEFORE_S}", within=0.0),
        # The reported peak is a little over the limit where a process was killed for it.
        Promise("used <= 1.05 * memory", within=0.0),
        Promise("used + 1 <= memory", within=0.0, fatal=False),
        Promise("took <= 901", within=0.0),
    ),
    shape=_shape,
)
