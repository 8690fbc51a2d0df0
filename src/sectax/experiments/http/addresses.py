"""Parsing of URLs and headers, without passwords, tokens and query values."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from sectax.experiments.client_server.started_server import PORT
from sectax.model.errors import WrongUse

_HIDDEN = "…"
# Headers whose values are shown; any other may contain a secret.
_SHOWN = frozenset(
    {"accept", "accept-encoding", "accept-language", "cache-control", "content-type", "host", "user-agent"}
)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# Set by the client itself, from the body and the level of the connection.
_OURS = frozenset({"connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer", "expect"})


def read_url(text: str, what: str) -> SplitResult:
    """Parse a URL, maybe with the placeholder `$PORT`. Raises `WrongUse`.

    Args:
        what: its name for messages; the text itself may contain a password.
    """
    hint = "as in http://127.0.0.1:8080/path or https://example.org/"
    try:
        at = urlsplit(text.replace(PORT, "1", 1))
        port = at.port
    except ValueError as error:
        raise WrongUse(f"{what} is not a URL: its host or port cannot be read", hint) from error
    if "://" not in text:
        raise WrongUse(f"{what} has no scheme", "write http:// or https:// before it")
    if at.scheme not in ("http", "https"):
        raise WrongUse(f"{what} does not begin with http:// or https://", hint)
    if not at.hostname or port == 0:
        raise WrongUse(f"{what} has no host, or port 0", hint)
    if any(sign.isspace() or not sign.isprintable() for sign in text):
        raise WrongUse(f"{what} contains spaces or line breaks", "write them as %20 and %0A")
    if at.fragment:
        raise WrongUse(f"{what} has a fragment after '#', which clients do not send", "remove it, or write %23")
    return at


def shown_url(text: str) -> str:
    """Redact user, password and query values of a URL."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return _HIDDEN if {"@", "?"} & set(text) else text
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    path, question, query = rest[len(authority) :].partition("?")
    shown = "&".join(map(_without_value, query.split("&")))
    return f"{scheme}://{authority.rpartition('@')[2]}{path}{question}{shown}"


def _without_value(pair: str) -> str:
    name, separator, value = pair.partition("=")
    if not pair:
        return ""
    return f"{name}={_HIDDEN if value else ''}" if separator else _HIDDEN


def read_header(text: str, what: str) -> tuple[str, str]:
    """Parse a header. Raises `WrongUse` without quoting the value."""
    name, separator, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not separator or not _HEADER_NAME.fullmatch(name):
        raise WrongUse(f"{what} is not NAME: VALUE", "as in 'Accept: text/html', or @FILE with one per line")
    if name.lower() in _OURS:
        raise WrongUse(f"{what}: {name} is set by the client itself", "remove it; see --level connection=new")
    if not value.replace("\t", "").isprintable():
        raise WrongUse(f"{what}: the value of {name} has a line break or a control character", "remove it")
    return name, value


def shown_header(text: str) -> str:
    """Redact a header's value unless it is known to be harmless."""
    name, separator, value = text.partition(":")
    if not separator or text.startswith("@"):
        return text if text.startswith("@") else _HIDDEN
    return text if name.strip().lower() in _SHOWN or not value.strip() else f"{name}: {_HIDDEN}"


def url_secrets(url: str, headers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Strings to redact: passwords, query values, and values of other headers."""
    at = urlsplit(url.replace(PORT, "1", 1))
    values = [value for pair in at.query.split("&") for value in pair.split("=", 1)[1:] or (pair,)]
    hidden = [value for name, value in headers if name.lower() not in _SHOWN]
    # 'Bearer x' is one secret, and so is x.
    hidden += [word for value in hidden for word in value.split()]
    return tuple(filter(None, (at.username, at.password, *values, *hidden)))
