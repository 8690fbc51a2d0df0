"""The option `--endpoint`."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from sectax.model.errors import WrongUse

LOCAL, AWS = "local", "aws"


def read_endpoint(text: str, examples: str) -> SplitResult | None:
    """Parse --endpoint; None for `local` and `aws`.

    Args:
        examples: example addresses for the hint.
    Raises:
        WrongUse: invalid, or with a user name.
    """
    if text in (LOCAL, AWS):
        return None
    # Not quoted: there may be a password before the @.
    if "@" in text:
        raise WrongUse("--endpoint has a user name in it", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
    try:
        address = urlsplit(text)
        is_address = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        is_address = False
    if not is_address or not text.isprintable() or " " in text or address.query or address.fragment:
        raise WrongUse(f"--endpoint {text!r} is not local, aws or an address", f"an address looks like {examples}")
    return address
