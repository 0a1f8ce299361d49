# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The memory that a build needs beside the weights of the model."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "build_scale" / "run.py"


@pytest.mark.parametrize("flag", ["float", "BF16"])
@pytest.mark.parametrize("model", ["products", "convolutions", "encoder"])
def test_weights_are_in_memory_about_twice(model, flag):
    command = [sys.executable, str(BENCHMARK), "--megabytes", "256", "--memory", model, flag]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # The user's and the plan's; one packed constant and libraries of 30 MB.
    assert float(done.stdout.split()[-1]) <= 2.3


SIDE, LAYERS = 512, 12  # 12 MiB
SMALL = """
import sys
import kiln as trt

def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) << 10

builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
network = builder.create_network(0)
before, own = resident("VmRSS"), resident("RssAnon")
assert trt.OnnxParser(network, trt.Logger(trt.Logger.ERROR)).parse_from_file(sys.argv[1])
parsed = resident("RssAnon") - own
assert builder.build_serialized_network(network, builder.create_builder_config())
print(parsed, resident("VmHWM") - before)
"""


def growth(path):
    """Bytes after parsing and at most while building, beside what a process has before."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "KILN_TARGET": "cpu"},
    )
    assert done.returncode == 0, done.stderr
    return (int(word) for word in done.stdout.split())


def test_a_small_file_is_mapped_and_candidates_share_memory(tmp_path):
    import onnx
    from onnx import helper, numpy_helper

    random = np.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    for i in range(LAYERS):
        matrix = random.random((SIDE, SIDE), dtype=np.float32)
        weights.append(numpy_helper.from_array(matrix, f"w{i}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{i}"], [f"p{i}"]))
        nodes.append(helper.make_node("Relu", [f"p{i}"], [f"y{i}"]))
        last = f"y{i}"
    values = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (2048, SIDE))
        for name in ("x", last)
    ]
    graph = helper.make_graph(nodes, "products", values[:1], values[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    path = tmp_path / "products.onnx"
    onnx.save(model, path)
    size = SIDE * SIDE * 4 * LAYERS
    parsed, built = (count / size for count in growth(path))
    assert parsed <= 0.5  # the weights stay in the file
    assert built <= 2.2  # code of libraries included


def test_kernels_of_convolutions_are_measured_in_little_memory(tmp_path):
    import onnx
    from onnx import helper, numpy_helper

    random = np.random.default_rng(0)
    nodes, weights, last, size = [], [], "x", 0
    shapes = [(16, 3, 3, 2), (64, 16, 3, 2), (128, 64, 3, 2)]
    shapes += [(128, 128, 3, 1), (128, 128, 1, 1)] * 10 + [(256, 128, 3, 2), (512, 256, 3, 1)]
    for i, (maps, channels, side, stride) in enumerate(shapes):
        kernel = random.standard_normal((maps, channels, side, side), dtype=np.float32)
        weights.append(numpy_helper.from_array(kernel, f"w{i}"))
        size += kernel.nbytes
        pads = [side // 2] * 4
        nodes.append(
            helper.make_node("Conv", [last, f"w{i}"], [f"c{i}"], pads=pads, strides=[stride] * 2)
        )
        nodes.append(helper.make_node("Sigmoid", [f"c{i}"], [f"s{i}"]))
        nodes.append(helper.make_node("Mul", [f"c{i}", f"s{i}"], [f"y{i}"]))
        last = f"y{i}"
    values = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", (1, 3, 640, 640)), (last, (1, 512, 40, 40)))
    ]
    graph = helper.make_graph(nodes, "convolutions", values[:1], values[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    path = tmp_path / "convolutions.onnx"
    onnx.save(model, path)
    _, built = (count / size for count in growth(path))
    assert built <= 2.4  # 12 MiB of weights, tensors of 5 and 6 MiB in the first layer
