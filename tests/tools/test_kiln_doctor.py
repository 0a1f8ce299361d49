# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""`kiln doctor`: what it finds, which line it proposes, and its exit code."""

import json
import os
import sys

import kiln
import pytest
from doctor_lab import checks, run
from kiln.cli import doctor, facts
from kiln.cli.doctor import surroundings, target

NO_DRIVER = "the NVIDIA driver (libcuda.so.1) was not found"


def test_the_cpu_is_ready():
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.endswith("\ntarget cpu: ready\n")
    assert "ok      a small engine     built and run, with the right values\n" in out
    assert f"ok      kiln               {kiln.kiln_version} " in out
    assert out.isascii(), "plain text when it is piped"


def test_json():
    report = json.loads(run("--json")[1])
    assert list(report) == ["target", "ready", "checks"]
    assert (report["target"], report["ready"]) == ("cpu", True)
    for check in report["checks"]:
        assert list(check) == ["group", "name", "status", "found", "remedy", "needed"]
        assert check["status"] in ("ok", "missing", "problem")
        assert check["status"] == "ok" or not check["needed"]


def test_an_unknown_target():
    code, out, _ = run(KILN_TARGET="tpu")
    assert code == 1
    assert out.endswith("target tpu: not ready because of target. Type:\n  $ unset KILN_TARGET\n")
    code, out, err = run("--target=tpu")
    assert (code, out) == (2, "")
    assert err == "[doctor] --target: expected cpu, cuda or cuda:sm_90, got 'tpu'\n"


def test_a_folder_that_is_absent(tmp_path):
    absent = tmp_path / "absent"
    code, out, _ = run(TMPDIR=str(absent))
    assert code == 1
    assert out.endswith(f"not ready because of temporary files. Type:\n  $ mkdir -p {absent}\n")


def test_a_compiler_that_cannot_be_run():
    check = checks(CC="no-such-compiler")["c"]
    assert (check["status"], check["remedy"]) == ("problem", "unset CC")
    assert "'no-such-compiler'" in check["found"]


def test_commands_that_are_not_on_the_path(tmp_path):
    found = checks(PATH=str(tmp_path))
    for name in ("kiln", "trtexec", "c", "c++"):
        assert found[name]["status"] == "missing"
        assert found[name]["remedy"]
    other = tmp_path / "trtexec"
    other.write_text("#!/bin/sh\necho another trtexec\n")
    other.chmod(0o755)
    check = checks(PATH=str(tmp_path))["trtexec"]
    assert (check["status"], check["found"]) == ("problem", f"{other} is another program")
    assert check["remedy"].startswith("export PATH=")


def test_another_tensorrt(tmp_path):
    (tmp_path / "tensorrt").mkdir()
    (tmp_path / "tensorrt" / "__init__.py").write_text("__version__ = '10.0'\n")
    before = os.environ.get("PYTHONPATH", "")
    check = checks(PYTHONPATH=f"{tmp_path}{os.pathsep}{before}")["import tensorrt"]
    assert (check["status"], check["remedy"]) == ("problem", "kiln run PROGRAM")
    assert str(tmp_path) in check["found"]


@pytest.mark.parametrize("module", ["kiln", "other"])
def test_two_packages_with_the_module_tensorrt(monkeypatch, module):
    monkeypatch.setattr(facts, "tensorrt_module", lambda: {"module": module, "file": "t.py"})
    here = ("kilnrt-tensorrt", "tensorrt", "tensorrt-cu13", "numpy", "rich")
    monkeypatch.setattr(
        facts,
        "installed",
        lambda names: {"package": names[0], "version": "99"} if names[0] in here else None,
    )
    check = list(surroundings.python())[-1]
    assert check.remedy == "pip uninstall tensorrt tensorrt-cu13 kilnrt-tensorrt"
    assert check.status == "problem" and not check.needed


@pytest.mark.parametrize(
    ("version", "status", "remedy"),
    [
        ("1.19.5", "problem", 'pip install "numpy>=1.24"'),
        ("1.24", "ok", ""),
        (None, "missing", 'pip install "numpy>=1.24"'),
    ],
)
def test_the_version_of_numpy(monkeypatch, version, status, remedy):
    found = {"package": "numpy", "version": version}
    monkeypatch.setattr(facts, "installed", lambda names: found if version else None)
    check = next(check for check in surroundings.python() if check.name == "numpy")
    assert (check.status, check.remedy) == (status, remedy)
    assert check.fails == (status != "ok")


def gpu(monkeypatch, libraries, **more):
    monkeypatch.setattr(facts, "gpu", lambda: {"problem": "", "libraries": libraries, **more})
    return {check.name: check for check in target.cuda("cuda")}


def library(name, problem=None, version="13.0"):
    if problem:
        return {"name": name, "problem": problem}
    return {"name": name, "version": version, "file": f"lib{name}.so"}


def test_no_driver(monkeypatch):
    libraries = [library("driver", NO_DRIVER), library("NVRTC"), library("cuDNN", NO_DRIVER)]
    monkeypatch.delenv("KILN_CUDA_DRIVER", raising=False)
    monkeypatch.setattr(target, "_has_gpu", lambda: False)
    found = gpu(monkeypatch, libraries)
    assert found["driver"].remedy == "export KILN_TARGET=cpu" and found["driver"].fails
    assert found["cuDNN"].found == "not looked for, because it needs the driver"
    monkeypatch.setattr(target, "_has_gpu", lambda: True)
    remedy = gpu(monkeypatch, libraries)["driver"].remedy
    assert any(word in remedy for word in ("nvidia-driver", "ubuntu-drivers", "docker run"))
    monkeypatch.setenv("KILN_CUDA_DRIVER", "none.so")
    assert gpu(monkeypatch, libraries)["driver"].remedy == "unset KILN_CUDA_DRIVER"
    found = {check.name: check for check in target.cuda("cuda:sm_90")}
    assert not found["driver"].needed and found["NVRTC"].needed


@pytest.mark.parametrize(
    ("driver", "line"), [("13.0", "nvidia-cudnn-cu13~=9.0"), ("12.4", "nvidia-cudnn-cu12")]
)
def test_libraries_for_the_driver(monkeypatch, driver, line):
    for variable in ("KILN_NVRTC", "KILN_CUBLASLT", "KILN_CUDNN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(facts, "installed", lambda names: None)
    absent = [library("NVRTC", "not found"), library("cuDNN", "not found")]
    libraries = [library("driver", version=driver), *absent]
    device = {"name": "H200", "number": 0, "memory": 139 * 2**30}
    found = gpu(monkeypatch, libraries, device=device)
    assert found["GPU"].found == "H200 (number 0, 139 GiB)"
    assert found["NVRTC"].fails and not found["cuDNN"].fails
    assert line in found["NVRTC"].remedy or "kilnrt[cuda13]" in found["NVRTC"].remedy


def test_an_engine_that_does_not_build(monkeypatch):
    class Builder(kiln.Builder):
        def build_serialized_network(self, network, config):
            self.logger.log(kiln.ILogger.ERROR, "[builder] out of memory")

    monkeypatch.setattr(kiln, "Builder", Builder)
    check = target.proof("cpu")
    assert check.fails and check.found == "does not build: [builder] out of memory"


def test_without_numpy(monkeypatch):
    """The module that needs it is imported late, so the doctor can still speak."""
    monkeypatch.delitem(sys.modules, "kiln._device_array", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    check = target.proof("cpu")
    assert check.fails and "numpy" in check.found


def test_nvrtc_that_is_not_where_the_variable_says(tmp_path):
    check = checks("--target=cuda:sm_90", KILN_NVRTC=str(tmp_path / "none.so"))
    assert check["NVRTC"]["remedy"] == "unset KILN_NVRTC" and check["NVRTC"]["needed"]
    assert check["a small engine"]["status"] == "problem"
    assert not check["cuBLASLt"]["needed"] and not check["driver"]["needed"]


def test_it_is_drawn_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    found = doctor.Check("Group", "name[bold]", "missing", "x" * 200, "pip install " + "y" * 200)
    doctor._show([found])
    text = capsys.readouterr().out
    assert "name[bold]" in text
    assert "$ pip install " + "y" * 200 in text, "the command stays on one line"
