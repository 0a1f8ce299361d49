# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""`kiln doctor` in broken environments: variables, files, packages, processors, bindings."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import kiln
from doctor_lab import checks, run
from kiln.cli import facts
from kiln.cli.doctor import surroundings, target
from kiln.cli.doctor.check import system_package

ROOT = Path(__file__).resolve().parents[2]


def test_variables():
    found = checks(
        KILN_NUM_THREADS="no",
        KILN_GUARD="yes",
        KILN_CUDNN="/absent/libcudnn.so",
        KILN_NVRTC="libnvrtc.so.13",
        KILN_ONEDNN="/absent",
        KILN_PYTHON="no-such-python",
        KILN_VERIFY="1",
        KILN_SYNC="",
        KILN_TAGRET="cuda",
        KILN_SOMETHING_ELSE="1",
    )
    for name, remedy in (
        ("KILN_NUM_THREADS", "unset KILN_NUM_THREADS"),
        ("KILN_GUARD", "unset KILN_GUARD"),
        ("KILN_CUDNN", "unset KILN_CUDNN"),
        ("KILN_ONEDNN", "unset KILN_ONEDNN"),
        ("KILN_PYTHON", "unset KILN_PYTHON"),
        ("KILN_TAGRET", 'export KILN_TARGET="$KILN_TAGRET"; unset KILN_TAGRET'),
    ):
        check = found[name]
        assert (check["status"], check["remedy"]) == ("problem", remedy), name
        assert not check["needed"], "the target works without it"
    for name in ("KILN_NVRTC", "KILN_VERIFY", "KILN_SYNC"):
        assert found[name]["status"] == "ok"
    assert "KILN_SOMETHING_ELSE" not in found, "it belongs to another program"


def test_plugin_files(tmp_path):
    own = ROOT / "examples" / "circ_pad" / "circ_pad_v3.py"
    broken = tmp_path / "broken.so"
    broken.write_text("no library")
    raising = tmp_path / "raising.py"
    raising.write_text("raise SystemExit(3)\n")
    idle = tmp_path / "idle.py"
    idle.write_text("x = 1\n")
    absent = tmp_path / "absent.so"
    files = (own, broken, raising, idle, absent)
    found = checks(*(f"--plugins={file}" for file in files))
    assert found[str(own)] == {
        "group": "Plugins",
        "name": str(own),
        "status": "ok",
        "found": "1 creator",
        "remedy": "",
        "needed": True,
    }
    assert found[str(broken)]["remedy"] == f"ldd {broken} | grep 'not found'"
    assert "cannot be loaded" in found[str(broken)]["found"]
    for file, status in ((broken, "problem"), (raising, "problem"), (idle, "problem")):
        assert found[str(file)]["status"] == status and found[str(file)]["needed"]
    assert found[str(absent)]["status"] == "missing"
    code, out, _ = run(f"--plugins={absent}")
    assert code == 1 and f"not ready because of {absent}" in out


def test_the_host_libcudart(tmp_path):
    own = facts.host_runtime()["folder"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "libcudart.so").write_text("another")
    check = checks(LD_LIBRARY_PATH=f"{own}:{other}")["host libcudart"]
    assert check["status"] == "ok" and check["found"].startswith("on (")
    check = checks(LD_LIBRARY_PATH=f"{other}:{own}")["host libcudart"]
    assert check["status"] == "problem" and str(other / "libcudart.so") in check["found"]
    assert check["remedy"] == f"export LD_LIBRARY_PATH={own}:{other}"
    check = checks("--target=cuda:sm_90", LD_LIBRARY_PATH=f"{own}")["host libcudart"]
    assert (check["status"], check["remedy"]) == ("problem", "unset LD_LIBRARY_PATH")


def package(folder, version, name="kilnrt"):
    """What pip leaves of an installed package."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def installation(monkeypatch, *folders):
    monkeypatch.setattr(sys, "path", list(map(str, folders)))
    return {check.name: check for check in surroundings.installation.examine("Python")}


def test_packages_of_other_versions(monkeypatch, tmp_path):
    here, beside = facts.PACKAGE.parent, tmp_path / "beside"
    monkeypatch.setattr(facts, "PACKAGE", tmp_path / "here" / "kiln")
    package(tmp_path / "here", kiln.kiln_version)
    assert installation(monkeypatch, tmp_path / "here")["kiln"].status == "ok"
    package(beside, "0.0.1")
    (beside / "kiln").mkdir()
    check = installation(monkeypatch, tmp_path / "here", beside)["kiln"]
    assert (check.status, check.remedy) == ("problem", "pip uninstall --yes kilnrt")
    assert f"0.0.1 in {beside}" in check.found and not check.needed
    check = installation(monkeypatch, beside)["kiln"]
    assert check.remedy == "unset PYTHONPATH" and "0.0.1" in check.found
    monkeypatch.setattr(facts, "PACKAGE", beside / "kiln")
    check = installation(monkeypatch, beside)["kiln"]
    assert check.remedy == f'pip install --force-reinstall "kilnrt=={kiln.kiln_version}"'
    package(beside, "0.0.1", "kilnrt-tensorrt")
    check = installation(monkeypatch, beside)["kilnrt-tensorrt"]
    assert check.remedy == f'pip install "kilnrt-tensorrt=={kiln.kiln_version}"'
    monkeypatch.setattr(facts, "PACKAGE", here / "kiln")
    assert installation(monkeypatch, tmp_path)["kiln"].status == "ok", "a source tree"


def test_a_processor_without_avx2(monkeypatch, tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor : 0\nflags : fpu sse2\n")
    monkeypatch.setattr(target, "_CPU", file)
    check = next(target.cpu("cpu"))
    assert check.status == "missing" and not check.fails
    assert check.found.endswith("this CPU has no AVX2; kernels are faster with AVX2")
    monkeypatch.setattr(target, "_CPU", tmp_path / "absent")
    assert next(target.cpu("cpu")).status == "ok"


def test_folders_that_cannot_be_written(monkeypatch, tmp_path):
    def full(**options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    found = {check.name: check for check in surroundings.folders(False)}
    assert found["Numba's cache"].status == "ok", "it can be made"
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    found = {check.name: check for check in surroundings.folders(False)}
    check = found["Numba's cache"]
    assert (check.status, check.remedy) == ("problem", "export NUMBA_CACHE_DIR=/tmp")
    assert check.found.endswith("cannot be written: No space left on device") and not check.fails
    assert found["temporary files"].fails


def test_an_administrator_needs_no_sudo(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert system_package("gcc") == "sudo apt-get install gcc"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert system_package("gcc") == "apt-get install gcc"


def import_kiln(folder):
    """What Python says about a package kiln with other bindings than this interpreter's."""
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path[:0] = [{str(folder)!r}]\nimport kiln",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stderr


def test_bindings_that_cannot_be_imported(tmp_path):
    package = tmp_path / "kiln"
    package.mkdir()
    for name in ("__init__.py", "_bindings.py"):
        (package / name).write_text((facts.PACKAGE / name).read_text())
    said = import_kiln(tmp_path)
    assert f"[kiln] import: expected the compiled module _core in {package}, found none" in said
    (package / "_core.cpython-39-x86_64-linux-gnu.so").write_text("")
    said = import_kiln(tmp_path)
    assert "found _core.cpython-39-x86_64-linux-gnu.so. Install the wheel for this version" in said
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    (package / f"_core.cpython-{version}-x86_64-linux-gnu.so").write_text("")
    said = import_kiln(tmp_path)
    assert "cannot be loaded: " in said and "file too short" in said
