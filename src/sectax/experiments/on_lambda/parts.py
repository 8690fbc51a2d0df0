"""Parts that functions need: zips, runtime clients, the local Lambda."""

from __future__ import annotations

from sectax.experiments.on_lambda import functions
from sectax.parts import cache, go, lambda_local
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, Say


def function(name: str) -> Part:
    """`function:NAME/LANGUAGE`: a zip of ours, and its tool-chain."""
    word, _, language = name.partition("/")
    wanted = functions.load(word, language)
    title = f"function {wanted.name} in {wanted.language}"

    def missing() -> Missing | None:
        lack = functions.missing(wanted)
        if lack is not None or cache.is_intact(functions.zip_path(wanted)):
            return lack
        return Missing(f"{title} is not built yet", "sectax setup", makable=True, on_first_use=True)

    def make(say: Say) -> None:
        # Go is the only tool-chain that sectax installs.
        if functions.missing(wanted) is not None:
            go.ensure(go.wanted(wanted.folder / "go.mod"), title, say)
        else:
            say(f"building {title}")
            functions.build(wanted.name, wanted.language)

    return Part(f"function-{wanted.name}-{wanted.language}", title, missing, make, wanted.optional)


def runtime(name: str) -> Part:
    """`lambda-runtime:python3.12`: AWS's client for that language."""
    title = f"AWS's runtime client for {name}"

    def make(say: Say) -> None:
        say(f"installing {title}")
        lambda_local.install(name)

    return Part(f"lambda-runtime-{name}", title, lambda: lambda_local.missing(name), make)


def instances(_: str) -> Part:
    """`lambda`: instances on this machine, checked by starting one, which takes 0.2 s."""

    def missing() -> Missing | None:
        answer = lambda_local.check()
        return Missing(answer.error, answer.hint) if answer.error else None

    return Part("lambda", "the local Lambda", missing)
