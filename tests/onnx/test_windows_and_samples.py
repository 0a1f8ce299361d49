# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling, Resize, GridSample, Einsum and DepthToSpace beyond the layers of their names, also with
unknown extents. The results are those of ONNX Runtime, or of onnx's reference."""

import numpy as np
import onnx_lab
import pytest
import torch
from onnx.reference import ReferenceEvaluator

import onnx
from onnx import helper

NUMBERS = np.random.default_rng(23)
SHAPES = pytest.mark.parametrize("dynamic", [False, True], ids=["fixed", "dynamic"])


def real(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


def model_of(op, feeds, constants=(), outputs=("y",), dynamic=False, opset=20, **attributes):
    """A model of one node. Inputs in `constants` are initializers; None is an absent input."""
    names = [name if x is not None else "" for name, x in feeds.items()]
    node = helper.make_node(op, names, list(outputs), **attributes)
    given = {name: x for name, x in feeds.items() if x is not None}

    def extents(name, x):
        open_ends = dynamic and name in ("x", "grid")
        return [f"{name}{axis}" for axis in range(x.ndim)] if open_ends else x.shape

    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(x.dtype), extents(name, x)
        )
        for name, x in given.items()
        if name not in constants
    ]
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    kept = [onnx.numpy_helper.from_array(given[name], name) for name in constants]
    graph = helper.make_graph([node], "graph", inputs, results, kept)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def check(op, feeds, constants=(), tolerance=1e-4, reference=False, **options):
    """Compares with ONNX Runtime, or with the reference of the onnx package."""
    model = model_of(op, feeds, constants, **options)
    fed = {name: x for name, x in feeds.items() if x is not None and name not in constants}
    wanted = None
    if reference:
        names = [output.name for output in model.graph.output]
        found = ReferenceEvaluator(model).run(names, fed)
        wanted = {name: np.asarray(x) for name, x in zip(names, found, strict=True)}
    return onnx_lab.check(model, fed, tolerance, wanted=wanted)


POOLINGS = {
    "dilated": {"kernel_shape": [3, 2], "dilations": [2, 3], "strides": [2, 1]},
    "dilated_padded": {"kernel_shape": [3, 3], "dilations": [2, 2], "pads": [2, 1, 1, 2]},
    "rounded_up": {"kernel_shape": [3, 3], "strides": [2, 3], "pads": [0, 1, 1, 0], "ceil_mode": 1},
    "dropped_window": {"kernel_shape": [2, 3], "strides": [3, 2], "pads": [1, 1, 1, 1],
                       "ceil_mode": 1},
    "same": {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_LOWER"},
}  # fmt: skip


@SHAPES
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
def test_pooling(op, pooling, dynamic):
    attributes = POOLINGS[pooling]
    dilated = "dilations" in attributes
    if op == "LpPool" and dilated and dynamic:
        pytest.skip("the profile of the test has images that are smaller than a window")
    for more in ({}, {"count_include_pad": 1}) if op == "AveragePool" else ({},):
        options = attributes | more
        check(
            op, {"x": real(2, 3, 10, 11)}, dynamic=dynamic, opset=19 if dilated else 18, **options
        )


@SHAPES
@pytest.mark.parametrize(("rank", "order"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1)])
def test_indices(rank, order, dynamic):
    x = NUMBERS.integers(0, 5, (2, 3, 6, 5, 4)[: rank + 2]).astype(np.float32)  # with ties
    check("MaxPool", {"x": x}, outputs=("y", "indices"), kernel_shape=[3, 2, 2][:rank],
          strides=[2, 1, 2][:rank], pads=([1, 0, 1][:rank]) * 2, storage_order=order,
          dynamic=dynamic)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_pooling_of_integers(dtype):
    x = NUMBERS.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (2, 3, 8, 9)).astype(dtype)
    check("MaxPool", {"x": x}, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def test_lp_pool_rounded_up():
    x = real(1, 2, 6, 8)
    wanted = torch.nn.functional.lp_pool2d(torch.from_numpy(x).abs(), 3, 3, 2, ceil_mode=True)
    model = model_of("LpPool", {"x": x}, kernel_shape=[3, 3], strides=[2, 2], p=3, ceil_mode=1)
    result = onnx_lab.run(model, {"x": x})["y"]
    assert result.shape == tuple(wanted.shape)
    # torch takes the mean of a window that is cut off, times the size of a whole one.
    np.testing.assert_allclose(result[:, :, :2, :3], wanted[:, :, :2, :3], rtol=1e-4)


@SHAPES
@pytest.mark.parametrize("op", ["GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"])
@pytest.mark.parametrize("rank", [3, 4, 5])
def test_global_pooling(op, rank, dynamic):
    check(op, {"x": real(2, 3, 4, 5, 6)[(...,) + (0,) * (5 - rank)].copy()}, dynamic=dynamic)


@SHAPES
@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks(mode, dynamic):
    check("DepthToSpace", {"x": real(2, 12, 3, 5)}, blocksize=2, mode=mode, dynamic=dynamic)
    check("SpaceToDepth", {"x": real(2, 3, 6, 9)}, blocksize=3, dynamic=dynamic)


@SHAPES
@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_volumes_of_samples(mode, padding, corners, dynamic):
    grid = NUMBERS.uniform(-1.4, 1.4, (2, 3, 4, 2, 3)).astype(np.float32)
    x = real(2, 3, 4, 5, 6)
    wanted = torch.nn.functional.grid_sample(
        torch.from_numpy(x), torch.from_numpy(grid),
        {"linear": "bilinear"}.get(mode, mode), padding, align_corners=bool(corners)
    )  # fmt: skip
    feeds = {"x": x, "grid": grid}
    model = model_of("GridSample", feeds, mode=mode, padding_mode=padding,
                     align_corners=corners, dynamic=dynamic)  # fmt: skip
    onnx_lab.check(model, feeds, 1e-4, wanted={"y": wanted.numpy()})


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_old_names_of_modes(mode):
    feeds = {"x": real(2, 3, 5, 6), "grid": NUMBERS.uniform(-1, 1, (2, 4, 3, 2)).astype("f4")}
    check("GridSample", feeds, mode=mode, opset=16)


EQUATIONS = {
    "ii->i": [(4, 4)],
    "ii": [(4, 4)],
    "...ii->...i": [(2, 3, 4, 4)],
    "iji->j": [(3, 4, 3)],
    "bii,ij->bj": [(2, 3, 3), (3, 4)],
    "Bij,BJj": [(2, 3, 4), (2, 5, 4)],
    "...ij,...jk->...ik": [(2, 3, 4), (5, 1, 4, 6)],
    "...,...": [(2, 3), (3,)],
    "aBc -> cBa": [(2, 3, 4)],
    "iii->i": [(3, 3, 3)],
}


@SHAPES
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation, dtype, dynamic):
    feeds = {
        name: (real(*shape) * 3).astype(dtype)
        for name, shape in zip(("x", "grid"), EQUATIONS[equation], strict=False)
    }
    model = model_of("Einsum", feeds, dynamic=dynamic, equation=equation)
    wanted = np.einsum(equation, *feeds.values())
    onnx_lab.check(model, feeds, 1e-4, wanted={"y": np.asarray(wanted)})


def resize(x, scales=None, sizes=None, roi=None, fed=False, **options):
    feeds = {"x": x, "roi": roi, "scales": scales, "sizes": sizes}
    feeds = {
        name: np.asarray(value, np.int64 if name == "sizes" else np.float32)
        if value is not None and name != "x" else value
        for name, value in feeds.items()
    }  # fmt: skip
    while list(feeds.values())[-1] is None:
        feeds.popitem()
    constants = [name for name in ("roi", "scales", "sizes") if feeds.get(name) is not None]
    check("Resize", feeds, () if fed else constants, **options)


RESIZES = {
    "symmetric": {"coordinate_transformation_mode": "half_pixel_symmetric", "mode": "linear"},
    "antialias": {"mode": "linear", "antialias": 1},
    "antialias_cubic": {"mode": "cubic", "antialias": 1, "cubic_coeff_a": -0.5},
    "antialias_inside": {"mode": "cubic", "antialias": 1, "exclude_outside": 1},
    "cubic_inside": {"mode": "cubic", "cubic_coeff_a": -0.6, "exclude_outside": 1},
    "nearest": {"mode": "nearest", "nearest_mode": "ceil"},
    "floor": {"mode": "nearest", "nearest_mode": "floor",
              "coordinate_transformation_mode": "asymmetric"},
    "torch": {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"},
}  # fmt: skip


@SHAPES
@pytest.mark.parametrize("fed", [False, True], ids=["constant", "fed"])
@pytest.mark.parametrize("case", RESIZES)
def test_resize_by_scales(case, fed, dynamic):
    for scales in ([1, 1, 0.6, 0.7], [1, 1, 1.5, 2.3]):
        resize(real(2, 3, 8, 9), scales, fed=fed, dynamic=dynamic, **RESIZES[case])


@SHAPES
@pytest.mark.parametrize("case", RESIZES)
def test_resize_by_sizes(case, dynamic):
    resize(real(2, 3, 8, 9), sizes=[2, 3, 5, 13], dynamic=dynamic, fed=dynamic, **RESIZES[case])


@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
def test_resize_of_all_axes(mode):
    resize(real(2, 3, 4, 5), [1.5, 1.34, 1.5, 0.8], mode=mode, reference=True)
    resize(real(6), [1.7], mode=mode, reference=True)
    resize(real(2, 3, 4, 5), sizes=[5, 7], axes=[0, 2], mode=mode, reference=True)


@SHAPES
@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("axes", [[2, 3], [3, 2]])
def test_resize_keeps_the_ratio(policy, axes, dynamic):
    for mode in ("linear", "nearest"):
        resize(real(1, 2, 6, 9), sizes=[7, 5], axes=axes, keep_aspect_ratio_policy=policy,
               mode=mode, dynamic=dynamic)  # fmt: skip


@SHAPES
@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
@pytest.mark.parametrize("fed", [False, True])
def test_crop(mode, fed, dynamic):
    options = {"coordinate_transformation_mode": "tf_crop_and_resize", "mode": mode,
               "extrapolation_value": 7.0, "dynamic": dynamic, "fed": fed}  # fmt: skip
    x = real(1, 2, 6, 9)
    resize(x, sizes=[1, 2, 4, 5], roi=[0, 0, 0.2, -0.3, 1, 1, 0.9, 1.2], reference=True, **options)
    resize(x, sizes=[4, 5], roi=[0.6, 0.3, 1.4, 0.8], axes=[2, 3], reference=True, **options)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16])
def test_resize_of_other_types(dtype):
    x = NUMBERS.integers(0, 200, (1, 2, 6, 8)).astype(dtype)
    resize(x, [1, 1, 0.5, 0.5], mode="nearest", fed=True)
    result = onnx_lab.run(
        model_of("Resize", {"x": x, "roi": None, "scales": np.array([1, 1, 0.5, 0.5], np.float32)},
                 ["scales"], mode="linear", antialias=1), {"x": x})["y"]  # fmt: skip
    image = torch.from_numpy(x.astype(np.float32))
    wanted = torch.nn.functional.interpolate(
        image, scale_factor=0.5, mode="bilinear", antialias=True, recompute_scale_factor=False
    )
    inner = (slice(None), slice(None), slice(1, -1), slice(1, -1))  # the border has other weights
    assert result.dtype == dtype
    np.testing.assert_allclose(result[inner].astype(np.float32), wanted[inner], atol=0.6)


def test_scales_of_extents():
    """As exporters of old write them: the quotient of a wanted extent and that of the input."""
    text = """graph (float[n,3,h,w] x) => (float[n,3,a,b] y) {
        shape = Shape (x)
        zero = Constant <value = int64[1] {0}> ()
        two = Constant <value = int64[1] {2}> ()
        four = Constant <value = int64[1] {4}> ()
        outer = Slice (shape, zero, two)
        inner = Slice (shape, two, four)
        factor = Constant <value = float[1] {1.5}> ()
        size = Cast <to = 1> (inner)
        grown = Mul (size, factor)
        whole = Floor (grown)
        ratio = Div (whole, size)
        ones = Constant <value = float[2] {1.0, 1.0}> ()
        scales = Concat <axis = 0> (ones, ratio)
        roi = Constant <value = float[0] {}> ()
        y = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric",
                    nearest_mode = "floor"> (x, roi, scales)
    }"""
    onnx_lab.check(onnx_lab.model_of(text, opset=13), {"x": real(2, 3, 5, 6)})
