# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The targets: libraries that engines use, and an engine that is built and run as a proof."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kiln
from kiln.cli import facts
from kiln.cli.doctor.check import MISSING, OK, PROBLEM, Check, cuda_libraries, system_package

_NVIDIA = "0x10de"  # the vendor's number on the PCI bus
_CPU = Path("/proc/cpuinfo")
_NONE = "no AVX2"
_UNKNOWN = "unknown extensions"
_FLAGS = {"avx2": "AVX2", "avx512f": "AVX-512", "avx512_bf16": "bfloat16", "amx_tile": "AMX"}


def cpu(chosen: str) -> Iterator[Check]:
    """The target cpu, which every installation has."""
    group, needed = "Target cpu", chosen == "cpu"
    target = kiln.describe_target("cpu")
    if target["problem"]:
        yield Check(group, "target", PROBLEM, target["problem"], "", needed)
        return
    flags = _cpu_flags()
    slow = "; kernels are faster with AVX2" if flags == _NONE else ""
    text = f"plans need {', '.join(target['architectures'])}; this CPU has {flags}{slow}"
    yield Check(group, "instruction set", MISSING if slow else OK, text)
    threads = f"{kiln.num_threads()} of {len(os.sched_getaffinity(0))} cores"
    yield Check(group, "threads", OK, f"{threads} (KILN_NUM_THREADS sets the number)")
    for library in target["libraries"]:
        if "problem" in library:
            remedy = "unset KILN_ONEDNN" if "KILN_ONEDNN" in os.environ else ""
            yield Check(group, library["name"], MISSING, library["problem"], remedy)
        else:
            yield Check(group, library["name"], OK, f"{library['version']}, {library['file']}")


def _cpu_flags() -> str:
    """The vector extensions of this processor that Kiln's kernels look for."""
    try:
        text = _CPU.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNKNOWN
    line = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    flags = set(line.group(1).split()) if line else set()
    return ", ".join(name for flag, name in _FLAGS.items() if flag in flags) or _NONE


def cuda(chosen: str) -> Iterator[Check]:
    """The target cuda: the driver with a GPU, and the libraries that are opened at run time."""
    group = "Target cuda"
    named, _, architectures = chosen.partition(":")
    needed, runs = named == "cuda", not architectures
    found = facts.gpu()
    libraries = {library["name"]: library for library in found["libraries"]}
    driver = libraries.pop("driver", {"problem": found["problem"]})
    yield _driver(group, driver, needed and runs)
    if device := found.get("device"):
        size = f"{device['memory'] / 2**30:.0f} GiB"
        yield Check(group, "GPU", OK, f"{device['name']} (number {device['number']}, {size})")
    elif "problem" not in driver:
        yield Check(group, "GPU", PROBLEM, found["problem"], "nvidia-smi", needed and runs)
    version = re.match(r"\d+", driver.get("version", ""))
    remedy = cuda_libraries(int(version.group()) if version else 13)
    for name, library in libraries.items():
        yield _library(group, name, library, driver, remedy, needed)


def _driver(group: str, driver: dict[str, Any], needed: bool) -> Check:
    if "problem" not in driver:
        return Check(group, "driver", OK, f"{driver['version']}, {driver['file']}", "", needed)
    text = driver["problem"]
    if "KILN_CUDA_DRIVER" in os.environ:
        return Check(group, "driver", PROBLEM, text, "unset KILN_CUDA_DRIVER", needed)
    if not _has_gpu():
        text = "no NVIDIA GPU on the PCI bus, and no driver (libcuda.so.1)"
        remedy = "export KILN_TARGET=cpu" if needed else ""
        return Check(group, "driver", MISSING, text, remedy, needed)
    if Path("/.dockerenv").exists():
        text += ". This is a container: its host lends the driver"
        return Check(group, "driver", MISSING, text, "docker run --gpus all IMAGE", needed)
    return Check(group, "driver", MISSING, text, _driver_line(), needed)


def _driver_line() -> str:
    """How this distribution installs NVIDIA's driver."""
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        text = ""
    if re.search(r"^ID=ubuntu$", text, re.MULTILINE):
        return "sudo ubuntu-drivers install"
    return system_package("nvidia-driver") + "   # or https://www.nvidia.com/drivers"


def _has_gpu() -> bool:
    vendors = Path("/sys/bus/pci/devices").glob("*/vendor")
    try:
        return any(file.read_text().strip() == _NVIDIA for file in vendors)
    except OSError:
        return False


def _library(
    group: str,
    name: str,
    library: dict[str, Any],
    driver: dict[str, Any],
    remedy: str,
    needed: bool,
) -> Check:
    """NVRTC is needed for built-in layers; the others make matrices and convolutions faster."""
    needed = needed and name == "NVRTC"
    if "problem" not in library:
        return Check(group, name, OK, f"{library['version']}, {library['file']}", "", needed)
    if library["problem"] == driver.get("problem"):
        return Check(group, name, MISSING, "not looked for, because it needs the driver")
    variable = f"KILN_{name.upper()}"
    if variable in os.environ:
        return Check(group, name, PROBLEM, library["problem"], f"unset {variable}", needed)
    return Check(group, name, MISSING, library["problem"], remedy, needed)


class _LastError(kiln.ILogger):
    """Keeps the last error in place of printing it."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def log(self, severity: "kiln.ILogger.Severity", msg: str) -> None:
        if severity in (kiln.ILogger.ERROR, kiln.ILogger.INTERNAL_ERROR):
            self.text = msg


def proof(chosen: str) -> Check:
    """Builds an engine of one layer for the target, and runs it if this machine can."""
    group, name = f"Target {chosen.partition(':')[0]}", "a small engine"
    logger = _LastError()
    builder = kiln.Builder(logger)
    network = facts.smallest_network(builder)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        return Check(group, name, PROBLEM, f"does not build: {logger.text}", "", True)
    if not kiln.describe_target().get("runs_here"):
        return Check(group, name, OK, f"builds for {chosen}; no such GPU to run it here", "", True)
    try:
        engine = kiln.Runtime(logger).deserialize_cuda_engine(plan)
        context = engine.create_execution_context()
        x, y = kiln.DeviceArray([-1.0, 2, -3, 4]), kiln.DeviceArray.empty(4)
        right = context.execute_v2([x, y]) and list(y.numpy()) == [1, 2, 3, 4]
    except (AttributeError, ImportError, RuntimeError) as error:  # None has no attributes
        return Check(group, name, PROBLEM, f"does not run: {logger.text or error}", "", True)
    if not right:
        return Check(group, name, PROBLEM, f"gives wrong values. {logger.text}".strip(), "", True)
    return Check(group, name, OK, "built and run, with the right values", "", True)
