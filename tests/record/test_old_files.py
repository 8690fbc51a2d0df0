"""Run files of older formats stay readable and can be resumed."""

from __future__ import annotations

import pytest

from sectax.model.errors import BadRecord
from sectax.model.measured import Failure
from sectax.record.schema import FORMAT
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, FORMAT_1, calibrated, create, edit, plan, read, record_block, rows


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run.sectax"
    path.write_bytes(FORMAT_1)
    return path


def test_a_file_without_checksums_reads_as_the_same_run_with_them(path, tmp_path):
    with create(tmp_path / "new.sectax") as writer:
        writer.calibrate(calibrated(plan()))
        for _ in range(3):
            record_block(writer)
        new = writer.measured()
    old = read(path)

    assert old.blocks == (1, 2, 3)
    assert old.plan.skipped[0].hint == "apt install openssl"  # 'mend' in the file
    assert (old.plan, old.calibrated, old.notes, old.state) == (plan(), new.calibrated, ("a note",), "finished")
    assert old.failures == (Failure(0, "sign/EdDSA", "pilot", "skipped", "no sodium", "apt install php-sodium"),)
    assert (old.values, old.counts, old.batches) == (new.values, new.counts, new.batches)
    assert (old.samples, old.shapes, old.telemetry) == (new.samples, new.shapes, new.telemetry)
    assert old.witnesses == new.witnesses


def test_resumed_old_file_has_checksums_of_all_blocks(path):
    old = read(path)
    with RunWriter.reopen(path, ENVIRONMENT) as writer:
        record_block(writer)

    assert read(path).blocks == (1, 2, 3, 4)
    assert read(path).values["first"]["sign/RS256"].items() >= old.values["first"]["sign/RS256"].items()
    assert rows(path, "PRAGMA user_version") == [(FORMAT,)]
    assert rows(path, "SELECT hint FROM skipped") == [("apt install openssl",)]
    assert rows(path, "SELECT block FROM checksum") == [(0,), (1,), (2,), (3,), (4,)]
    assert read(path).plan.skipped == old.plan.skipped
    edit(path, "UPDATE observation SET value = 2 * value WHERE block = 2")
    with pytest.raises(BadRecord, match="block 2"):
        read(path)


def test_damaged_old_file_is_rejected(path):
    damaged = bytearray(FORMAT_1)
    damaged[-4096:] = bytes(4096)
    path.write_bytes(damaged)

    with pytest.raises(BadRecord, match="damaged"):
        read(path)
