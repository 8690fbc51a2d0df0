"""Makes the operations of the layer `primitive` ready, whatever the scheme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cryptography.exceptions import InvalidSignature

from sectax_probe import jose
from sectax_probe.operation import Call, Operation, accepted_by
from sectax_probe.treatment import Treatment

_REFUSALS = (InvalidSignature,)
# A token that is none, or a signature that cannot be brought into cryptography's form, is refused as well.
_REFUSALS_OF_A_TOKEN = (InvalidSignature, jose.Malformed)


def sign(treatment: Treatment) -> Operation:
    """A signature over `signing_input`.

    Raises:
        Failed, Skipped: as the inputs deserve.
    """
    scheme = _scheme(treatment)
    key, witnesses = _key(treatment, "private_key_pem")
    public, _ = _key(treatment, "public_key_pem")
    data = treatment.ascii_input("signing_input")
    call = scheme.parsing_signer(key, data) if treatment.per_call else scheme.signer(key, data)

    def artefact() -> str:
        signature = call()
        assert isinstance(signature, bytes)
        return f"{data.decode()}.{jose.encode(scheme.to_jose(signature))}"

    return Operation(
        call=call,
        witnesses=witnesses,
        constant_size=scheme.constant_size,
        artefact=artefact,
        accepts=accepted_by(_verifier(treatment, scheme, public), _REFUSALS_OF_A_TOKEN),
    )


def verify(treatment: Treatment) -> Operation:
    """The signature of `token`.

    Raises:
        Failed, Skipped: as the inputs deserve.
        Malformed: the token is none.
    """
    scheme = _scheme(treatment)
    key, witnesses = _key(treatment, "public_key_pem")
    token = treatment.input("token")
    verifier = _verifier(treatment, scheme, key)
    return Operation(
        call=verifier(token),
        witnesses=witnesses,
        refusals=_REFUSALS,
        accepts=accepted_by(verifier, _REFUSALS_OF_A_TOKEN),
        token=token,
    )


def _scheme(treatment: Treatment) -> Any:
    """Import and make the scheme of the algorithm, and no other; its verifiers raise `InvalidSignature`."""
    if treatment.algorithm.scheme == "hmac":
        from sectax_probe.primitive.hmac import Hmac

        return Hmac(treatment.algorithm.hash)
    from sectax_probe.primitive.signatures import Signatures

    return Signatures(treatment.algorithm)


def _verifier(treatment: Treatment, scheme: Any, key: Any) -> Callable[[str], Call]:
    make = scheme.parsing_verifier if treatment.per_call else scheme.verifier

    def verifier(token: str) -> Call:
        parts = jose.parse(token)
        call: Call = make(key, scheme.from_jose(parts.signature), parts.signing_input)
        return call

    return verifier


def _key(treatment: Treatment, name: str) -> tuple[Any, dict[str, str | int]]:
    """Give the key object, or the PEM that every call parses, and what the object says of itself."""
    implementation = {"implementation": "cryptography/openssl"}
    if treatment.algorithm.key_type == "oct":
        secret = treatment.secret()
        return secret, {"key_type": "oct", "key_bits": 8 * len(secret), **implementation}
    from sectax_probe import keys

    key = keys.private_key(treatment) if name == "private_key_pem" else keys.public_key(treatment)
    witnesses = {**keys.describe(key), **implementation}
    return treatment.ascii_input(name) if treatment.per_call else key, witnesses
