"""The experiment: design, metrics, and advice with AWS's prices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from sectax.design.matrix import MOST_PRIMARY
from sectax.experiments.advice import cost_rows, dependence_rows, growth_rows
from sectax.experiments.client_server import load
from sectax.experiments.client_server.endpoint import AWS, LOCAL
from sectax.experiments.client_server.metrics import CLIENT_CPU, FIRST_BYTE, LATENCY, SERVER_CPU, TAILS
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest, Wanted
from sectax.experiments.levels import choose
from sectax.experiments.named import FOLDER
from sectax.experiments.s3 import levels as s3
from sectax.experiments.s3 import parts
from sectax.experiments.s3.servers import SERVERS
from sectax.experiments.s3.service_options import OPTIONS, S3Options, read_where
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, Usage
from sectax.model.errors import WrongUse
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import OTHERS, SERVICE, Contents, Plan, Shortcut
from sectax.model.treatment import Factor
from sectax.model.why_not import WhyNot

_COSTS = {
    "latency": "latency",
    "first_byte": "latency to the first byte",
    "client_cpu": "CPU time of the client",
    "server_cpu": "CPU time of the server",
    "disk_bytes": "bytes on disk",
}
_KMS = "kms.requests"
_ONLY = ""
_WITHOUT, _WITH = "without a bucket key", "with a bucket key"
# Best case, "by up to 99 percent": Amazon S3 User Guide, 'Reducing the cost of SSE-KMS with Amazon S3 Bucket Keys'.
_BUCKET_KEY_SHARE = 0.01
_ITEMS = {"put": "s3.put", "get": "s3.get", "head": "s3.get"}  # DELETE is free


def uses(operations: int, levels: Mapping[str, str]) -> dict[str, tuple[Usage, ...]]:
    """Requests to S3 and KMS, one of KMS for each that needs the key.

    All requests of a multipart upload do (Amazon S3 API Reference, 'CreateMultipartUpload', 'UploadPart' and
    'CompleteMultipartUpload': Permissions). The actual number of KMS requests is not documented.
    """
    operation, encryption = levels["operation"], s3.ENCRYPTIONS[levels["encryption"]]
    item = _ITEMS.get(operation)
    number = operations * _requests(levels)
    requests = (Usage(item, number),) if item else ()
    if not encryption.kms or operation not in ("put", "get"):
        return {_ONLY: requests}
    ways = {_WITH: _BUCKET_KEY_SHARE} if encryption.bucket_key else {_WITHOUT: 1.0, _WITH: _BUCKET_KEY_SHARE}
    return {way: (*requests, Usage(_KMS, number * share)) for way, share in ways.items()}


def _requests(levels: Mapping[str, str]) -> int:
    if levels["operation"] == "put" and levels["upload"] == s3.MULTIPART:
        return 2 + math.ceil(s3.size_bytes(levels["size"]) / s3.PART_BYTES)  # create, parts, complete
    return 1


_WEIGH = (
    "AWS encrypts every object anyway; a bucket key saves up to 99 % of the KMS requests, and the bill assumes the "
    "best case; storage and traffic are not included"
)
_MULTIPART_NOTE = (
    "; a multipart upload with SSE-KMS is counted as one KMS request per request (create, each part, complete): AWS "
    "documents that each needs the key, but not the number of KMS requests"
)

Levels = dict[str, str]

_METRICS = (
    LATENCY,
    *TAILS,
    Metric("throughput", "B/s", Better.HIGHER, Summary.RATE, "transfer", compared=False),
    FIRST_BYTE,
    Metric("check", "s", Better.LOWER, Summary.MEDIAN, "check", compared=False),
    CLIENT_CPU,
    Metric("client_cpu_per_gb", "s/GB", Better.LOWER, Summary.MEAN, "client_cpu_per_gb", compared=False, cpu=True),
)
_SERVER_METRICS = (
    SERVER_CPU,
    Metric("server_cpu_per_gb", "s/GB", Better.LOWER, Summary.MEAN, "server_cpu_per_gb", compared=False, cpu=True),
    Metric("disk_bytes", "B", Better.LOWER, Summary.MAXIMUM, "disk_bytes", compared=False),
)
_MEMORY = Metric("client_memory", "B", Better.LOWER, Summary.MAXIMUM, "client_memory", compared=False)

# A round of 100 MB objects takes seconds; many rounds of small ones fit into the time to open a client.
_ROUNDS = {"quick": (1, 256), "default": (2, 256), "published": (1, 64)}

_PUBLISHED_CHOICES = (
    "the study used Amazon S3, and this run {servers} on this machine: compare the shape, not seconds",
    "the study's client was a script with aws-sdk v2; here it is aws-sdk-go-v2, or boto3 (--level client=python)",
    "KB and MB are read as 1000 and 1000² bytes",
    "the study's GETs cannot be right: 10,000 times the bytes took 1.1 times as long, since the body was never read; "
    "here every GET reads and checks the whole body",
    "the study did ten PUTs, GETs, HEADs and DELETEs, one object after another; here there are batches in random "
    "order, in fresh processes, and as many blocks as a verdict needs",
)
_LOCAL_TRANSFERS = (
    "The server is {servers} on this machine, and shares its processors with the client: costs in CPU time and bytes "
    "apply to {servers} on similar processors. On AWS you do not pay for the service's CPU time, the network is slower "
    "than loopback, and every object is encrypted anyway: expect smaller ratios."
)
_NO_MD5 = Shortcut(
    ("put",),
    "etag",
    "with this encryption the server need not compute the MD5 of the body",
    "the ETag of an unencrypted object is the MD5 of its body; with this encryption it is not, so some servers do "
    "not compute it. On processors with AES instructions, MD5 takes longer than AES-256-GCM: the server encrypts, and "
    "still has less work",
)
_AWS_TRANSFERS = (
    "It applies to this region, network path and time of day. The baseline is SSE-S3, which AWS always does."
)
_UNPROVEN = " Encryption is claimed by the service, and not proven."
_TRANSFERS = "It applies to the service at this address and the network path to it."


class S3Experiment(Experiment):
    """Objects with each kind of encryption compared with unencrypted ones."""

    name = "s3"
    title = "What does bucket encryption cost my client?"
    presets = ("default", "quick", "published")
    factors = s3.FACTORS
    options = OPTIONS
    budgets_s: Mapping[str, float] = {"quick": 80.0, "default": 400.0, "published": 540.0}

    def wants(self, request: RunRequest) -> Wanted:
        is_local = read_where(request.options).endpoint == LOCAL
        return Wanted(parts=self.level_requirements(request.levels if is_local else {})[not is_local :])

    def design(self, request: RunRequest, machine: Machine) -> Design:
        options = dict(request.options) | {FOLDER: (machine.folder,)}
        where = read_where(options)
        preset = s3.PRESETS[request.preset]
        if where.endpoint == AWS:
            preset = preset | {"encryption": _without_none(preset)}
        if where.endpoint != LOCAL:
            preset = preset | {"transfer": (where.transfer,)}
        go_lack = machine.lacks(parts.CLIENT)
        preset = preset | {"client": (s3.GO if go_lack is None else s3.PYTHON,)}
        if any(map(load.target_rate, load.load_levels(request.levels.get("load", (load.CLOSED,))))):
            preset = preset | {"concurrency": (load.OPEN_CONCURRENCY,)}
        factors = choose(_available_factors(request, preset, where), preset, request.levels)
        servers = _levels(factors, s3.SERVER.name) if where.endpoint == LOCAL else ()
        named = " or ".join(SERVERS[server].title for server in servers)
        clients = load.client_count(options)
        load.check_shares(clients, _levels(factors, "concurrency"), _levels(factors, "load"))
        return Design(
            factors=factors,
            control="encryption",
            baseline=where.baseline,
            metrics=(*_METRICS, *(_SERVER_METRICS if where.endpoint == LOCAL else ()), _MEMORY),
            rules=Rules(
                family=lambda levels: _family(levels, servers),
                # Each server is a separate question.
                most_primary=MOST_PRIMARY * max(1, len(servers)),
                # A delay added to operations that wait for each other shows several times, or never.
                positive=lambda levels: load.in_flight(levels) == 1,
                lacks=lambda levels: _lacks(levels, where, machine),
                declares=lambda levels: {"encryption_header": s3.ENCRYPTIONS[levels["encryption"]].header},
                # The others move metadata only.
                primary={"operation": ("put", "get")},
                extra_operations=False,
            ),
            transfers=(
                " ".join(
                    (_LOCAL_TRANSFERS.format(servers=named), *filter(None, (SERVERS[own].note for own in servers)))
                )
                if servers
                else (_AWS_TRANSFERS if where.endpoint == AWS else _TRANSFERS) + _UNPROVEN
            )
            + load.clients_note(clients),
            batch_s=0.0 if _one_by_one(factors) else load.OVERLAPPING_S,
            rounds_range=_ROUNDS[request.preset],
            one_processor=_one_by_one(factors),
            services_on=OTHERS,
            # An open client has stored and fetched an object: its connection is warm.
            warms_up=False,
            settles=False,
            options=options,
            choices=_published_choices(named or "the service at its address") if request.preset == "published" else (),
            answered_by=(
                "the answer is latency, to the last byte, which is what a caller waits for; CPU time of client and "
                f"server is shown next to it{_python_note(factors, go_lack)}"
            ),
            beside=("client_cpu", *(("server_cpu",) if where.endpoint == LOCAL else ())),
            contents=Contents(
                size_factor="size",
                sizes={level: s3.size_bytes(level) for level in _levels(factors, "size")},
                operation_factor="operation",
                metadata=tuple(sorted(s3.METADATA)),
                parts={"get": ("head",)},
                bytes_s={"get": where.link_bytes_s, "put": where.link_bytes_s},
            ),
            equal_witnesses=("runtime", "parts", "server"),
            shortcuts=(_NO_MD5,),
            words=s3.WORDS | ({SERVICE: f"{named} on this machine"} if servers else {}),
        )

    def bench(self, plan: Plan) -> Bench:
        from sectax.experiments.s3.bench import S3Bench

        return S3Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        in_parts = any(treatment.levels["upload"] == s3.MULTIPART for treatment in plan.treatments)
        choice = Choice(
            adds=True,
            picks=False,
            explained=(
                ("server_cpu", "CPU time of the server"),
                ("client_cpu", "CPU time of the client"),
                ("first_byte", "the wait for the first byte"),
            ),
            what="requests",
            timed=False,
            uses=lambda count, _, result: uses(count, result.levels),
            weigh=_WEIGH + (_MULTIPART_NOTE if in_parts else ""),
            changes="service or network",
        )
        return AdviceRules(LATENCY.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        yield from cost_rows(analysed, _COSTS)
        yield from dependence_rows(analysed, LATENCY.name, s3.SERVER.name)
        yield from growth_rows(analysed.measured, LATENCY.name)

    def requirements(self) -> tuple[str, ...]:
        return self.level_requirements({})

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        own = {name: asked for name, asked in levels.items() if name == s3.SERVER.name}
        (servers,) = choose((s3.SERVER,), s3.PRESETS["default"], own)
        return (*(parts.SERVERS[server] for server in servers.levels), parts.CLIENT)


def _published_choices(servers: str) -> tuple[str, ...]:
    return tuple(choice.format(servers=servers) for choice in _PUBLISHED_CHOICES)


def _available_factors(
    request: RunRequest, preset: Mapping[str, tuple[str, ...]], where: S3Options
) -> tuple[Factor, ...]:
    """The factors, with requested or preset levels where levels are free. Raises `WrongUse`."""
    if where.endpoint != LOCAL and s3.SERVER.name in request.levels:
        raise WrongUse("--level server names a local server, and --endpoint another service", "remove one of them")
    named = {"size": s3.size_levels, "concurrency": load.concurrency_levels, "load": load.load_levels}
    return tuple(
        Factor(factor.name, named[factor.name](request.levels.get(factor.name, preset[factor.name])))
        if factor.name in named
        else factor
        for factor in s3.FACTORS
        if factor is not s3.SERVER or where.endpoint == LOCAL
    )


def _without_none(preset: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The preset's kinds of encryption for AWS, which always encrypts."""
    wanted = preset.get("encryption", tuple(s3.ENCRYPTIONS))
    return tuple(dict.fromkeys(level for level in (s3.SSE_S3, *wanted) if level != s3.NONE))


def _levels(factors: tuple[Factor, ...], name: str) -> tuple[str, ...]:
    return next(factor.levels for factor in factors if factor.name == name)


def _one_by_one(factors: tuple[Factor, ...]) -> bool:
    return _levels(factors, "concurrency") == ("1",) and _levels(factors, "load") == (load.CLOSED,)


def _family(levels: Levels, servers: tuple[str, ...]) -> str:
    at_once = load.in_flight(levels)
    named = [levels["client"], *(levels[s3.SERVER.name] for _ in servers[1:2]), f"{at_once} at once"]
    return ", ".join(named if at_once > 1 else named[:-1])


def _python_note(factors: tuple[Factor, ...], go_lack: WhyNot | None) -> str:
    if go_lack is None or _levels(factors, "client") != (s3.PYTHON,):
        return ""
    return f"; the client is boto3, since {go_lack.reason} ({go_lack.hint})"


def _lacks(levels: Levels, where: S3Options, machine: Machine) -> Iterable[WhyNot | None]:
    yield where.lacks(levels["transfer"], levels["encryption"])
    if levels["upload"] == s3.MULTIPART and s3.size_bytes(levels["size"]) <= s3.PART_BYTES:
        yield WhyNot("it fits in one part of 8 MiB", f"--level upload={s3.SINGLE}, or a larger size")
    at_once = load.in_flight(levels)
    objects = (load.GENERATIONS + 2) * at_once
    too_large = objects * s3.size_bytes(levels["size"]) > s3.MOST_READY
    if at_once > 1 and levels["operation"] in ("put", "delete") and too_large:
        reason = f"a batch at concurrency {at_once} has {objects} objects, more than 1 GiB"
        yield WhyNot(reason, "use a smaller size or concurrency")
    if where.endpoint == LOCAL:
        server = levels[s3.SERVER.name]
        yield SERVERS[server].lacks(levels["encryption"])
        yield machine.lacks(parts.SERVERS[server])
    if levels["client"] == s3.GO:
        yield machine.lacks(parts.CLIENT)


EXPERIMENT = S3Experiment()
