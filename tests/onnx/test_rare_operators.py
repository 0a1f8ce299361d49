# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes, unique elements, reductions at indices: operators with layers of Kiln's own.

Shapes of the models are unknown but for ranks; expected values are those of ONNX Runtime or NumPy.
"""

import kiln as trt
import node_suite
import numpy as np
import onnx_lab
import pytest

import onnx
from onnx import TensorProto, helper

NUMBERS = np.random.default_rng(11)
HALF = 4e-3  # of numbers around 1, rounded to 11 bits more than once


def real(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


def model_of(op, inputs, outputs, opset, known=(), **attributes):
    """A model of one node; inputs of None are absent, those in `known` have their extents."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    values = []
    for i, (name, x) in enumerate(zip(names, inputs, strict=True)):
        if x is not None:
            shape = x.shape if i in known else [f"d{i}_{k}" for k in range(x.ndim)]
            kind = helper.np_dtype_to_tensor_dtype(x.dtype)
            values.append(helper.make_tensor_value_info(name, kind, shape))
    node = helper.make_node(op, names, outputs, **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], "graph", values, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return model, {name: x for name, x in zip(names, inputs, strict=True) if x is not None}


def check(
    op, inputs, outputs=("y",), opset=18, tolerance=1e-5, wanted=None, known=(), **attributes
):
    model, feeds = model_of(op, inputs, list(outputs), opset, known, **attributes)
    if wanted is not None:
        wanted = dict(zip(outputs, wanted, strict=True))
    return onnx_lab.check(model, feeds, tolerance, wanted=wanted)


def in_float(op, inputs, opset, **attributes):
    """The result of ONNX Runtime for inputs of float16, as float32."""
    wide = [x.astype(np.float32) if x.dtype == np.float16 else x for x in inputs]
    model, feeds = model_of(op, wide, ["y"], opset, **attributes)
    return [onnx_lab.expected(model, feeds)["y"]]


# Boxes inside, across the borders, outside, empty, turned around, and as large as many images.
BOXES = np.array(
    [
        [1.5, 2.25, 9.75, 8.5],
        [-3.0, -2.0, 4.0, 5.0],
        [8.0, 6.0, 15.0, 14.5],
        [30.0, 30.0, 40.0, 40.0],
        [4.0, 4.0, 4.0, 4.0],
        [9.0, 8.0, 2.0, 3.0],
        [-40.0, -30.0, 60.0, 50.0],
    ],
    np.float32,
)
OF_IMAGES = np.array([0, 1, 1, 0, 1, 0, 0], np.int64)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 1, 3])
@pytest.mark.parametrize("coordinates", ["half_pixel", "output_half_pixel"])
def test_roi_align(mode, ratio, coordinates):
    # ONNX Runtime refuses samples of boxes that are turned around, if it counts them itself.
    chosen = slice(None) if ratio > 0 else [0, 1, 2, 3, 4, 6]
    check(
        "RoiAlign",
        [real(2, 3, 9, 11), BOXES[chosen], OF_IMAGES[chosen]],
        coordinate_transformation_mode=coordinates,
        mode=mode,
        output_height=3,
        output_width=5,
        sampling_ratio=ratio,
        spatial_scale=0.75,
    )


def test_roi_align_of_operator_set_10():
    inputs = [real(2, 3, 9, 11), BOXES[:5], OF_IMAGES[:5]]
    check("RoiAlign", inputs, opset=10, output_height=2, output_width=2, sampling_ratio=2)


def test_roi_align_in_half_precision():
    inputs = [real(2, 3, 9, 11).astype(np.float16), BOXES.astype(np.float16), OF_IMAGES]
    attributes = {"output_height": 2, "output_width": 3, "sampling_ratio": 2}
    wanted = in_float("RoiAlign", inputs, 16, **attributes)
    check("RoiAlign", inputs, opset=16, tolerance=HALF, wanted=wanted, **attributes)


def test_roi_align_of_wide_images():
    """Rows that are longer than the buffer of a kernel."""
    x = real(1, 1, 3, 2100)
    boxes = np.array([[0, 0, 2100, 3], [3, 1, 1900, 2]], np.float32)
    inputs = [x, boxes, np.zeros(2, np.int64)]
    check("RoiAlign", inputs, output_height=2, output_width=7, sampling_ratio=5, tolerance=1e-4)


def test_roi_align_of_nothing():
    x, boxes, batch = real(1, 2, 4, 4), np.zeros((0, 4), np.float32), np.zeros(0, np.int64)
    result = check("RoiAlign", [x, boxes, batch], wanted=[np.zeros((0, 2, 1, 1), np.float32)])
    assert result["y"].size == 0


def test_boxes_of_images_that_do_not_exist():
    batch = np.array([5, -1, 1], np.int64)
    result = check(
        "RoiAlign",
        [np.ones((2, 1, 4, 4), np.float32), np.tile(np.float32([0, 0, 4, 4]), (3, 1)), batch],
        wanted=[np.float32([0, 0, 1]).reshape(3, 1, 1, 1)],
    )
    assert result["y"].shape == (3, 1, 1, 1)


def test_max_roi_pool():
    boxes = np.concatenate([OF_IMAGES[:5, None].astype(np.float32), BOXES[:5]], 1)
    inputs = [real(2, 3, 9, 11), boxes]
    check("MaxRoiPool", inputs, known=(1,), pooled_shape=[3, 4], spatial_scale=0.6)


REDUCTIONS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
TYPES = [np.float32, np.float16, np.int32, np.int64, np.int8, np.uint8, np.bool_]


def numbers_of(dtype, *shape):
    if np.issubdtype(dtype, np.floating):
        return NUMBERS.standard_normal(shape).astype(dtype)
    return NUMBERS.integers(0, 2 if dtype is np.bool_ else 100, shape).astype(dtype)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_scatter_elements(reduction, dtype):
    data, indices = numbers_of(dtype, 4, 5, 3), NUMBERS.integers(-5, 5, (3, 9, 2))
    updates = numbers_of(dtype, 3, 9, 2)
    wanted = data.copy()
    rows, _, columns = np.indices(indices.shape)
    with np.errstate(over="ignore"):
        REDUCTIONS[reduction].at(wanted, (rows, indices, columns), updates)
    check(
        "ScatterElements",
        [data, indices, updates],
        wanted=[wanted],
        tolerance=2e-2 if dtype is np.float16 else 1e-5,
        axis=1,
        reduction=reduction,
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_scatter_nd(reduction, dtype):
    data, updates = numbers_of(dtype, 4, 5, 3), numbers_of(dtype, 7, 2, 3)
    indices = np.stack([NUMBERS.integers(-4, 4, (7, 2)), NUMBERS.integers(-5, 5, (7, 2))], -1)
    wanted = data.copy()
    with np.errstate(over="ignore"):
        REDUCTIONS[reduction].at(wanted, (indices[..., 0], indices[..., 1]), updates)
    check(
        "ScatterND",
        [data, indices, updates],
        wanted=[wanted],
        tolerance=2e-2 if dtype is np.float16 else 1e-5,
        known=(1,),
        reduction=reduction,
    )


def test_many_updates_of_few_elements():
    """Threads share the data; each element meets a hundred updates."""
    data, indices = real(64, 16), NUMBERS.integers(0, 64, (6400, 1))
    updates = real(6400, 16)
    wanted = data.astype(np.float64)
    np.add.at(wanted, indices[:, 0], updates)
    inputs = [data, indices, updates]
    check("ScatterND", inputs, wanted=[wanted], tolerance=1e-4, known=(1,), reduction="add")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("width", [8, 24, 25])
def test_rows_that_are_added(dtype, width):
    """Whole numbers, whose sums are exact; some rows are updated twice."""
    data = NUMBERS.integers(-9, 9, (5, 3, width)).astype(dtype)
    indices = np.array([[0, 1], [4, -1], [0, 1], [-5, 0], [2, 2]])
    updates = NUMBERS.integers(-9, 9, (5, width)).astype(dtype)
    wanted = data.astype(np.float64)
    np.add.at(wanted, tuple(indices.T), updates)
    inputs = [data, indices, updates]
    check("ScatterND", inputs, wanted=[wanted.astype(dtype)], known=(1,), reduction="add")


def test_reduction_of_no_updates():
    data = real(3, 4)
    inputs = [data, np.zeros((0, 4), np.int64), np.zeros((0, 4), np.float32)]
    check("ScatterElements", inputs, wanted=[data], reduction="max")


def unique_of(x, axis, in_order):
    y, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not in_order:
        order = np.argsort(first)
        y = np.take(y, order, axis=axis or 0)
        first, counts = first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    return [y, first, inverse, counts]


@pytest.mark.parametrize("in_order", [0, 1])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", TYPES)
def test_unique(dtype, axis, in_order):
    x = NUMBERS.integers(0, 2 if axis is not None else 9, (5, 6, 2)).astype(dtype)
    attributes = {} if axis is None else {"axis": axis}
    wanted = unique_of(x, axis, in_order)
    names = ["y", "first", "inverse", "counts"]
    check("Unique", [x], names, wanted=wanted, sorted=in_order, **attributes)


@pytest.mark.parametrize("count", [0, 1, 2, 1000, 5000])
@pytest.mark.parametrize("in_order", [0, 1])
def test_unique_of_many(count, in_order):
    x = NUMBERS.integers(-300, 300, count)
    names = ["y", "first", "inverse", "counts"]
    check("Unique", [x], names, wanted=unique_of(x, None, in_order), sorted=in_order)


def test_unique_numbers_with_nan():
    x = np.array([2, np.nan, -np.inf, 0.0, np.nan, -0.0, 2], np.float32)
    y, first, inverse, counts = unique_of(x, None, 1)
    results = onnx_lab.run(*model_of("Unique", [x], ["y", "first", "inverse", "counts"], 11))
    np.testing.assert_array_equal(results["y"], y)
    np.testing.assert_array_equal(results["first"], first)
    np.testing.assert_array_equal(results["inverse"], inverse)
    np.testing.assert_array_equal(results["counts"], counts)


def test_what_follows_unique_has_its_size():
    model = onnx_lab.model_of("""g (int64[n] x) => (int64[u] z, int64[one] s) {
        y = Unique (x)
        z = Mul (y, y)
        s = Shape (z)
    }""")
    x = np.array([3, -1, 3, 7, 7, -1], np.int64)
    results = onnx_lab.run(model, {"x": x})
    np.testing.assert_array_equal(results["z"], [1, 9, 49])
    np.testing.assert_array_equal(results["s"], [3])


SQUARES = [(1, 1), (2, 2), (35, 4, 4), (3, 5, 5), (17, 8, 8), (2, 9, 9), (3, 16, 16)]
SQUARES += [(2, 3, 17, 17), (2, 0, 0), (0, 3, 3)]


@pytest.mark.parametrize("shape", SQUARES)
def test_determinants(shape):
    x = real(*shape)
    check("Det", [x], wanted=[np.linalg.det(x.astype(np.float64))], tolerance=1e-4)


def test_determinants_of_singular_matrices():
    x = np.array([[[1, 2], [2, 4]], [[0, 1], [1, 0]], [[0, 0], [3, 1]]], np.float32)
    check("Det", [x], wanted=[np.float32([0, -1, 0])])
    half = x.astype(np.float16)
    check("Det", [half], wanted=[np.float16([0, -1, 0])])


def deformed(x, weights, offset, bias, mask, group, offset_group, **attributes):
    """The definition, sample by sample, in float64."""
    strides, pads = attributes.get("strides", [1, 1]), attributes.get("pads", [0] * 4)
    dilations = attributes.get("dilations", [1, 1])
    n, channels, height, width = x.shape
    maps, _, rows, columns = weights.shape
    extents = offset.shape[2:]
    shifts = offset.reshape(n, offset_group, rows, columns, 2, *extents).astype(np.float64)
    factors = np.ones((n, offset_group * rows * columns, *extents)) if mask is None else mask
    factors = factors.reshape(n, offset_group, rows, columns, *extents)
    framed = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 2), (1, 2)))
    result = np.zeros((n, maps, *extents))
    for place in np.ndindex(n, channels, rows, columns, *extents):
        b, c, ky, kx, i, j = place
        g = c // (channels // offset_group)
        y = i * strides[0] - pads[0] + ky * dilations[0] + shifts[b, g, ky, kx, 0, i, j]
        z = j * strides[1] - pads[1] + kx * dilations[1] + shifts[b, g, ky, kx, 1, i, j]
        if not (-1 < y < height and -1 < z < width):
            continue
        top, left = int(np.floor(y)), int(np.floor(z))
        v, u = y - top, z - left
        corner = framed[b, c, top + 1 : top + 3, left + 1 : left + 3]
        sample = np.array([1 - v, v]) @ corner @ np.array([1 - u, u])
        sample *= factors[b, g, ky, kx, i, j]
        own = channels // group
        of_group = slice(c // own * (maps // group), (c // own + 1) * (maps // group))
        result[b, of_group, i, j] += weights[of_group, c % own, ky, kx] * sample
    return result + (0 if bias is None else bias[:, None, None])


@pytest.mark.parametrize(
    ("group", "offset_group", "attributes"),
    [
        (1, 1, {}),
        (1, 2, {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
        (2, 1, {"pads": [1, 1, 1, 1], "dilations": [1, 2]}),
        (2, 2, {"strides": [2, 2]}),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_deformable_convolution(group, offset_group, attributes, full):
    x, weights = real(2, 4, 6, 7), real(6, 4 // group, 3, 2)
    pads, strides = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    dilations = attributes.get("dilations", [1, 1])
    extents = [
        (x.shape[2 + i] + pads[i] + pads[2 + i] - dilations[i] * (weights.shape[2 + i] - 1) - 1)
        // strides[i]
        + 1
        for i in range(2)
    ]
    offset = real(2, offset_group * 6 * 2, *extents)
    bias = real(6) if full else None
    mask = np.abs(real(2, offset_group * 6, *extents)) if full else None
    inputs = [x, weights, offset] + ([bias, mask] if full else [])
    wanted = deformed(x, weights, offset, bias, mask, group, offset_group, **attributes)
    attributes = attributes | {"group": group, "offset_group": offset_group}
    check("DeformConv", inputs, opset=19, wanted=[wanted], known=(1,), tolerance=1e-4, **attributes)


@pytest.mark.parametrize(
    ("image", "block", "attributes"),
    [
        ([7], [3], {"strides": [2]}),
        ([5, 6], [2, 3], {}),
        ([6, 7], [3, 2], {"pads": [1, 0, 1, 2], "strides": [2, 2]}),
        ([8, 8], [2, 3], {"dilations": [2, 1], "strides": [3, 2]}),
        ([10, 11], [9, 8], {}),
        ([3, 4, 2, 3], [2, 2, 1, 2], {"pads": [0, 1, 0, 0, 1, 0, 0, 0]}),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize("known", [True, False])
def test_col2im(image, block, attributes, dtype, known):
    """The shapes are constants or inputs of the model."""
    n = len(image)
    pads = attributes.get("pads", [0] * 2 * n)
    dilations, strides = attributes.get("dilations", [1] * n), attributes.get("strides", [1] * n)
    counts = [
        (image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
        for i in range(n)
    ]
    x = numbers_of(dtype, 2, 3 * int(np.prod(block)), int(np.prod(counts)))
    wanted = np.zeros((2, 3, *image))
    columns = x.reshape(2, 3, *block, *counts)
    for place in np.ndindex(*block, *counts):
        at = [place[n + i] * strides[i] - pads[i] + place[i] * dilations[i] for i in range(n)]
        if all(0 <= a < extent for a, extent in zip(at, image, strict=True)):
            wanted[(slice(None), slice(None), *at)] += columns[(slice(None), slice(None), *place)]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    values = [helper.make_tensor_value_info("x", kind, ["batch", x.shape[1], x.shape[2]])]
    values += [
        helper.make_tensor_value_info(name, TensorProto.INT64, [n]) for name in ("image", "block")
    ]
    constants = [
        helper.make_tensor("image", TensorProto.INT64, [n], image),
        helper.make_tensor("block", TensorProto.INT64, [n], block),
    ]
    graph = helper.make_graph(
        [helper.make_node("Col2Im", ["x", "image", "block"], ["y"], **attributes)],
        "graph",
        values[:1] if known else values,
        [onnx.ValueInfoProto(name="y")],
        constants if known else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    shapes = [] if known else [np.array(image, np.int64), np.array(block, np.int64)]
    (result,) = node_suite.run(model, [x, *shapes], node_suite.Messages())
    assert result.shape == wanted.shape
    tolerance = 2 * HALF if dtype is np.float16 else 1e-5
    np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)
    if known:
        onnx_lab.check(model, {"x": x}, tolerance, wanted={"y": wanted})


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (np.float32, np.int32),
        (np.int32, np.float32),
        (np.int8, np.uint8),
        (np.uint8, np.int8),
        (np.bool_, np.uint8),
        (np.float32, np.float32),
    ],
)
def test_bit_cast(source, to):
    x = numbers_of(source, 3, 4)
    wanted = x.view(to)
    node = helper.make_node(
        "BitCast", ["x"], ["y"], to=helper.np_dtype_to_tensor_dtype(np.dtype(to))
    )
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), ["n", 4])],
        [onnx.ValueInfoProto(name="y")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=10)
    np.testing.assert_array_equal(onnx_lab.run(model, {"x": x})["y"], wanted)


def test_bits_between_layers():
    """There, the bits are a view of the memory of another tensor."""
    model = onnx_lab.model_of(
        """g (float[n, 4] x, int32[1] step) => (float[n, 4] y) {
            a = Abs (x)
            bits = BitCast <to = 6> (a)
            next = Add (bits, step)
            b = BitCast <to = 1> (next)
            y = Sub (b, x)
        }""",
        opset=26,
    )
    x = real(3, 4)
    wanted = (np.abs(x).view(np.int32) + 1).view(np.float32) - x
    results = onnx_lab.run(model, {"x": x, "step": np.ones(1, np.int32)})
    np.testing.assert_array_equal(results["y"], wanted)


@pytest.mark.parametrize("dtype", [trt.DataType.HALF, trt.DataType.BF16])
def test_roi_align_in_a_narrower_type(dtype):
    """A weakly typed network may compute in it; coordinates keep all digits."""
    x, boxes, batch = real(2, 3, 9, 11), BOXES[:3], OF_IMAGES[:3]
    attributes = {"output_height": 3, "output_width": 3, "sampling_ratio": 2}
    model, feeds = model_of("RoiAlign", [x, boxes, batch], ["y"], 16, range(3), **attributes)
    messages = onnx_lab.Messages()
    builder = trt.Builder(messages)
    network = builder.create_network(0)
    assert trt.OnnxParser(network, messages).parse(model.SerializeToString())
    layer = next(layer for layer in network if layer.type == trt.LayerType.PLUGIN)
    layer.precision = dtype
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    config.set_flag(trt.BuilderFlag.FP16 if dtype == trt.DataType.HALF else trt.BuilderFlag.BF16)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, messages.errors
    engine = trt.Runtime(messages).deserialize_cuda_engine(plan)
    result = onnx_lab.run_engine(engine, feeds, messages)["y"]
    wanted = onnx_lab.expected(model, feeds)["y"]
    bound = 2e-2 if dtype == trt.DataType.BF16 else 2e-3
    assert 0 < np.abs(result - wanted).max() < bound


@pytest.mark.parametrize("known", [False, True])
def test_mel_weights(known):
    """The numbers of bins are inputs of the model, or constants."""
    values = {"bins": 20, "length": 256, "rate": 16000, "low": 60.0, "high": 7600.0}
    kinds = [TensorProto.INT64] * 3 + [TensorProto.FLOAT] * 2
    node = helper.make_node("MelWeightMatrix", list(values), ["y"])
    inputs = [
        helper.make_tensor_value_info(name, kind, [])
        for name, kind in zip(values, kinds, strict=True)
    ]
    constants = [
        helper.make_tensor(name, kind, [], [value])
        for (name, value), kind in zip(values.items(), kinds, strict=True)
    ]
    graph = helper.make_graph(
        [node],
        "graph",
        [] if known else inputs,
        [onnx.ValueInfoProto(name="y")],
        constants if known else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    dtypes = [np.int64] * 3 + [np.float32] * 2
    feeds = {
        name: np.array(value, dtype)
        for (name, value), dtype in zip(values.items(), dtypes, strict=True)
    }
    wanted = onnx_lab.expected(model, {} if known else feeds)
    onnx_lab.check(model, {} if known else feeds, 1e-4, wanted=wanted)


def compiled_nodes():
    """(operator, inputs, outputs, attributes) of kernels in their types and forms."""
    for dtype in (np.float32, np.float16):
        boxes = [real(2, 3, 9, 11).astype(dtype), BOXES.astype(dtype), OF_IMAGES]
        for mode, coordinates in (("avg", "half_pixel"), ("max", "output_half_pixel")):
            yield (
                "RoiAlign",
                boxes,
                1,
                {"mode": mode, "coordinate_transformation_mode": coordinates},
            )
        yield "Det", [real(2, 3, 3).astype(dtype)], 1, {}
    yield "MaxRoiPool", [real(2, 3, 9, 11), real(4, 5)], 1, {"pooled_shape": [2, 2]}
    for i, dtype in enumerate(TYPES):
        yield "Unique", [numbers_of(dtype, 4, 5)], 4, {"axis": i % 2, "sorted": i % 2}
        for reduction in REDUCTIONS:
            x, rows = numbers_of(dtype, 4, 5), NUMBERS.integers(0, 4, (4, 5))
            yield "ScatterElements", [x, rows, x], 1, {"reduction": reduction}
        yield "ScatterND", [x, rows[:, :1], x], 1, {"reduction": "add"}


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90", "sm_100"])
def test_kernels_compile_for_gpus(architecture):
    """By NVIDIA's compiler, which needs no GPU; each architecture has a third of the kernels."""
    which = ["sm_75", "sm_90", "sm_100"].index(architecture)
    trt.set_default_target(f"cuda:{architecture}")
    try:
        for op, inputs, outputs, attributes in list(compiled_nodes())[which::3]:
            known = range(len(inputs))
            names = [f"y{i}" for i in range(outputs)]
            model, feeds = model_of(op, inputs, names, 18, known, **attributes)
            onnx_lab.built(model, feeds, onnx_lab.Messages(), opened=False)
    finally:
        trt.set_default_target(None)


def refusal(op, inputs, opset=18, known=(), **attributes):
    model, _ = model_of(op, inputs, ["y"], opset, known, **attributes)
    return str(onnx_lab.refused(model)[0].desc())


def test_refusals():
    x, boxes, batch = real(1, 2, 4, 4), BOXES[:2], OF_IMAGES[:2]
    assert "attribute 'mode': expected" in refusal("RoiAlign", [x, boxes, batch], mode="mean")
    wrong = refusal("RoiAlign", [x, boxes, batch], coordinate_transformation_mode="pixel")
    assert "attribute 'coordinate_transformation_mode': expected" in wrong
    text = refusal("RoiAlign", [x, boxes[:, :3], batch], known=(1,))
    assert "boxes [boxes, 4] and the image of each [boxes]" in text
    text = refusal("ScatterElements", [x, batch, x], reduction="mean")
    assert "attribute 'reduction': expected" in text
    assert "expected square matrices" in refusal("Det", [real(3, 4)], known=(0,))
    columns = [real(1, 6, 4), np.array([3, 3], np.int64), np.array([2, 2], np.int64)]
    assert "input 2 (block_shape): expected 1 to 4 numbers" in refusal("Col2Im", columns)
    weights = np.zeros((1, 1, 40, 40), np.float32)
    text = refusal("DeformConv", [x, weights, real(1, 3200, 1, 1)], opset=19, known=(1,))
    assert "expected a kernel of at most 1024 elements" in text
