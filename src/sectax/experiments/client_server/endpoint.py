"""Where a service is, as `--endpoint` says it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from sectax.model.errors import WrongUse

LOCAL, AWS = "local", "aws"


def read_endpoint(text: str, examples: str) -> SplitResult | None:
    """The address that was given; None for `local` and `aws`.

    Args:
        examples: of addresses, for the hint.
    Raises:
        WrongUse: it is neither, or holds a user's name.
    """
    if text in (LOCAL, AWS):
        return None
    # Not quoted: what stands before it may be a password.
    if "@" in text:
        raise WrongUse("--endpoint holds a user's name", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in its place")
    try:
        address = urlsplit(text)
        is_address = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        is_address = False
    if not is_address or not text.isprintable() or " " in text or address.query or address.fragment:
        raise WrongUse(
            f"--endpoint {text!r} is neither local nor aws, and is not an address",
            f"an address is one as in {examples}",
        )
    return address
