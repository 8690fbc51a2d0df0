"""`sign` and `verify`, with the levels of jwt: the way from the names in a request to an operation."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sectax_probe import jose
from sectax_probe.algorithms import ALGORITHMS, Algorithm
from sectax_probe.kit.timing import Failed, Operation, Skipped, Witnesses

PARAMETERS = {
    "algorithm": list(ALGORITHMS),
    "key_use": ["parsed-once", "parsed-per-call"],
    "layer": ["primitive", "library"],
}


def prepare(operation: str, parameters: Mapping[str, str], inputs: Mapping[str, str]) -> Operation:
    algorithm = ALGORITHMS.get(parameters["algorithm"])
    if algorithm is None:  # others may have it
        raise Skipped("not in cryptography")
    per_call = parameters["key_use"] == "parsed-per-call"
    layer = import_module(f"sectax_probe.{parameters['layer']}")  # and not the other
    implementation = {"implementation": layer.implementation(algorithm)}
    public, witnesses = _key(algorithm, per_call, inputs, "public_key_pem")
    verifier = layer.verifier(algorithm, public, per_call)

    def takes(token: str) -> object:
        return verifier(token)()

    if operation == "verify":
        token = text(inputs, "token")
        jose.parse(token)
        return Operation(
            call=verifier(token),
            witnesses=witnesses | implementation,
            refusals=layer.REFUSALS,
            takes=takes,
            read_back=lambda artefact: jose.read_back(token),
        )
    private, witnesses = _key(algorithm, per_call, inputs, "private_key_pem")
    call, artefact = layer.signer(algorithm, private, per_call, inputs)
    return Operation(
        call=call,
        witnesses=witnesses | implementation,
        refusals=layer.REFUSALS,
        # The length of DER varies with r and s; in a JWS even ECDSA's signature has one length.
        constant_size=algorithm.scheme != "ecdsa" or parameters["layer"] == "library",
        artefact=artefact,
        takes=takes,
        read_back=jose.read_back,
    )


def text(inputs: Mapping[str, str], name: str) -> str:
    if not inputs.get(name):
        raise Failed(f"the input {name!r} is missing")
    return inputs[name]


def _key(algorithm: Algorithm, per_call: bool, inputs: Mapping[str, str], name: str) -> tuple[Any, Witnesses]:
    """Give the key object, or the PEM that every call parses, and what the object says of itself."""
    if algorithm.key_type == "oct":
        if per_call:
            raise Skipped(f"the key of {algorithm.name} is plain bytes: there is nothing to parse")
        try:
            secret = jose.decode(text(inputs, "secret"))
        except jose.Malformed as error:
            raise Failed(f"the input 'secret' is {error}") from None
        return secret, {"key_type": "oct", "key_bits": 8 * len(secret)}
    from sectax_probe import keys

    pem = text(inputs, name)
    key, witnesses = keys.read(algorithm, name, pem)
    return pem if per_call else key, witnesses
