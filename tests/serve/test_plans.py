# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a model is found, or the message says why not."""

import os
import stat

import engine_nets
import kiln
import pytest
from kiln.serve import plans
from kiln.serve.config import ModelConfig
from kiln.serve.request import LoadError


@pytest.fixture(scope="module")
def plan():
    return engine_nets.double()


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(plans.tempfile, "tempdir", str(folder))


def find(plan, **settings):
    return plans.find(ModelConfig(plan, **settings))


def refused(plan, **settings):
    with pytest.raises(LoadError) as caught:
        find(plan, **settings)
    assert str(caught.value).startswith("[serve] ")
    return str(caught.value)


def test_a_file_has_its_stem_as_name(tmp_path, plan):
    path = tmp_path / "scores.v2.plan"
    path.write_bytes(plan)
    found = find(path)
    assert (found.path, found.name, found.version, found.versions) == (
        path,
        "scores.v2",
        "1",
        ("1",),
    )
    assert find(str(path), name="other").name == "other"
    assert find(path, target="cpu").path == path
    assert "expected one for the target cuda, got one for cpu" in refused(path, target="cuda")


def test_the_digest_tells_plans_apart(tmp_path, plan):
    first, same, other = (tmp_path / f"{i}.plan" for i in range(3))
    first.write_bytes(plan)
    same.write_bytes(plan)
    other.write_bytes(engine_nets.double(width=5))
    assert find(first).digest == find(same).digest != find(other).digest


def test_bytes_become_one_private_file(plan):
    found = find(plan, name="m")
    again = find(plan, name="n")
    assert found.path == again.path and found.path.read_bytes() == plan
    assert stat.S_IMODE(found.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o600
    assert os.listdir(found.path.parent) == [found.path.name]
    assert find(plan).name == "model"


def test_bytes_are_not_written_where_others_may_write(plan):
    folder = find(plan).path.parent
    folder.chmod(0o770)
    assert "a folder of this user alone" in refused(plan)


def test_the_highest_version_is_taken_unless_one_is_named(tmp_path, plan):
    folder = tmp_path / "scores"
    for name in ("1", "9", "10", "latest", "1.5"):
        (folder / name).mkdir(parents=True)
        (folder / name / "model.plan").write_bytes(plan)
    (folder / "notes.txt").write_text("no version")
    found = find(folder)
    assert (found.name, found.version) == ("scores", "10")
    assert found.versions == ("10", "9", "1")
    assert found.path == folder / "10" / "model.plan"
    assert find(folder, version="9").path == folder / "9" / "model.plan"
    assert "expected one of 10, 9, 1 in" in refused(folder, version="2")


def test_what_is_no_plan_is_refused(tmp_path, plan):
    assert "which does not exist on this machine" in refused(tmp_path / "absent.plan")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "got none. Put the plan into the subfolder 1." in refused(empty)
    (empty / "1").mkdir()
    assert "expected one plan file in" in refused(empty)
    for name in ("a.plan", "b.plan"):
        (empty / "1" / name).write_bytes(plan)
    assert "got a.plan, b.plan" in refused(empty)
    path = tmp_path / "one.plan"
    path.write_bytes(plan)
    assert "Versions are numbered subfolders" in refused(path, version="3")
    path.write_bytes(b"text, no plan")
    assert "cannot be opened on this machine" in refused(path)
    assert "cannot be opened on this machine" in refused(plan[:-1])
    damaged = bytearray(plan)
    damaged[300] ^= 1
    assert "its hash does not match" in refused(bytes(damaged))


def test_a_plan_of_another_version_is_refused_with_both_versions(tmp_path, plan):
    path = tmp_path / "one.plan"
    path.write_bytes(plan)
    description = kiln.describe_plan(path)
    description["kiln_version"] = "0.9.3"
    description["problems"] = [{"kind": "version", "text": "[plan] too new", "code": ""}]
    with pytest.raises(LoadError) as caught:
        plans.check(path, description)
    text = str(caught.value)
    assert "built by Kiln 0.9.3" in text and f"has Kiln {kiln.kiln_version}" in text
    assert "[plan] too new" in text


def test_a_file_is_read_once_until_it_changes(tmp_path, plan, monkeypatch):
    read = []
    describe = kiln.describe_plan
    monkeypatch.setattr(kiln, "describe_plan", lambda path: read.append(path) or describe(path))
    path = tmp_path / "once.plan"
    path.write_bytes(plan)
    first = find(path)
    first.description["problems"].append("of the caller alone")
    assert find(path).description["problems"] == []
    os.link(path, tmp_path / "same.plan")  # the same file under another name changes its ctime
    find(tmp_path / "same.plan")
    reads = len(read)
    find(path)
    assert len(read) == reads
    path.write_bytes(plan)  # in place
    find(path)
    replacement = tmp_path / "new"
    replacement.write_bytes(engine_nets.double(width=5))
    os.replace(replacement, path)
    assert find(path).digest != first.digest
    assert len(read) == reads + 2
