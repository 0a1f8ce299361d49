# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec builds plans for GPUs on a machine that has none."""

import json
import subprocess
import sys

import kiln
import pytest
from trtexec_models import FLOAT, save_model

from onnx import helper

pytestmark = pytest.mark.skipif(
    not kiln.describe_target("cuda")["problem"], reason="there is a GPU here"
)

PLUGIN = '''
import kiln
import tensorrt.plugin as trtp

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry half(.param .u64 x, .param .u32 n, .param .u64 y)
{ .reg .b64 %rd1; ld.param.u64 %rd1, [y]; ret; }
"""


@trtp.register("sample::half")
def describe(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.aot_impl("sample::half")
def compile_it(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
    count = x.shape_expr.numel()
    launch = trtp.KernelLaunchParams(grid_x=trtp.cdiv(count, 128), block_x=128)
    return [kiln.Kernel("half", PTX, launch, [trtp.SymInt32(count)])]
'''


@pytest.fixture
def arguments(tmp_path):
    (tmp_path / "half.py").write_text(PLUGIN)
    node = helper.make_node("half", ["x"], ["y"], plugin_namespace="sample")
    shape = {"x": (FLOAT, [4, 4])}
    model = save_model(tmp_path / "half.onnx", [node], shape, {"y": shape["x"]})
    return [f"--onnx={model}", "--plugins=half.py", "--saveEngine=half.plan"]


@pytest.mark.filterwarnings("ignore")
def test_a_plan_for_two_architectures(run, arguments, tmp_path):
    target = "cuda:sm_80+sm_90"
    done = run(*arguments, "--stronglyTyped", "--skipInference", KILN_TARGET=target).passed()
    assert f"Target: {target}" in done.out
    inspect = [sys.executable, "-m", "kiln", "inspect", "--json", tmp_path / "half.plan"]
    text = subprocess.run(inspect, capture_output=True, text=True, check=True).stdout
    (plugin,) = json.loads(text)["plugins"]
    assert [variant["architecture"] for variant in plugin["code"]] == ["sm_80", "sm_90"]
    run("--loadEngine=half.plan", KILN_TARGET="cpu").failed("the NVIDIA driver")


def test_running_for_another_target_is_refused(run, arguments):
    done = run(*arguments, KILN_TARGET="cuda:sm_90")
    done.failed("the NVIDIA driver (libcuda.so.1) was not found")
    done.failed("Add --skipInference to build a plan for another machine")
    run(*arguments, "--skipInference", KILN_TARGET="cuda").failed("name the architectures")
