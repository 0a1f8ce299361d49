# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Forms that exporters write where a shape, a number of passes or a type is known late."""

import kiln as trt
import numpy as np
import onnx_lab as lab
import pytest

import onnx

NUMBERS = np.random.default_rng(3)


def real(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


SQUEEZED = """
g (float[A, B, 4] x) => (float[C, D, E] y) {
  shape = Shape (x)
  one = Constant <value_int = 1> ()
  extent = Gather (shape, one)
  isOne = Equal (extent, one)
  z = If (isOne) <
    then_branch = t () => (s) { axes = Constant <value_ints = [1]> () s = Squeeze (x, axes) },
    else_branch = e () => (i) { i = Identity (x) }>
  y = Relu (z)
}
"""


def test_squeeze_of_an_unknown_extent():
    """torch.jit writes x.squeeze(1) so; the rank of an engine's tensor does not change."""
    messages = lab.Messages()
    model = lab.model_of(SQUEEZED, 13)
    engine = lab.built(model, {"x": real(3, 2, 4)}, messages)
    assert any("the engine has the branch 'else'" in text for text in messages.warnings)
    x = real(3, 2, 4)
    np.testing.assert_array_equal(lab.run_engine(engine, {"x": x}, messages)["y"], x.clip(0))
    with pytest.raises(AssertionError):
        lab.run_engine(engine, {"x": real(3, 1, 4)}, messages)
    assert "expected shapes that make the condition false" in messages.errors[-1]


def test_ranks_that_data_decides():
    text = SQUEEZED.replace("Equal (extent, one)", "IsNaN (first)").replace(
        "shape = Shape (x)", "zero = Constant <value_int = 0> () f = Gather (x, zero)"
    )
    text = text.replace("extent = Gather (shape, one)", "first = ReduceMax <keepdims = 0> (f)")
    (error,) = lab.refused(lab.model_of(text, 13))
    assert "expected one rank in both branches" in error.desc()


PRODUCTS = """
g (float[A, B] x) => (float[A, B] y) {
  axis = Constant <value_int = AXIS> ()
  y = CumProd <reverse = REVERSE, exclusive = EXCLUSIVE> (x, axis)
}
"""


def products(x, axis, reverse, exclusive):
    data = np.flip(x, axis) if reverse else x
    result = np.moveaxis(np.cumprod(data, axis), axis, 0)
    if exclusive:
        result = np.concatenate([np.ones_like(result[:1]), result[:-1]])
    result = np.moveaxis(result, 0, axis)
    return np.flip(result, axis) if reverse else result


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_products_along_an_unknown_extent(axis, reverse, exclusive):
    text = PRODUCTS.replace("AXIS", str(axis)).replace("REVERSE", str(reverse))
    model = lab.model_of(text.replace("EXCLUSIVE", str(exclusive)), 26)
    x = real(3, 5)
    lab.check(model, {"x": x}, wanted={"y": products(x, axis, reverse, exclusive)})


def test_products_along_a_computed_axis_of_unknown_extent():
    text = "g (float[A, B] x, int64 a) => (float[A, B] y) { y = CumProd (x, a) }"
    for axis in (0, 1):
        feeds = {"x": real(3, 5), "a": np.array(axis)}
        lab.check(lab.model_of(text, 26), feeds, wanted={"y": np.cumprod(feeds["x"], axis)})


LOOP = """
g (uint16[3] x) => (int64[3] y, int64[A, 3] all) {
  m = Constant <value_int = 5> ()
  yes = Constant <value = bool {1}> ()
  last, stack = Loop (m, yes, x) <
    body = b (int64 i, bool c, uint16[3] s) => (bool go, uint16[3] t, uint16[3] u) {
      go = Identity (c)
      t = Add (s, s)
      u = Identity (t)
    }>
  w = Add (last, last)
  y = Cast <to = 7> (w)
  two = Add (stack, stack)
  all = Cast <to = 7> (two)
}
"""


def test_types_of_the_model_in_loops():
    """A network takes UINT16 as INT32; sums wrap as those of UINT16, also behind the loop."""
    x = np.array([40000, 3, 65535], np.uint16)
    steps = [(x << (i + 1)).astype(np.uint16) for i in range(5)]
    wanted = {
        "y": (steps[-1] * 2).astype(np.uint16).astype(np.int64),
        "all": (np.stack(steps) * 2).astype(np.uint16).astype(np.int64),
    }
    lab.check(lab.model_of(LOOP), {"x": x}, taken={"x": x.astype(np.int32)}, wanted=wanted)


SCAN = """
g (uint16[2] h, uint16[4, 2] x) => (int64[2] y, int64[4, 2] z) {
  last, all = Scan <num_scan_inputs = 1,
    body = b (uint16[2] s, uint16[2] e) => (uint16[2] t, uint16[2] u) {
      t = Add (s, e)
      u = Mul (e, e)
    }> (h, x)
  twice = Add (last, last)
  y = Cast <to = 7> (twice)
  both = Add (all, all)
  z = Cast <to = 7> (both)
}
"""


def test_types_of_the_model_in_scans():
    h = np.array([60000, 5], np.uint16)
    x = NUMBERS.integers(0, 65535, (4, 2)).astype(np.uint16)
    last = h + x.sum(0, dtype=np.uint16)
    wanted = {"y": (last + last).astype(np.int64), "z": (x * x + x * x).astype(np.int64)}
    taken = {"h": h.astype(np.int32), "x": x.astype(np.int32)}
    lab.check(lab.model_of(SCAN), {"h": h, "x": x}, taken=taken, wanted=wanted)


LARGE = """
g (uint64[4] x) => (uint64[4] y, uint64[4] z, float[4] f, uint64[4] r) {
  one = Constant <value = uint64 {1}> ()
  y = BitwiseOr (x, top)
  z = BitShift <direction = "RIGHT"> (y, one)
  f = Cast <to = 1> (y)
  r = BitShift <direction = "RIGHT"> (y, x)
}
"""


def test_numbers_of_64_bits():
    """torch writes shifts of INT64 with the highest bit of UINT64; INT64 has the same bits."""
    model = lab.model_of(LARGE, 18)
    top = np.array(1 << 63, np.uint64)
    model.graph.initializer.append(onnx.numpy_helper.from_array(top, "top"))
    x = np.array([0, 5, 3, 1 << 40], np.uint64)
    y = x | top
    shifted = [int(a) >> int(b) if b < 64 else 0 for a, b in zip(y, x, strict=True)]
    wanted = {
        "y": y.view(np.int64),
        "z": (y >> np.uint64(1)).view(np.int64),
        "f": y.astype(np.float32),
        "r": np.array(shifted, np.uint64).view(np.int64),
    }
    lab.check(model, {"x": x}, taken={"x": x.astype(np.int64)}, wanted=wanted)


def test_shift_of_numbers_that_may_be_extents():
    text = "g (uint64[3] x, uint64[3] n) => (uint64[3] y) "
    model = lab.model_of(text + '{ y = BitShift <direction = "RIGHT"> (x, n) }', 18)
    x, n = np.array([16, 1 << 63, 5], np.uint64), np.array([1, 62, 0], np.uint64)
    taken = {"x": x.view(np.int64), "n": n.view(np.int64)}
    lab.check(model, {"x": x, "n": n}, taken=taken, wanted={"y": (x >> n).view(np.int64)})


REPEATED = """
g (float[N, 3] x) => (float[M, 3] y, int64[5] s) {
  count = Constant <value_ints = [1, 0, 2, 1, 3]> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  axes = Constant <value_ints = [1]> ()
  last = Constant <value_int = -1> ()
  ends = CumSum (count, zero)
  total = Gather (ends, last)
  places = Range (zero, total, one)
  columns = Unsqueeze (ends, axes)
  before = GreaterOrEqual (places, columns)
  numbers = Cast <to = 7> (before)
  first = Constant <value_ints = [0]> ()
  rows = ReduceSum <keepdims = 0> (numbers, first)
  y = Gather (x, rows)
  s = CumSum <exclusive = 1, reverse = 1> (count, zero)
}
"""


def test_repeats_by_a_vector():
    """torch.repeat_interleave: the sum of the vector is an extent."""
    x, count = real(5, 3), np.array([1, 0, 2, 1, 3])
    wanted = {"y": np.repeat(x, count, 0), "s": np.array([6, 6, 4, 3, 0])}
    lab.check(lab.model_of(REPEATED, 18), {"x": x}, wanted=wanted)


MASKED = """
g (float[A, 6] x) => (float[A, 6] y, float[B, 3] z) {
  half = Constant <value_float = 0.5> ()
  value = Constant <value_float = 0.25> ()
  flat = Constant <value_ints = [-1]> ()
  mask = Greater (x, half)
  found = NonZero (mask)
  places = Transpose <perm = [1, 0]> (found)
  line = Reshape (mask, flat)
  numbers = Cast <to = 7> (line)
  count = ReduceSum (numbers)
  values = Expand (value, count)
  y = ScatterND (x, places, values)
  alone = ReduceSum <keepdims = 0> (numbers)
  shape = Unsqueeze (alone, zero)
  three = Constant <value_ints = [3]> ()
  wide = Concat <axis = 0> (shape, three)
  z = ConstantOfShape <value = float {3}> (wide)
}
"""


def test_as_many_values_as_a_mask_has():
    """torch.export writes x[mask] = value with the sum of the mask as a shape."""
    model = lab.model_of(MASKED, 18)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([0]), "zero"))
    for x in (real(5, 6), np.zeros((5, 6), np.float32), np.ones((5, 6), np.float32)):
        count = int((x > 0.5).sum())
        filled = np.full((count, 3), 3, np.float32)
        wanted = {"y": np.where(x > 0.5, np.float32(0.25), x), "z": filled}
        lab.check(model, {"x": x}, wanted=wanted)


# The bits of 1, 1, 2, 1.5 and of -0.25.
SCALES_AS_HALF = """
g (float[1, 2, A, 3] x) => (float[1, 2, C, D] y, float[1, 2, A, 3] z) {
  small = Constant <value = float16[4] {15360, 15360, 16384, 15872}> ()
  scales = Cast <to = 1> (small)
  y = Resize <mode = "linear"> (x, , scales)
  low = Constant <value = float16 {46080}> ()
  bound = Cast <to = 1> (low)
  z = Clip (x, bound)
}
"""


def test_constants_that_a_converter_stored_as_half():
    """What converts models to FLOAT16 puts casts behind the scales of Resize."""
    lab.check(lab.model_of(SCALES_AS_HALF, 17), {"x": real(1, 2, 4, 3)})


RANGE = """
g (float[A, B] x) => (float[A, A] y, int64[C, D] at) {
  shape = Shape (x)
  last = Constant <value_ints = [1]> ()
  extent = Gather (shape, last)
  ones = ConstantOfShape <value = NUMBER> (extent)
  at = NonZero (ones)
  column = Transpose (at)
  axes = Constant <value_ints = [1]> ()
  row = Squeeze (column, axes)
  z = Gather <axis = 1> (x, row)
  turned = Transpose (z)
  y = MatMul (x, turned)
}
"""


@pytest.mark.parametrize("number", ["int64[1] {1}", "float[1] {1.0}", "int32[1] {-3}"])
def test_ranges_that_are_places_of_ones(number):
    """torch.arange is such places in old operator sets; as_strided still is."""
    model = lab.model_of(RANGE.replace("NUMBER", number), 13)
    network, _, _ = lab.parsed(model, lab.Messages())
    assert trt.LayerType.NON_ZERO not in [network[i].type for i in range(network.num_layers)]
    lab.check(model, {"x": real(3, 7)})


@pytest.mark.parametrize("number", ["int64[1] {0}", "float[1] {0.0}", "bool[1] {0}", "bool[1] {1}"])
def test_places_of_other_numbers(number):
    text = RANGE.replace("NUMBER", number).replace("float[A, A] y, ", "")
    text = text[: text.index("  column")] + "}"
    lab.check(lab.model_of(text, 13), {"x": real(3, 7)})
