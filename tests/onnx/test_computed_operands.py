# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes, steps, sizes and lengths that are inputs of the model or computed, at dynamic shapes."""

import numpy as np
import onnx_lab as lab
import pytest

X = np.random.default_rng(5).standard_normal((3, 4, 5)).astype(np.float32)


def check(nodes, feeds, opset=20, ranges=None, inputs="", output="float y", **more):
    """`x` has a dynamic shape; `inputs` declares the others. Axes may be any of -3 .. 2."""
    text = f"""
    g (float[a, b, c] x{", " if inputs else ""}{inputs}) => ({output})
    {{ {nodes} }}
    """
    every = {name: (-3, 3) for name in feeds if name != "x"} | (ranges or {})
    feeds = {"x": X} | {name: np.array(value) for name, value in feeds.items()}
    return lab.check(lab.model_of(text, opset), feeds, ranges=every, **more)


@pytest.mark.parametrize(
    "start, end, axes, step",
    [
        ([1], [3], [1], [1]),
        ([0, -1], [2, -9], [0, -1], [1, -2]),
        ([3, 4], [0, 0], [2, 1], [-1, -3]),
        ([-100], [100], [-2], [3]),
        ([2], [1], [0], [1]),
    ],
)
@pytest.mark.parametrize("known", [(), ("axes",), ("step",)])
def test_slice(start, end, axes, step, known):
    feeds = {"start": start, "end": end, "axes": axes, "step": step}
    constants = " ".join(f"{name} = Constant <value_ints = {feeds.pop(name)}> ()" for name in known)
    ranges = {"start": (-100, 100), "end": (-100, 100)}
    inputs = ", ".join(f"int64[{len(start)}] {name}" for name in feeds)
    nodes = f"{constants} y = Slice (x, start, end, axes, step)"
    check(nodes, feeds, inputs=inputs, ranges=ranges)


def test_slice_without_axes():
    feeds = {"start": [1, 3], "end": [3, 0], "step": [1, -2]}
    inputs = "int64[2] start, int64[2] end, int64[2] step"
    check("y = Slice (x, start, end, , step)", feeds, inputs=inputs)


@pytest.mark.parametrize(
    ("bounds", "axes", "steps"),
    [
        ([1, 4], [0], [1]),
        ([-4, -1], [1], [1]),
        ([0, 99], [1], [3]),
        ([2, 1], [0], [2]),
        ([-99, 3], [0], [2]),
        ([1, 2, 4, 6], [0, 1], [1, 2]),
    ],
)
def test_slice_by_data(bounds, axes, steps):
    """The bounds are too many numbers for shape inputs: they are data."""
    count = len(axes)
    table = np.zeros(200, np.int64)
    table[: 2 * count] = bounds
    text = """
    g (float[N, 7] x, int64[200] table) => (float[A, B] y)
      <int64[1] zero = {0}, int64[1] one = {COUNT}, int64[1] two = {BOTH},
       int64[COUNT] axes = {AXES}, int64[COUNT] steps = {STEPS}>
    {
      start = Slice (table, zero, one)
      end = Slice (table, one, two)
      y = Slice (x, start, end, axes, steps)
    }
    """
    text = text.replace("AXES", str(axes)[1:-1]).replace("STEPS", str(steps)[1:-1])
    text = text.replace("COUNT", str(count)).replace("BOTH", str(2 * count))
    x = np.arange(42, dtype=np.float32).reshape(6, 7)
    lab.check(lab.model_of(text), {"x": x, "table": table})


def test_slices_of_rows_in_a_loop():
    """As embedding bags are exported: a loop over parts of any lengths, which their sums need."""
    text = """
    g (float[N, 3] x, int64[K] ends) => (float[A, B] y)
      <int64[1] zero = {0}, int64 one = {1}>
    {
      all = Concat <axis = 0> (zero, ends)
      m = Size (ends)
      yes = Constant <value = bool {1}> ()
      y = Loop (m, yes) <
        body = b (int64 i, bool c) => (bool go, float[3] sum) {
          go = Identity (c)
          flat = Unsqueeze (i, zero)
          after = Add (flat, one)
          later = Add (after, one)
          start = Slice (all, flat, after)
          end = Slice (all, after, later)
          rows = Slice (x, start, end)
          sum = ReduceSum <keepdims = 0> (rows, zero)
        }
      >
    }
    """
    x = np.random.default_rng(1).random((90, 3)).astype(np.float32)
    ends = np.array([4, 4, 9, 50, 90], np.int64)
    lab.check(lab.model_of(text), {"x": x, "ends": ends})


def test_squeeze_without_axes():
    """As torch's newer exporter writes it: unknown extents are not 1."""
    text = "g (float[N, 1, 3, 1] x) => (float[A, B] y) { y = Squeeze (x) }"
    x = np.arange(12, dtype=np.float32).reshape(4, 1, 3, 1)
    model = lab.model_of(text)
    lab.check(model, {"x": x})
    messages = lab.Messages()
    lab.parsed(model, messages)
    assert "unknown extents of [-1, 1, 3, 1] stay" in messages.warnings[0]


@pytest.mark.parametrize("axes", [[0], [-1], [3], [1, 2], [-2, 0], [0, 2, 5]])
def test_unsqueeze(axes):
    most = 3 + len(axes)
    ranges = {"axes": (-most, most - 1)}
    inputs = f"int64[{len(axes)}] axes"
    check("y = Unsqueeze (x, axes)", {"axes": axes}, inputs=inputs, ranges=ranges)


@pytest.mark.parametrize("axes", [[0], [-1], [0, 4], [5, -2], [-6, 4, 5]])
def test_squeeze(axes):
    nodes = "shape = Shape (x) one = Constant <value_ints = [1]> () "
    nodes += "wide = Concat <axis = 0> (one, shape, one, one) z = Reshape (x, wide) "
    ranges = {"axes": (-6, 5)}
    inputs = f"int64[{len(axes)}] axes"
    wanted = {"y": X.reshape(1, 3, 4, 5, 1, 1).squeeze(tuple(axes))}
    check(
        nodes + "y = Squeeze (z, axes)", {"axes": axes}, inputs=inputs, ranges=ranges, wanted=wanted
    )


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
@pytest.mark.parametrize(
    "axes, pads", [([1], [1, 2]), ([2, 0], [1, 0, 2, 1]), ([-1, 1], [0, 1, 1, 2])]
)
def test_pad(mode, axes, pads):
    inputs = f"int64[{len(pads)}] pads, int64[{len(axes)}] axes"
    nodes = f'y = Pad <mode = "{mode}"> (x, pads, , axes)'
    check(nodes, {"pads": pads, "axes": axes}, inputs=inputs, ranges={"pads": (0, 2)})


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("attributes", ["", "<exclusive = 1>", "<reverse = 1, exclusive = 1>"])
def test_cumsum(axis, attributes):
    feeds = {"axis": np.array(axis, np.int64)}
    check(f"y = CumSum {attributes} (x, axis)", feeds, inputs="int64 axis", tolerance=1e-4)


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize("onesided", [0, 1])
def test_dft(axis, onesided):
    signal = X.reshape(3, 4, 5, 1)
    nodes = "shape = Shape (x) one = Constant <value_ints = [1]> () "
    nodes += "wide = Concat <axis = 0> (shape, one) z = Reshape (x, wide) "
    nodes += f"y = DFT <onesided = {onesided}> (z, , axis)"
    transform = np.fft.rfft if onesided else np.fft.fft
    result = transform(signal[..., 0], axis=axis + 1 if axis < 0 else axis)
    wanted = np.stack([result.real, result.imag], -1).astype(np.float32)
    feeds = {"axis": np.array(axis, np.int64)}
    ranges = {"axis": (-3, 2)}
    check(nodes, feeds, inputs="int64 axis", ranges=ranges, tolerance=1e-3, wanted={"y": wanted})


def test_split_to_sequence():
    nodes = """
    s = SplitToSequence <axis = 2> (x, sizes)
    one = Constant <value_int = 1> ()
    y = SequenceAt (s, one)
    """
    check(nodes, {"sizes": [1, 3, 1]}, inputs="int64[3] sizes", ranges={"sizes": (0, 3)})


CHAINS = {
    "scale": "h = Constant <value_float = 0.7> () r = Mul (f, h) t = Floor (r)",
    "ceiling": "h = Constant <value_float = 3.0> () r = Div (f, h) t = Ceil (r)",
    "half": "h = Constant <value_float = 2.0> () r = Div (f, h) t = Round (r)",
    "cut": "h = Constant <value_float = 1.5> () r = Sub (f, h) t = Relu (r)",
    "opposite": "h = Constant <value_float = -0.4> () r = Mul (f, h) t = Neg (r)",
}


@pytest.mark.parametrize("chain", CHAINS)
def test_extents_by_real_numbers(chain):
    """As torch writes the sizes of an interpolation."""
    nodes = f"""
    zero = Constant <value_ints = [0]> ()
    one = Constant <value_int = 1> ()
    shape = Shape (x)
    extent = Gather (shape, one)
    f = Cast <to = 1> (extent)
    {CHAINS[chain]}
    whole = Cast <to = 7> (t)
    axis = Constant <value_ints = [0]> ()
    last = Unsqueeze (whole, axis)
    axes = Constant <value_ints = [1]> ()
    y = Slice (x, zero, last, axes)
    """
    check(nodes, {})


@pytest.mark.parametrize("delta", [1.0, 0.5, 0.75])
def test_range_of_reals(delta):
    nodes = f"""
    start = Constant <value_float = 1.0> ()
    step = Constant <value_float = {delta}> ()
    one = Constant <value_int = 1> ()
    shape = Shape (x)
    extent = Gather (shape, one)
    f = Cast <to = 1> (extent)
    y = Range (start, f, step)
    """
    check(nodes, {})


@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.8])
@pytest.mark.parametrize("computed", [False, True])
def test_dropout_in_training(ratio, computed):
    x = np.ones((64, 64), np.float32)
    flag = "" if computed else "t = Constant <value = bool {1}> ()"
    text = f"""
    g (float[64, 64] x{", bool t" if computed else ""}) => (float y, bool mask)
    {{ {flag} r = Constant <value_float = {ratio}> () y, mask = Dropout (x, r, t) }}
    """
    feeds = {"x": x} | ({"t": np.array(True)} if computed else {})
    results = lab.run(lab.model_of(text, 13), feeds)
    kept = results["mask"]
    assert abs(kept.mean() - (1 - ratio)) < 0.05
    np.testing.assert_allclose(results["y"], np.where(kept, x / (1 - ratio), 0), rtol=1e-6)
    if computed:
        results = lab.run(lab.model_of(text, 13), {"x": x, "t": np.array(False)})
        assert results["mask"].all()
        np.testing.assert_array_equal(results["y"], x)
