# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Uses trtexec: builds from ONNX, runs a plan, reads its output files."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import data, without_python
from .forms import PluginForm
from .process import run_process

ITERATIONS = 5
NUMBER = r"[\d.e+-]+"


def find_trtexec() -> str:
    """KILN_TRTEXEC, the trtexec next to this Python, or the one on PATH."""
    beside = Path(sys.executable).with_name("trtexec")
    found = os.environ.get("KILN_TRTEXEC") or (beside if beside.exists() else None)
    found = found or shutil.which("trtexec")
    if not found:
        raise RuntimeError("trtexec was not found beside this Python nor on PATH")
    return str(found)


def plugin_option(form: PluginForm) -> str:
    """The option that makes trtexec load the plugin."""
    static = form.style == "V3" and form.framework == "C++"  # so that the demo uses both options
    return f"--{'staticPlugins' if static else 'plugins'}={form.path}"


def call(*options: str, log: str) -> str:
    """Runs trtexec and returns its output; log: file for the types that enqueue receives."""
    environment = {**without_python.with_python(), "CIRC_PAD_LOG": log}
    return passed(run_process([find_trtexec(), *options], environment))


def call_without_python(*options: str, folder: Path) -> str:
    """The same in an environment without Python; an empty folder is created in `folder`."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    environment = without_python.environment(empty)
    return passed(run_process([find_trtexec(), *options], environment, alone=True))


def passed(output: str) -> str:
    """Checks that trtexec reported success; returns its output."""
    if "&&&& PASSED TensorRT.trtexec" not in output:
        raise RuntimeError("trtexec ended without its line &&&& PASSED")
    return output


def number(pattern: str, output: str, what: str) -> float:
    """Returns the number that matches the pattern."""
    found = re.search(pattern, output)
    if not found:
        raise RuntimeError(f"trtexec did not print {what}")
    return float(found.group(1))


def build(form: PluginForm, dtype: str, plan: Path) -> float:
    """Builds the plan from the ONNX model; returns the milliseconds that trtexec reports."""
    output = call(
        f"--onnx={data.model_path(form.model, dtype)}",
        f"--saveEngine={plan}",
        plugin_option(form),
        "--noTF32",
        "--minShapes=x:1x1x8x8",
        "--optShapes=x:64x1x8x8",
        f"--maxShapes=x:{data.IMAGES}x1x8x8",
        *(["--fp16"] if dtype == "half" else []),
        *(["--allowHostCode"] if form.is_compiled else []),
        "--iterations=1",
        "--warmUp=0",
        "--duration=0",
        log="",
    )
    return 1e3 * number(rf"Engine built in ({NUMBER}) sec", output, "the build time")


def run_all(
    form: PluginForm, dtype: str, plan: Path, folder: Path, log: str
) -> tuple[npt.NDArray[np.float32], float]:
    """Returns y [1797, 10] as float32, and the time per full batch in microseconds.

    All images are one run; the time is a batch's share of the median.
    """
    images = data.load_images(dtype)
    result, output = run(form, plan, images, folder, log)
    median = number(rf"Compute Time: .*?median = ({NUMBER}) ms", output, "the median time")
    return result, 1e3 * median * data.BATCH / len(images)


def run(
    form: PluginForm, plan: Path, images: npt.NDArray[Any], folder: Path, log: str
) -> tuple[npt.NDArray[np.float32], str]:
    """Runs the images as one batch; returns y as float32, and trtexec's output."""
    images.tofile(folder / "x.bin")
    options = [
        f"--loadEngine={plan}",
        f"--shapes=x:{'x'.join(map(str, images.shape))}",
        f"--loadInputs=x:{folder / 'x.bin'}",
        f"--exportOutput={folder / 'y.json'}",
        f"--iterations={ITERATIONS}",
        "--warmUp=0",
        "--duration=0",
    ]
    if form.is_compiled:
        output = call_without_python(*options, "--allowHostCode", folder=folder)
    else:
        output = call(*options, plugin_option(form), log=log)
    return read_output(folder / "y.json", len(images)), output


def read_output(path: Path, count: int) -> npt.NDArray[np.float32]:
    """Reads y from the file written by --exportOutput."""
    (tensor,) = [entry for entry in json.loads(path.read_text()) if entry["name"] == "y"]
    return np.array(tensor["values"], np.float32).reshape(count, 10)
