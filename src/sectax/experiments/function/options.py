"""Parses the options of `sectax run function`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from sectax.experiments.levels import option_seconds
from sectax.experiments.named import FOLDER, ComparedKind, named_texts, pair_by_name
from sectax.experiments.on_lambda.experiment import PYTHON, read_endpoint_options
from sectax.model.errors import WrongUse

FUNCTION = ComparedKind("function", "ZIP", "use --baseline ZIP --treatment NAME=ZIP")
_TIMEOUT_S = 60
_GAP_S = 0.1


@dataclass(frozen=True)
class Functions:
    """The parsed options.

    Attributes:
        code: name -> path of a zip or a folder; the baseline is first.
        layers: name -> paths or ARNs.
        event: path of a file with JSON; None for an empty object.
        environment: path of a file with NAME=VALUE lines; None for none.
        expected: path of a file with the JSON that each answer must equal; None for any answer.
        gap_s: seconds from an answer to the next event, for the pace `spaced`.
        endpoint, role: as in `FunctionSpec`.
    """

    code: dict[str, str]
    layers: dict[str, tuple[str, ...]]
    event: str | None
    environment: str | None
    expected: str | None
    runtime: str
    handler: str
    timeout_s: int
    gap_s: float
    endpoint: str | None
    role: str


def read_functions(options: Mapping[str, tuple[str, ...]]) -> Functions:
    """Parse the options; `WrongUse` for a missing, duplicate or invalid one."""
    folder = _single_value(options, FOLDER) or "."
    code = named_texts(FUNCTION, options)
    endpoint, role = read_endpoint_options(options)
    runtime = _single_value(options, "runtime") or PYTHON
    default = "lambda_function.lambda_handler" if runtime.startswith("python") else "bootstrap"
    return Functions(
        code={name: os.path.join(folder, path) for name, path in code.items()},
        layers=_layers(pair_by_name(FUNCTION, "layer", options.get("layer", ()), tuple(code)), tuple(code), folder),
        event=_path(options, "event", folder),
        environment=_path(options, "env-file", folder),
        expected=_path(options, "expect", folder),
        runtime=runtime,
        handler=_single_value(options, "handler") or default,
        timeout_s=int(option_seconds(options, "timeout", _TIMEOUT_S, (1, 900), "--timeout 60", whole=True)),
        gap_s=option_seconds(options, "gap", _GAP_S, (0.001, 60), "--gap 0.1"),
        endpoint=endpoint,
        role=role,
    )


def read_environment(path: str | None) -> dict[str, str]:
    """Read NAME=VALUE lines, without empty lines and comments.

    Raises:
        WrongUse: the file cannot be read, or a line is invalid. The message does not contain the line.
    """
    if path is None:
        return {}
    variables = {}
    for number, line in enumerate(read_text_file(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator or not re.fullmatch(r"[A-Za-z]\w*", name):
            raise WrongUse(f"line {number} of {path} is not NAME=VALUE", "write values without quotes")
        variables[name] = value
    return variables


def read_text_file(path: str) -> str:
    """Read a text file. Raises `WrongUse`."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path} cannot be read: {error}", "give another file") from error


def _single_value(options: Mapping[str, tuple[str, ...]], name: str) -> str | None:
    return next(iter(options.get(name, ())), None)


def check_files(functions: Functions) -> None:
    """Check the options' files; `WrongUse` if missing or not JSON."""
    for name, path in functions.code.items():
        _exists(f"function {name!r}", path)
    for layer in {layer for layers in functions.layers.values() for layer in layers if not layer.startswith("arn:")}:
        _exists("--layer", layer)
    if functions.environment is not None:
        _exists("--env-file", functions.environment)
    for option, file in (("--event", functions.event), ("--expect", functions.expected)):
        if file is not None:
            _exists(option, file)
            try:
                msgspec.json.decode(read_text_file(file).encode(), type=msgspec.Raw)
            except msgspec.DecodeError as error:
                raise WrongUse(f"{option}: {file} is not JSON: {error}", "Lambda accepts only JSON") from error


def _exists(what: str, path: str) -> None:
    if not os.path.exists(path):
        raise WrongUse(f"{what}: {path} does not exist", "give another path")


def _path(options: Mapping[str, tuple[str, ...]], name: str, folder: str) -> str | None:
    path = _single_value(options, name)
    return None if path is None else os.path.join(folder, path)


def _layers(pairs: list[tuple[str, str]], names: tuple[str, ...], folder: str) -> dict[str, tuple[str, ...]]:
    layers: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for name, path in pairs:
        layers[name] += (path if path.startswith("arn:") else os.path.join(folder, path),)
    return layers
