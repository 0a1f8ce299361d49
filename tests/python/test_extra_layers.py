# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers that Kiln adds to the API, against NumPy and ONNX Runtime.

The tests use the default target; test_cuda_emulated.py runs them on the emulated GPU.
"""

import re
import sys
from pathlib import Path

import kiln
import numpy as np
import pytest

from onnx import helper

sys.path.insert(0, str(Path(__file__).parents[1] / "onnx"))
import onnx_lab as lab

NUMBERS = np.random.default_rng(3)
FUNCTIONS = [
    kiln.add_roi_align,
    kiln.add_unique,
    kiln.add_determinant,
    kiln.add_double_math,
    kiln.add_bit_cast,
    kiln.set_scatter_reduction,
]


class Bench:
    """A network with inputs of known arrays."""

    def __init__(self):
        self.messages = lab.Messages()
        self.builder = kiln.Builder(self.messages)
        flags = 1 << int(kiln.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        self.network = self.builder.create_network(flags)
        self.feeds = {}

    def input(self, name, array, dtype=None):
        self.feeds[name] = np.ascontiguousarray(array)
        dtype = dtype or getattr(kiln, array.dtype.name)
        return self.network.add_input(name, dtype, array.shape)

    def run(self, *tensors):
        """The arrays of some tensors."""
        for i, tensor in enumerate(tensors):
            tensor.name = f"y{i}"
            self.network.mark_output(tensor)
        config = self.builder.create_builder_config()
        plan = self.builder.build_serialized_network(self.network, config)
        assert plan is not None, self.messages.errors
        engine = kiln.Runtime(self.messages).deserialize_cuda_engine(plan)
        results = lab.run_engine(engine, self.feeds, self.messages)
        return [results[f"y{i}"] for i in range(len(tensors))]


@pytest.fixture
def bench():
    return Bench()


def by_onnxruntime(operator, feeds, opset, **attributes):
    values = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for n, x in feeds.items()
    ]
    node = helper.make_node(operator, list(feeds), ["y"], **attributes)
    graph = helper.make_graph([node], "g", values, [helper.make_empty_tensor_value_info("y")])
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return lab.expected(model, feeds)["y"]


IMAGES = NUMBERS.standard_normal((2, 3, 12, 14)).astype(np.float32)
BOXES = np.array([[0, 0, 20, 22], [3.5, 2, 11, 9.25], [-4, -3, 8, 30]], np.float32)
BATCH = np.array([1, 0, 1], np.int64)


@pytest.mark.parametrize("pooling", [kiln.RoiPooling.AVERAGE, kiln.RoiPooling.MAX])
@pytest.mark.parametrize("half_pixel", [True, False])
def test_roi_align(bench, pooling, half_pixel):
    feeds = {"images": IMAGES, "boxes": BOXES, "batch": BATCH}
    tensors = [bench.input(name, x) for name, x in feeds.items()]
    layer = kiln.add_roi_align(
        bench.network,
        *tensors,
        height=4,
        width=5,
        sampling_ratio=2,
        pooling=pooling,
        scale=0.5,
        half_pixel=half_pixel,
    )
    assert isinstance(layer, kiln.ILayer)
    assert layer.get_output(0).shape == (3, 3, 4, 5)
    wanted = by_onnxruntime(
        "RoiAlign",
        feeds,
        16,
        output_height=4,
        output_width=5,
        sampling_ratio=2,
        spatial_scale=0.5,
        mode="avg" if pooling == kiln.RoiPooling.AVERAGE else "max",
        coordinate_transformation_mode="half_pixel" if half_pixel else "output_half_pixel",
    )
    (y,) = bench.run(layer.get_output(0))
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)


def test_bins_of_boxes(bench):
    rois = np.concatenate([BATCH[:, None].astype(np.float32), BOXES], 1)
    tensors = [
        bench.input(name, x) for name, x in [("x", IMAGES), ("boxes", BOXES), ("batch", BATCH)]
    ]
    layer = kiln.add_roi_align(bench.network, *tensors, 3, 2, pooling=kiln.RoiPooling.BINS)
    wanted = by_onnxruntime("MaxRoiPool", {"x": IMAGES, "rois": rois}, 12, pooled_shape=[3, 2])
    (y,) = bench.run(layer.get_output(0))
    np.testing.assert_allclose(y, wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.int8, np.bool_])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_unique(bench, dtype, axis):
    x = NUMBERS.integers(0, 2 if axis is not None else 9, (6, 5, 2)).astype(dtype)
    layer = kiln.add_unique(bench.network, bench.input("x", x), axis=axis)
    assert layer.num_outputs == 4
    results = bench.run(*map(layer.get_output, range(4)))
    wanted = np.unique(x, True, True, True, axis=axis)
    for got, want in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(got, np.reshape(want, got.shape))


def test_unique_in_order_of_occurrence(bench):
    x = np.array([7, -1, 7, 3, -1, 9], np.int32)
    layer = kiln.add_unique(bench.network, bench.input("x", x), sorted=False)
    y, first, inverse, counts = bench.run(*map(layer.get_output, range(4)))
    assert y.tolist() == [7, -1, 3, 9]
    assert first.tolist() == [0, 1, 3, 5]
    assert inverse.tolist() == [0, 1, 0, 2, 1, 3]
    assert counts.tolist() == [2, 2, 1, 1]


def test_determinant(bench):
    x = NUMBERS.standard_normal((2, 3, 5, 5)).astype(np.float32)
    layer = kiln.add_determinant(bench.network, bench.input("x", x))
    (y,) = bench.run(layer.get_output(0))
    np.testing.assert_allclose(y, np.linalg.det(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "int32"), ("int32", "float32"), ("int8", "uint8"), ("float16", "bfloat16")],
)
def test_bit_cast(bench, source, target):
    x = NUMBERS.integers(1, 100, (3, 4)).astype(source)
    layer = kiln.add_bit_cast(bench.network, bench.input("x", x), getattr(kiln, target))
    y = layer.get_output(0)
    assert y.dtype == getattr(kiln, target)
    if target == "bfloat16":  # NumPy lacks it: its bits are those of a float32 in front
        y = bench.network.add_cast(y, kiln.float32).get_output(0)
        wanted = (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        wanted = x.view(target)
    (got,) = bench.run(y)
    np.testing.assert_array_equal(got, wanted)


DOUBLE = kiln.DoubleOperation
EXACT = {
    "SUM": np.add,
    "SUB": np.subtract,
    "PROD": np.multiply,
    "DIV": np.divide,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "EQUAL": np.equal,
    "LESS": np.less,
    "LESS_EQUAL": np.less_equal,
    "NEG": np.negative,
    "ABS": np.abs,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "ROUND": np.rint,
    "SQRT": np.sqrt,
}
DOUBLES = np.array([1.5, -0.25, 2.5, np.nan, np.inf, 1e300, 1 / 3, -0.0, 0.0])


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("count", [1, 9])
def test_double_math(bench, name, count):
    y = DOUBLES[::-1][:count].copy()
    pair = EXACT[name].nin == 2
    tensors = [bench.input("x", DOUBLES.view(np.int64))]
    tensors.append(bench.input("y", y.view(np.int64)) if pair else None)
    layer = kiln.add_double_math(bench.network, *tensors, getattr(DOUBLE, name))
    (got,) = bench.run(layer.get_output(0))
    with np.errstate(all="ignore"):
        wanted = EXACT[name](DOUBLES, y) if pair else EXACT[name](DOUBLES)
    if wanted.dtype != bool:
        got = got.view(np.float64)
    np.testing.assert_array_equal(got, wanted)


def test_conversions_of_double(bench):
    x = np.array([3, -7, 2**53 + 1, -(2**63)], np.int64)
    wide = kiln.add_double_math(bench.network, bench.input("x", x), None, DOUBLE.FROM_INTEGER)
    bits = bench.input("b", np.array([2.9, -2.9, 1e300, np.nan]).view(np.int64))
    whole = kiln.add_double_math(bench.network, bits, None, DOUBLE.TO_INTEGER)
    single = kiln.add_double_math(bench.network, bits, None, DOUBLE.TO_FLOAT)
    got, integers, floats = bench.run(*(y.get_output(0) for y in (wide, whole, single)))
    np.testing.assert_array_equal(got.view(np.float64), x.astype(np.float64))
    assert integers.tolist() == [2, -2, 2**63 - 1, 0]
    np.testing.assert_array_equal(floats, np.array([2.9, -2.9, np.inf, np.nan], np.float32))


REDUCTIONS = {"SUM": np.add, "PROD": np.multiply, "MAX": np.maximum, "MIN": np.minimum}


@pytest.mark.parametrize("reduction", ["NONE", *REDUCTIONS])
@pytest.mark.parametrize("mode", [kiln.ScatterMode.ND, kiln.ScatterMode.ELEMENT])
def test_scatter(bench, mode, reduction):
    data = NUMBERS.standard_normal((5, 4)).astype(np.float32)
    count = 4 if reduction == "NONE" else 9  # several updates of one element have no order
    updates = NUMBERS.standard_normal((count, 4)).astype(np.float32)
    rows = NUMBERS.permutation(5)[:4] if reduction == "NONE" else NUMBERS.integers(0, 5, count)
    nd = mode == kiln.ScatterMode.ND
    indices = rows[:, None] if nd else np.repeat(rows[:, None], 4, 1)
    tensors = [bench.input(name, x) for name, x in [("x", data), ("i", indices), ("u", updates)]]
    layer = bench.network.add_scatter(*tensors, mode)
    assert kiln.set_scatter_reduction(layer, getattr(kiln.ScatterReduction, reduction))
    wanted = data.copy()
    if reduction == "NONE":
        wanted[rows] = updates
    else:
        REDUCTIONS[reduction].at(wanted, rows, updates)
    (y,) = bench.run(layer.get_output(0))
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)


def test_wrong_arguments(bench):
    x = bench.input("x", np.zeros((2, 3), np.float32))
    assert kiln.add_roi_align(bench.network, x, x, x, height=-1) is None
    assert "-1" in bench.messages.errors[-1]
    with pytest.raises(ValueError, match=re.escape("expected an axis from -2 to 1, or None")):
        kiln.add_unique(bench.network, x, axis=2)
    with pytest.raises(TypeError):
        kiln.add_roi_align(bench.network, x, x, x, pooling=1)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (kiln.add_determinant, "expected square matrices in the last two axes, got [2,3]"),
        (lambda *a: kiln.add_bit_cast(*a, kiln.int8), "expected types of as many bits"),
        (
            lambda n, x: kiln.add_roi_align(n, x, x, x),
            "expected boxes of float32, float16 or bfloat16",
        ),
    ],
)
def test_operands_that_do_not_fit(bench, add, message):
    """As for all layers, the build reports them, too."""
    x = bench.input("x", np.zeros((2, 3), np.float32))
    bench.network.mark_output(add(bench.network, x).get_output(0))
    config = bench.builder.create_builder_config()
    assert bench.builder.build_serialized_network(bench.network, config) is None
    assert message in bench.messages.errors[-1]


# What the examples of the documentation name.
EXAMPLES = {
    "images": IMAGES,
    "boxes": BOXES,
    "batch": BATCH,
    "words": np.array([4, 2, 4], np.int32),
    "matrices": np.eye(3, dtype=np.float32)[None],
    "numbers": np.ones(3, np.float32),
    "data": np.zeros((4, 2), np.float32),
    "indices": np.array([[1], [1]], np.int32),
    "updates": np.ones((2, 2), np.float32),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_example_of_the_documentation(bench, function):
    lines = [line[4:] for line in function.__doc__.split("\n") if line.startswith("    ")]
    names = {
        name: bench.input(name, x)
        for name, x in EXAMPLES.items()
        if re.search(rf"\b{name}\b", "\n".join(lines))
    }
    exec("\n".join(lines), {"kiln": kiln, "network": bench.network}, names)
    layer = bench.network.get_layer(0)
    if bench.network.num_outputs == 0:
        bench.network.mark_output(layer.get_output(0))
    config = bench.builder.create_builder_config()
    plan = bench.builder.build_serialized_network(bench.network, config)
    assert plan is not None, bench.messages.errors
