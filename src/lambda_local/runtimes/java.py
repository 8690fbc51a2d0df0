"""Finds a Java for a Lambda function and fetches AWS's runtime client for it into the cache."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from lambda_local.errors import SetUpFailed
from lambda_local.instances.programs import CLIENT, LANG, Runtime
from lambda_local.runtimes import installing
from lambda_local.runtimes.installing import Missing, version_of
from lambda_local.sandbox import Mount

_POM = Path(__file__).parent / "java_client" / "pom.xml"
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
# Of the files that pom.xml names; `sha256sum` of what Maven Central has.
SUMS = {
    "aws-lambda-java-core-1.2.3.jar": "59e36aa26029fbb8f542b023fff86422a5577105764d31839b56d495d73faa5c",
    "aws-lambda-java-runtime-interface-client-2.6.0.jar": (
        "7b503b4b891e259df5268d298f3ad04991675872c035e8997a18027a7ed35941"
    ),
    "aws-lambda-java-serialization-1.1.2.jar": "4568d203fa57edf9944df9ae7f6171751aebb2d514f722b98d25b07772a597ec",
}


_WITH_C1 = 17  # and later: AWS Lambda Developer Guide, "Customize Java runtime startup behavior"
# As printed by a function in Lambda itself, for Java 8, 11 and 17 at 128 to 10240 MB: the folder `data` of
# https://github.com/sigpwned/the-lambda-iceberg-dissecting-the-official-java-runtimes. The heap is 85 % of the
# memory; of less than 200 MB the JVM takes the other percentage.
_HEAP = ("-XX:MaxRAMPercentage=85", "-XX:MinRAMPercentage=85", "-XX:+UseSerialGC")
_MAIN = "com.amazonaws.services.lambda.runtime.api.client.AWSLambda"


def find(name: str) -> Runtime:
    """What runs functions of this runtime ('java17'). Raises `SetUpFailed` where there is no such Java."""
    major = name.removeprefix("java")
    compiler = "-XX:TieredStopAtLevel=1" if int(major) >= _WITH_C1 else "-XX:-TieredCompilation"
    argv = (f"{LANG}/bin/java", *_HEAP, compiler, "-cp", f"{CLIENT}/*", _MAIN)
    mounts = (Mount(_home_of(name), LANG), Mount(_folder(), CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}", f"java:{major}")


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name. Raises `SetUpFailed` where there is no such Java."""
    _home_of(name)
    if installing.is_complete(_folder()):
        return None
    if shutil.which("mvn") is None:
        return Missing("mvn is not installed; it fetches AWS's runtime client", "apt-get install maven", ("maven",))
    said = "AWS's runtime client for Java is not installed"
    return Missing(said, f"python -m lambda_local setup {name}", makable=True)


def install(name: str) -> None:
    """Fetch AWS's runtime client: 6 MB, and what Maven needs for it. Raises `SetUpFailed`."""
    _home_of(name)
    installing.make_once(_folder(), fetch)


def fetch(folder: Path) -> None:
    """Have Maven put the client's archives into a new folder, and hold them to their sums."""
    folder.mkdir()
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(_POM), _COPY, f"-DoutputDirectory={folder}"]
    installing.run(command, "AWS's runtime client for Java could not be fetched")
    for path in folder.iterdir():
        if SUMS.get(path.name) != hashlib.sha256(path.read_bytes()).hexdigest():
            raise SetUpFailed(
                f"{path.name} is not what Maven Central has: its SHA-256 differs",
                "delete it from Maven's repository (~/.m2/repository/com/amazonaws), check its mirrors, then try again",
            )
    lacking = SUMS.keys() - {path.name for path in folder.iterdir()}
    if lacking:
        raise SetUpFailed(f"Maven did not bring {', '.join(sorted(lacking))}", "try again")


def _folder() -> Path:
    return installing.place("java", _POM.read_bytes(), repr(sorted(SUMS.items())).encode())


def here() -> str | None:
    """The runtime that this machine's Java gives, e.g. `java17`; None where there is none."""
    program = shutil.which("java")
    major = program and version_of(program, "-version", r'version "(\d+)')
    return f"java{major}" if major else None


def _home_of(name: str) -> Path:
    """The folder of the Java of this runtime."""
    own = here()
    program = shutil.which("java")
    if own is None or program is None:
        raise SetUpFailed("java is not installed", f"install Java {name.removeprefix('java')} and put it on PATH")
    if own != name:
        raise SetUpFailed(f"the Java on PATH gives {own}", f"use {own}, or put another Java on PATH")
    return Path(program).resolve().parents[1]
