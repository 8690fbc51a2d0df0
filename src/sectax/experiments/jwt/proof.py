"""Check that languages accept each other's tokens and judge Wycheproof's.

Each block checks every subject against the referee; this also finds libraries whose tokens only they accept.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from sectax.experiments.jwt import wycheproof
from sectax.experiments.jwt.keys import ALGORITHMS
from sectax.experiments.jwt.referee import tampered
from sectax.experiments.on_probe.conversation import Conversation, ProbeProgram
from sectax.experiments.on_probe.failures import PROBE_ERRORS
from sectax.model.environment import FLAW, PROOF
from sectax.parts import probes
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped

_PATIENCE_S = 30.0
_SHOWN = 8
_WYCHEPROOF = "Wycheproof's"
Inputs = Mapping[str, Mapping[str, str]]  # algorithm -> a probe's inputs


@dataclass
class _Proof:
    languages: Collection[str]
    layers: Collection[str]
    inputs: Inputs
    tokens: dict[tuple[str, str, str], str] = field(default_factory=dict)  # language, layer, algorithm -> token
    verified: int = 0
    vectors: set[int] = field(default_factory=set)
    flaws: list[str] = field(default_factory=list)
    signers: set[str] = field(default_factory=set)

    def sign(self, language: str, conversation: Conversation) -> None:
        """Collect the tokens of a language."""
        self.signers.add(language)
        for algorithm, layer in itertools.product(self.inputs, self.layers):
            if _ready(conversation, "sign", algorithm, layer, self.inputs[algorithm]):
                token = conversation.witness([]).artefact
                if token is not None:
                    self.tokens[language, layer, algorithm] = token

    def verify(self, language: str, conversation: Conversation) -> None:
        """Let a language verify all tokens, including its own."""
        for algorithm, layer in itertools.product(self.inputs, self.layers):
            shown = {key: token for key, token in self.tokens.items() if key[2] == algorithm}
            if not shown or not _ready(conversation, "verify", algorithm, layer, self.inputs[algorithm]):
                continue
            present = [text for token in shown.values() for text in (token, *tampered(token))]
            accepted = conversation.witness(present).accepted
            per_token = len(present) // len(shown)
            for index, (signer, signer_layer, _) in enumerate(shown):
                genuine, *wrong = accepted[index * per_token : (index + 1) * per_token]
                token_name = f"{algorithm} of {signer} ({signer_layer})"
                if not genuine:
                    self.flaws.append(f"{language} ({layer}) refuses {token_name}")
                if any(wrong):
                    self.flaws.append(f"{language} ({layer}) accepts a changed token: {token_name}")
                self.verified += 1

    def judge(self, language: str, conversation: Conversation) -> None:
        """Let a language judge Wycheproof's vectors for the algorithms of the run."""
        names = {ALGORITHMS[algorithm].protocol_name for algorithm in self.inputs}
        wrong: dict[str, list[int]] = {}
        for case in wycheproof.cases():
            if case.parameters["algorithm"] not in names or case.vectors is None:
                continue
            if not _can_prepare(conversation, case.operation, case.parameters, case.inputs):
                continue
            vectors = case.vectors.vectors
            accepted = conversation.witness([token for _, token, _ in vectors]).accepted
            for (number, _, valid), answer in zip(vectors, accepted, strict=True):
                self.vectors.add(number)
                if valid is not answer:
                    wrong.setdefault("accepts (invalid)" if answer else "refuses (valid)", []).append(number)
        for verb, numbers in wrong.items():
            more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
            shown = ", ".join(map(str, numbers[:_SHOWN]))
            self.flaws.append(f"{language} {verb} {_WYCHEPROOF} {shown}{more}")

    def words(self) -> dict[str, str]:
        words = {f"{FLAW}{number}": text for number, text in enumerate(self.flaws, start=1)}
        if self.verified:
            words[f"{PROOF}tokens"] = (
                f"{len(self.tokens)} tokens of {', '.join(sorted(self.signers))}: {self.verified} verifications across "
                f"languages and layers, each with two changed copies: {_summary(self.flaws, wycheproof=False)}"
            )
        if self.vectors:
            words[f"{PROOF}vectors"] = (
                f"{len(self.vectors)} of Wycheproof's vectors with each language's primitive: "
                f"{_summary(self.flaws, wycheproof=True)}"
            )
        return words


def prove(languages: Collection[str], layers: Collection[str], inputs: Inputs) -> dict[str, str]:
    """Run the checks and return their results as circumstances of the run.

    Skips probes that fail; the run reports them.
    """
    proof = _Proof(languages, layers, inputs)
    with contextlib.ExitStack() as stack:
        conversations = dict(_conversations(languages, stack))
        for step in (proof.sign, proof.verify, proof.judge):
            for language, conversation in conversations.items():
                with contextlib.suppress(*PROBE_ERRORS):
                    step(language, conversation)
    return proof.words()


def _conversations(languages: Collection[str], stack: contextlib.ExitStack) -> Iterator[tuple[str, Conversation]]:
    for language in languages:
        probe = probes.load(language)
        with contextlib.suppress(*PROBE_ERRORS):
            conversation = ProbeProgram(probe.command(), probe.folder, _PATIENCE_S).start()
            stack.callback(conversation.child.kill)
            conversation.hello()
            yield language.partition("=")[0], conversation


def _ready(conversation: Conversation, operation: str, algorithm: str, layer: str, inputs: Mapping[str, str]) -> bool:
    parameters = {"algorithm": ALGORITHMS[algorithm].protocol_name, "layer": layer, "key_use": "parsed-once"}
    return _can_prepare(conversation, operation, parameters, inputs)


def _can_prepare(
    conversation: Conversation, operation: str, parameters: Mapping[str, str], inputs: Mapping[str, str]
) -> bool:
    try:
        conversation.prepare(operation, dict(parameters), dict(inputs))
    except (AnsweredSkipped, AnsweredFailed):
        return False
    return True


def _summary(flaws: list[str], *, wycheproof: bool) -> str:
    return "some wrong" if any((_WYCHEPROOF in flaw) is wycheproof for flaw in flaws) else "all correct"
