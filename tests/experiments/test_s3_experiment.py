"""The plan of the experiment s3: its presets, what it refuses, and what it knows of AWS."""

from __future__ import annotations

import pytest

from sectax import published as reader
from sectax.experiments.s3.experiment import EXPERIMENT, uses
from sectax.experiments.s3.levels import size_bytes, size_levels
from sectax.model.bill import Usage
from sectax.model.plan import OTHERS, Plan
from sectax.model.treatment import Role
from tests.experiments.plans import planner, primary

plan = planner("s3")


def counted(made: Plan) -> int:
    return sum(treatment.role in (Role.BASELINE, Role.TREATMENT) for treatment in made.treatments)


def test_the_published_preset_has_the_48_cells_of_the_study() -> None:
    made = plan("published")

    assert counted(made) == 48
    assert {treatment.levels["encryption"] for treatment in made.treatments} == {"none", "sse-s3"}
    assert not made.skipped


def test_every_label_of_the_study_is_a_level_of_ours() -> None:
    study = reader.load("s3-default-encryption")
    ours = {factor.name: factor.levels for factor in plan("published").factors}

    for theirs, labels in study.counterpart.labels.items():
        assert set(labels.values()) == set(ours[study.counterpart.factors[theirs]])


def test_quick_compares_all_server_side_kinds_over_tls() -> None:
    made = plan("quick")

    assert counted(made) == 16
    assert {treatment.levels["transfer"] for treatment in made.treatments} == {"tls"}
    assert {treatment.levels["encryption"] for treatment in made.treatments} == {"none", "sse-s3", "sse-kms", "sse-c"}


def test_sse_c_without_tls_and_bucket_keys_on_minio_are_skipped_with_a_reason() -> None:
    made = plan(operation="get", size="10KB", transfer="plain,tls", encryption="all")

    reasons = {(skipped.levels["transfer"], skipped.levels["encryption"]): skipped.reason for skipped in made.skipped}
    assert "TLS" in reasons["plain", "sse-c"]
    assert "bucket keys" in reasons["tls", "sse-kms-bucket-key"]
    assert ("tls", "sse-c") not in reasons


def test_on_aws_the_baseline_is_what_aws_does_to_every_object() -> None:
    made = plan("quick", {"endpoint": ("aws",)})
    asked = plan("quick", {"endpoint": ("aws",)}, encryption="none,sse-s3,sse-kms")

    assert {made.treatment(cell.baseline).levels["encryption"] for cell in made.cells} == {"sse-s3"}
    assert "none" not in {treatment.levels["encryption"] for treatment in made.treatments}
    assert {treatment.levels["encryption"] for treatment in asked.skipped} == {"none"}


def test_parts_need_more_than_one_part() -> None:
    made = plan(operation="put", size="1MB,100MB", upload="single,multipart", encryption="none,sse-s3", transfer="tls")

    assert {treatment.levels["size"] for treatment in made.skipped} == {"1MB"}
    assert counted(made) == 6


def test_only_what_moves_a_body_is_a_primary_comparison() -> None:
    made = plan("published")

    assert primary(made, "operation") <= {"put", "get"}
    assert made.contents.metadata == ("delete", "head")


@pytest.mark.parametrize(
    ("level", "size"), [("0B", 0), ("10KB", 10_000), ("1KiB", 1024), ("1GiB", 2**30), ("7", 7), ("2MB", 2_000_000)]
)
def test_sizes_are_read_as_they_are_written(level: str, size: int) -> None:
    assert size_bytes(level) == size


def test_sizes_come_smallest_first_and_once() -> None:
    assert size_levels(("1MB", "10KB", "1KiB", "10KB")) == ("1KiB", "10KB", "1MB")


def test_the_speed_of_the_link_is_what_no_body_may_pass() -> None:
    made = plan("quick", {"link": ("2.5Gbit/s",)})

    assert made.contents.bytes_s == {"get": 312.5e6, "put": 312.5e6}


def test_a_schedule_has_more_than_one_connection_unless_told_otherwise() -> None:
    def loads(**levels: str) -> set[tuple[str, str]]:
        made = plan("quick", operation="get", size="10KB", **levels)
        return {(treatment.levels["load"], treatment.levels["concurrency"]) for treatment in made.treatments}

    assert loads(load="closed,50/s") == {("closed", "16"), ("50/s", "16")}
    assert loads(load="50/s", concurrency="2") == {("50/s", "2")}


@pytest.mark.parametrize("preset", ["quick", "default", "published"])
def test_clients_take_turns_operation_by_operation_beside_their_server(preset: str) -> None:
    made = plan(preset)

    assert made.times_one_by_one
    assert made.chooses_rounds
    assert (made.one_processor, made.services_on) == (True, OTHERS)


@pytest.mark.parametrize("levels", [{"concurrency": "8"}, {"load": "50/s"}])
def test_operations_that_overlap_need_longer_turns_and_more_than_one_processor(levels: dict[str, str]) -> None:
    made = plan(**levels)

    assert not made.times_one_by_one
    assert not made.one_processor


def test_a_known_cost_is_added_only_where_no_operation_waits_for_another() -> None:
    made = plan(operation="get", size="10KB", concurrency="1,8")
    families = {cell.id: cell.family for cell in made.cells}
    controls = {(families[treatment.cell], treatment.role) for treatment in made.treatments if "#" in treatment.id}

    assert controls == {("go", Role.NEGATIVE), ("go", Role.POSITIVE), ("go, 8 at once", Role.NEGATIVE)}
    assert Role.POSITIVE in {treatment.role for treatment in plan(load="50/s").treatments}


def test_kms_is_asked_for_every_object_unless_the_bucket_has_a_key() -> None:
    levels = {"operation": "get", "encryption": "sse-kms", "upload": "single", "size": "10KB"}
    amounts = {way: {usage.item: usage.amount for usage in usages} for way, usages in uses(1_000_000, levels).items()}

    assert amounts == {
        "without a bucket key": {"s3.get": 1_000_000, "kms.requests": 1_000_000},
        "with a bucket key": {"s3.get": 1_000_000, "kms.requests": 10_000},
    }
    assert uses(1, levels | {"encryption": "sse-s3"}) == {"": (Usage("s3.get", 1),)}
    assert uses(1, levels | {"operation": "head"}) == {"": (Usage("s3.get", 1),)}
    assert uses(1, levels | {"operation": "delete"}) == {"": ()}


def test_a_multipart_upload_is_a_request_for_each_part_and_two_more() -> None:
    levels = {"operation": "put", "encryption": "sse-kms-bucket-key", "upload": "multipart", "size": "20MiB"}

    assert uses(1, levels) == {"with a bucket key": (Usage("s3.put", 5), Usage("kms.requests", 0.05))}


def test_what_is_assumed_of_the_kms_requests_of_parts_is_reported_where_there_are_parts() -> None:
    single, multipart = (
        EXPERIMENT.advice_rules(plan(operation="put", size="100MB", upload=upload, encryption="none,sse-kms"))
        for upload in ("single", "multipart")
    )

    assert "multipart" not in single.choice.weigh
    assert "multipart" in multipart.choice.weigh
