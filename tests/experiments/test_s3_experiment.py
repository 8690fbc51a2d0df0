"""The plan of the experiment s3: its presets, what it refuses, and what it knows of AWS."""

from __future__ import annotations

import pytest

from sectax.experiments import registry
from sectax.experiments.s3.experiment import uses
from sectax.model.bill import Usage
from sectax.model.errors import WrongUse
from sectax.model.plan import OTHERS, Plan
from sectax.model.treatment import Role, Standing
from tests.experiments.plans import planner, primary
from tests.machines import request_for

plan = planner("s3")


def counted(made: Plan) -> int:
    return sum(treatment.role in (Role.BASELINE, Role.TREATMENT) for treatment in made.treatments)


def test_the_published_preset_has_the_48_cells_of_the_study() -> None:
    made = plan("published")

    assert counted(made) == 48
    assert {treatment.levels["encryption"] for treatment in made.treatments} == {"none", "sse-s3"}
    assert not made.skipped


def servers(made: Plan) -> set[str]:
    return {treatment.levels["server"] for treatment in made.treatments}


def test_the_server_is_seaweedfs_unless_another_is_named() -> None:
    assert servers(plan("quick")) == servers(plan("published")) == {"seaweedfs"}
    assert servers(plan("quick", server="minio")) == {"minio"}
    assert servers(plan("quick", server="all")) == {"seaweedfs", "minio"}


@pytest.mark.parametrize(("server", "named"), [("seaweedfs", "SeaweedFS"), ("minio", "MinIO")])
def test_a_published_run_says_which_server_it_uses(server: str, named: str) -> None:
    assert f"{named} on this machine" in plan("published", server=server).choices[0]


def test_two_servers_are_two_families_with_as_many_main_comparisons_each() -> None:
    both, one = plan("quick", server="all"), plan("quick")

    assert {cell.family for cell in both.cells} == {"go, seaweedfs", "go, minio"}
    assert sum(comparison.standing is Standing.PRIMARY for comparison in both.comparisons) == 2 * sum(
        comparison.standing is Standing.PRIMARY for comparison in one.comparisons
    )
    assert "SeaweedFS or MinIO" in both.transfers
    assert ("MD5" in both.transfers) > ("MD5" in one.transfers)


def test_only_the_named_servers_are_set_up() -> None:
    s3 = registry.load("s3")

    assert s3.requirements() == s3.level_requirements({}) == ("s3:seaweedfs", "s3:client")
    assert s3.level_requirements({"server": ("minio",)}) == ("s3:minio", "s3:client")
    assert s3.wants(request_for("quick", options={"endpoint": ("aws",)})).parts == ("s3:client",)
    with pytest.raises(WrongUse, match="'nope'"):
        s3.level_requirements({"server": ("nope",)})


def test_a_service_at_an_address_has_no_local_server() -> None:
    assert "server" not in plan("quick", {"endpoint": ("https://s3.example.org",)}).treatments[0].levels
    with pytest.raises(WrongUse, match="--endpoint"):
        plan("quick", {"endpoint": ("aws",)}, server="minio")


@pytest.mark.parametrize("server", ["seaweedfs", "minio"])
def test_sse_c_without_tls_and_bucket_keys_are_skipped_with_a_reason(server: str) -> None:
    made = plan(operation="get", size="10KB", transfer="plain,tls", encryption="all", server=server)

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


def test_only_what_moves_a_body_is_a_primary_comparison() -> None:
    made = plan("published")

    assert primary(made, "operation") <= {"put", "get"}
    assert made.contents.metadata == ("delete", "head")


def test_the_speed_of_the_link_is_what_no_body_may_pass() -> None:
    made = plan("quick", {"link": ("2.5Gbit/s",)})

    assert made.contents.bytes_s == {"get": 312.5e6, "put": 312.5e6}


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


def test_kms_is_asked_for_every_object_unless_the_bucket_has_a_key(agreed) -> None:
    levels = {"operation": "get", "encryption": "sse-kms", "upload": "single", "size": "10KB"}
    amounts = {way: {usage.item: usage.amount for usage in usages} for way, usages in uses(1_000_000, levels).items()}

    assert list(amounts.values()) == [
        {"s3.get": 1_000_000, "kms.requests": 1_000_000},
        {"s3.get": 1_000_000, "kms.requests": 10_000},
    ]
    agreed(*amounts)
    assert uses(1, levels | {"encryption": "sse-s3"}) == {"": (Usage("s3.get", 1),)}
    assert uses(1, levels | {"operation": "head"}) == {"": (Usage("s3.get", 1),)}
    assert uses(1, levels | {"operation": "delete"}) == {"": ()}


def test_a_multipart_upload_is_a_request_for_each_part_and_two_more() -> None:
    levels = {"operation": "put", "encryption": "sse-kms-bucket-key", "upload": "multipart", "size": "20MiB"}

    assert list(uses(1, levels).values()) == [(Usage("s3.put", 5), Usage("kms.requests", 0.05))]
