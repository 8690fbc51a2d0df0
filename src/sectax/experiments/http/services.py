"""Options of the experiment: URLs, requests, and commands that start servers."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sectax.experiments.client_server.load import CLIENTS
from sectax.experiments.client_server.started_server import PORT
from sectax.experiments.command.scans import shell_syntax
from sectax.experiments.http.addresses import read_header, read_url, shown_header, shown_url
from sectax.experiments.http.failures import TRUST
from sectax.experiments.interface import Hidden, Option
from sectax.experiments.levels import option_seconds
from sectax.experiments.named import (
    FOLDER,
    ComparedKind,
    add_unnamed,
    named_texts,
    pair_by_name,
    split_name,
    values_by_name,
)
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

URL = ComparedKind("URL", "URL", "sectax run http URL URL, or --baseline URL --treatment NAME=URL", private=True)
LEFT_OUT = "left-out"  # names the redacted values; not an option
OPTIONS = (
    Option("baseline", "the URL that the others are compared with", "URL"),
    Option("treatment", "another URL and its name", "NAME=URL", multiple=True),
    Option("method", "the request method (default: GET)", "[NAME=]METHOD", multiple=True),
    Option("header", "a header of every request, or @FILE with one per line", "[NAME=]HEADER", True, short="H"),
    Option("body", "a file with the body of every request", "[NAME=]FILE", multiple=True),
    Option("status", "accept only this status (default: 200 to 299)", "[NAME=]CODE", multiple=True),
    Option("bodies-differ", "accept bodies that differ between requests or URLs", flag=True),
    Option("ca", "a file with the certificates to trust instead of the system's", "[NAME=]FILE", multiple=True),
    Option("cert", "a file with the client's certificate", "[NAME=]FILE", multiple=True),
    Option("key", "a file with its private key", "[NAME=]FILE", multiple=True),
    Option("start", f"the command that serves NAME's URL, on port {PORT}", "NAME=CMD", multiple=True),
    Option("fresh", "restart the servers of --start for every block", flag=True),
    Option("rate", "send N requests per second on a schedule, timed from when each was due", "N"),
    CLIENTS,
    Option("timeout", "the time limit of a request, as in 90s (default: 30s)", "TIME"),
)
# Options of curl and load generators.
INSTEAD = {
    **dict.fromkeys(("-k", "--insecure"), TRUST),
    **dict.fromkeys(("-X", "--request"), "write --method, as in --method POST"),
    **dict.fromkeys(("-d", "--data", "--data-raw", "--data-binary"), "put it in a file: --body FILE"),
    **dict.fromkeys(("-u", "--user"), "put it in a file as a header: -H @FILE"),
    **dict.fromkeys(("-L", "--location"), "give the target of the redirect"),
    **dict.fromkeys(("-c", "--connections", "--concurrency"), "write --level concurrency=N"),
    **dict.fromkeys(("-z", "--duration"), "write --budget TIME"),
    **dict.fromkeys(("-n", "-r", "--requests"), "sectax chooses the number; --budget TIME limits it"),
}
# Options that may contain a secret, and their redaction.
_PRIVATE: dict[str, Callable[[str], str]] = {"baseline": shown_url, "treatment": shown_url, "header": shown_header}
_FOR_EACH = ("method", "header", "body", "status", "cert", "key")
_METHOD = re.compile(r"[A-Z]{1,20}")
_TIMEOUT_S, _LONGEST_S = 30.0, 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class HttpService:
    """One URL and its requests.

    Attributes:
        body, ca, certificate, key: file names; empty for none.
        statuses: accepted statuses; empty for 200 to 299.
        start: command that serves the URL; empty if it is already served.
    """

    name: str
    url: str = field(repr=False)
    method: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    header_files: tuple[str, ...] = ()
    body: str = ""
    statuses: tuple[int, ...] = ()
    ca: str = ""
    certificate: str = ""
    key: str = ""
    start: tuple[str, ...] = ()

    def files(self) -> dict[str, str]:
        """File names by option."""
        files = {"body": self.body, "ca": self.ca, "cert": self.certificate, "key": self.key}
        files |= {f"header @{index}": path for index, path in enumerate(self.header_files)}
        return {option: path for option, path in files.items() if path}


def with_urls(bare: Sequence[str], options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Add URLs given without names, named by host and path."""
    return add_unnamed(bare, options, lambda url: shown_url(url).partition("://")[2].partition("?")[0])


def hidden(options: Mapping[str, tuple[str, ...]]) -> Hidden:
    """Redact options for the record, and separate the secrets."""
    shown = dict(options)
    secrets: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for option, show in _PRIVATE.items():
        texts = []
        for index, typed in enumerate(options.get(option, ())):
            name, text = split_name(typed) if option != "baseline" else ("", typed)
            public = show(text)
            if public != text:
                secrets[f"{option}.{index}"] = typed
                replaced[text] = public
            texts.append(f"{name}={public}" if name else public)
        if texts:
            shown[option] = tuple(texts)
    if secrets:
        shown[LEFT_OUT] = tuple(secrets)
    return Hidden(shown, secrets, replaced)


def revealed(options: Mapping[str, tuple[str, ...]], secrets: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Restore redacted options. Raises `WrongUse` if the secrets are gone."""
    whole = {name: list(texts) for name, texts in options.items()}
    for key in options.get(LEFT_OUT, ()):
        if key not in secrets:
            raise WrongUse(
                "this run's passwords, tokens or headers were deleted: they are stored until it ends, at most 7 days",
                "start it again with sectax run http",
            )
        option, _, index = key.partition(".")
        whole[option][int(index)] = secrets[key]
    return {name: tuple(texts) for name, texts in whole.items()}


def read_services(options: Mapping[str, tuple[str, ...]]) -> dict[str, HttpService]:
    """Services by name, the baseline first. Opens no file. Raises `WrongUse`."""
    urls = named_texts(URL, options)
    names = tuple(urls)
    folder = next(iter(options.get(FOLDER, ())), ".")
    pairs = {option: pair_by_name(URL, option, options.get(option, ()), names) for option in _FOR_EACH}
    methods = {name: _method(text) for name, text in values_by_name("method", pairs["method"]).items()}
    headers: dict[str, list[tuple[str, str]]] = {name: [] for name in urls}
    files: dict[str, list[str]] = {name: [] for name in urls}
    for name, text in pairs["header"]:
        if text.startswith("@"):
            files[name].append(os.path.join(folder, text[1:]))
        else:
            headers[name].append(read_header(text, "a --header"))
    secure = tuple(name for name, url in urls.items() if url.startswith("https:"))
    pairs["ca"] = pair_by_name(URL, "ca", options.get("ca", ()), names, secure)
    bodies, certificates, keys, cas = (
        dict.fromkeys(names, "")
        | {name: os.path.join(folder, path) for name, path in values_by_name(option, pairs[option]).items()}
        for option in ("body", "cert", "key", "ca")
    )
    starts = _starts(options, names)
    statuses: dict[str, list[int]] = {name: [] for name in urls}
    for name, text in pairs["status"]:
        statuses[name].append(_status(text))
    services = {}
    for name, url in urls.items():
        at = read_url(url, f"the URL of {name}")
        if bool(certificates[name]) != bool(keys[name]):
            raise WrongUse("--cert and --key belong together", "give both the certificate and its private key")
        if at.scheme == "http" and (cas[name] or certificates[name]):
            raise WrongUse(
                f"--ca, --cert and --key are for TLS, and the URL of {name} is plain http",
                "write https://, or give them for one URL only, as in --cert NAME=FILE",
            )
        if (PORT in url) != bool(starts[name]):
            have, need = (PORT, "--start") if PORT in url else ("--start", PORT)
            raise WrongUse(
                f"{name} has {have} but no {need}",
                f"as in --baseline 'http://127.0.0.1:{PORT}/' --start baseline='CMD {PORT}'",
            )
        if starts[name] and (at.hostname not in _LOOPBACK or not at.netloc.endswith(":1")):
            raise WrongUse(f"the server of --start {name} runs on this machine", f"use http://127.0.0.1:{PORT}/")
        services[name] = HttpService(
            name=name,
            url=url,
            method=methods.get(name, "GET"),
            headers=tuple(headers[name]),
            header_files=tuple(files[name]),
            body=bodies[name],
            statuses=tuple(statuses[name]),
            ca=cas[name],
            certificate=certificates[name],
            key=keys[name],
            start=starts[name],
        )
    if options.get("fresh") and not any(starts.values()):
        raise WrongUse("--fresh needs --start", "remove it, or add --start NAME='CMD'")
    return services


def timeout_s(options: Mapping[str, tuple[str, ...]]) -> float:
    """Time limit of a request. Raises `WrongUse`."""
    return option_seconds(options, "timeout", _TIMEOUT_S, (0.001, _LONGEST_S), "--timeout 10s")


def read_headers(path: str) -> tuple[tuple[str, str], ...]:
    """Read headers from a file, one per line. Raises `WrongUse`."""
    try:
        lines = Path(path).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"--header @{path} cannot be read as text", "give a file with one header per line") from error
    return tuple(read_header(line, f"a line of {path}") for line in lines if line.strip())


def _method(text: str) -> str:
    if not _METHOD.fullmatch(text) or text in ("CONNECT", "TRACE"):
        raise WrongUse(f"--method {text!r} is not supported", "use GET, HEAD, POST, PUT, PATCH or DELETE")
    return text


def _status(text: str) -> int:
    if not re.fullmatch(r"[2-5]\d\d", text):
        raise WrongUse(f"--status {text!r} is not an HTTP status", "give a number from 200 to 599, as in --status 403")
    return int(text)


def _starts(options: Mapping[str, tuple[str, ...]], names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    starts: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for typed in options.get("start", ()):
        name, text = split_name(typed)
        if name not in names:
            raise WrongUse(f"--start {name or typed!r}: there is no such URL", did_you_mean(name, names))
        if starts[name]:
            raise WrongUse(f"--start is given twice for {name!r}", "one command serves one URL")
        if (syntax := shell_syntax(text.replace(PORT, "1"))) is not None:
            raise WrongUse(
                f"--start {name} contains {syntax!r}, which needs a shell, and commands run without one",
                f"put it in a script: --start {name}='./script {PORT}'",
            )
        try:
            starts[name] = tuple(shlex.split(text))
        except ValueError as error:
            raise WrongUse(f"--start {name} is badly quoted", "balance the quotes") from error
        if not starts[name]:
            raise WrongUse(f"--start {name} is empty", f"as in --start {name}='./server {PORT}'")
    return starts
