# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Extents that only data gives: repeats, bins and lengths that a model computes from numbers."""

import numpy as np
import onnx_lab as lab
import pytest

import onnx

NUMBERS = np.random.default_rng(11)

# torch.repeat_interleave(x, round(exp(d)), 0), as in models that speak.
REPEATED = """
g (float[N, 3] x, float[N] d) => (float[M, 3] y) {
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  first = Constant <value_ints = [0]> ()
  end = Constant <value_ints = [-1]> ()
  power = Exp (d)
  rounded = Round (power)
  count = Cast <to = 7> (rounded)
  ends = CumSum (count, first)
  last = Gather (ends, end)
  total = Squeeze (last, first)
  places = Range (zero, total, one)
  columns = Unsqueeze (ends, end)
  before = LessOrEqual (columns, places)
  numbers = Cast <to = 7> (before)
  rows = ReduceSum <keepdims = 0> (numbers, first)
  picked = Gather (x, rows)
  y = Mul (picked, picked)
}
"""


def durations(counts):
    """Logarithms whose powers round to the counts."""
    return np.log(np.maximum(np.asarray(counts), 0.1)).astype(np.float32)


def with_limit(model, value):
    entry = model.metadata_props.add()
    entry.key, entry.value = "kiln.largest_extent", str(value)
    return model


def test_repeats_that_are_computed():
    messages = lab.Messages()
    x = NUMBERS.standard_normal((5, 3)).astype(np.float32)
    feeds = {"x": x, "d": durations([1, 0, 2, 1, 3])}
    engine = lab.built(with_limit(lab.model_of(REPEATED, 18), 40), feeds, messages)
    assert any("has room for 40" in text for text in messages.warnings)
    for counts in ([1, 0, 2, 1, 3], [0, 0, 0, 0, 0], [20, 1, 0, 9, 10]):
        result = lab.run_engine(engine, {"x": x, "d": durations(counts)}, messages)["y"]
        np.testing.assert_array_equal(result, np.repeat(x * x, counts, 0))


def test_more_than_there_is_room_for():
    messages = lab.Messages()
    x = np.ones((2, 3), np.float32)
    feeds = {"x": x, "d": durations([1, 2])}
    engine = lab.built(with_limit(lab.model_of(REPEATED, 18), 8), feeds, messages)
    assert lab.run_engine(engine, {"x": x, "d": durations([4, 4])}, messages)["y"].shape == (8, 3)
    with pytest.raises(AssertionError):
        lab.run_engine(engine, {"x": x, "d": durations([4, 5])}, messages)
    assert "room for extents from 0 to 8" in messages.errors[-1]
    assert "kiln.largest_extent" in messages.errors[-1]
    result = lab.run_engine(engine, {"x": x, "d": durations([3, 2])}, messages)["y"]
    assert result.shape == (5, 3)


# torch.bincount: its own form, with the largest number as an extent.
BINS = """
g (int64[N] n) => (int64[M] y) {
  first = Constant <value_ints = [0]> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_ints = [1]> ()
  all = Concat <axis = 0> (n, first)
  most = ReduceMax <keepdims = 0> (all)
  vector = Unsqueeze (most, first)
  size = Add (vector, one)
  empty = Expand (zero, size)
  shape = Shape (n)
  ones = Expand (one, shape)
  y = ScatterElements <axis = 0, reduction = "add"> (empty, n, ones)
}
"""


def test_bins():
    messages = lab.Messages()
    model = lab.model_of(BINS, 18)
    n = NUMBERS.integers(0, 50, 100)
    engine = lab.built(model, {"n": n}, messages)
    assert any("has room for 4096" in text for text in messages.warnings)
    for numbers in (n, np.arange(100) % 7, np.zeros(100, np.int64)):
        result = lab.run_engine(engine, {"n": numbers}, messages)["y"]
        np.testing.assert_array_equal(result, np.bincount(numbers))


# A shape of which one number is data: the others stay known, and so does -1 of expand().
JOINED = """
g (float[1, 4] x, float[N] d) => (float[M, 4] y, float[K, 2] z, float[B, 4, C] r) {
  power = Exp (d)
  sum = ReduceSum <keepdims = 1> (power)
  rounded = Round (sum)
  count = Cast <to = 7> (rounded)
  width = Constant <value_ints = [-1]> ()
  two = Constant <value_ints = [2]> ()
  four = Constant <value_ints = [4]> ()
  target = Concat <axis = 0> (count, width)
  shape = Shape (target)
  ones = ConstantOfShape <value = int64 {1}> (shape)
  less = Constant <value_int = -1> ()
  signs = Mul (ones, less)
  open = Equal (target, signs)
  sizes = Where (open, ones, target)
  y = Expand (x, sizes)
  pairs = Concat <axis = 0> (count, two)
  z = ConstantOfShape <value = float {3}> (pairs)
  last = Constant <value_ints = [1]> ()
  parts = Concat <axis = 0> (count, four, last)
  r = Reshape (y, parts)
}
"""


@pytest.mark.parametrize("count", [1, 5, 12])
def test_one_number_of_a_shape(count):
    x = NUMBERS.standard_normal((1, 4)).astype(np.float32)
    d = durations([count / 2, count / 2])
    wanted = {
        "y": np.repeat(x, count, 0),
        "z": np.full((count, 2), 3, np.float32),
        "r": np.repeat(x, count, 0).reshape(count, 4, 1),
    }
    lab.check(lab.model_of(JOINED, 18), {"x": x, "d": d}, wanted=wanted)


def test_negative_numbers_are_no_extents():
    text = """g (float[N] d) => (int64[M] y) {
      sum = ReduceSum <keepdims = 0> (d)  power = Exp (sum)  number = Cast <to = 7> (power)
      ten = Constant <value_int = 10> ()  zero = Constant <value_int = 0> ()
      one = Constant <value_int = 1> ()  limit = Sub (number, ten)
      y = Range (zero, limit, one) }"""
    messages = lab.Messages()
    engine = lab.built(lab.model_of(text, 18), {"d": np.ones(3, np.float32)}, messages)
    result = lab.run_engine(engine, {"d": np.ones(3, np.float32)}, messages)["y"]
    np.testing.assert_array_equal(result, np.arange(10))
    with pytest.raises(AssertionError):
        lab.run_engine(engine, {"d": np.zeros(3, np.float32)}, messages)
    assert "room for extents from 0" in messages.errors[-1]


@pytest.mark.parametrize("value", ["0", "-3", "many", "2147483648", "7 ", ""])
def test_a_limit_that_is_none(value):
    errors = lab.refused(with_limit(lab.model_of(REPEATED, 18), value))
    assert "kiln.largest_extent" in errors[0].desc()
    assert "expected a number from 1 to 2147483647" in errors[0].desc()


def test_other_metadata_has_no_effect():
    model = lab.model_of(REPEATED, 18)
    onnx.helper.set_model_props(model, {"author": "someone", "kiln": "0"})
    x, d = np.ones((2, 3), np.float32), durations([1, 2])
    lab.check(model, {"x": x, "d": d}, wanted={"y": np.ones((3, 3), np.float32)})


# x.reshape(n, -1) and x.reshape(-1, n, 2), with n computed from data.
OPEN = """
g (float[N, 4] x, float[N] d) => (float[A, B] y, float[C, D, E] z) {
  power = Exp (d)
  rounded = Round (power)
  first = Constant <value_ints = [0]> ()
  total = ReduceSum (rounded, first)
  n = Cast <to = 7> (total)
  open = Constant <value_ints = [-1]> ()
  two = Constant <value_ints = [2]> ()
  rows = Concat <axis = 0> (n, open)
  y = Reshape (x, rows)
  depth = Concat <axis = 0> (open, n, two)
  z = Reshape (x, depth)
}
"""


@pytest.mark.parametrize("count", [1, 2, 4])
def test_open_extents_beside_data(count):
    x = NUMBERS.standard_normal((2, 4)).astype(np.float32)
    d = durations([count / 2, count / 2]) if count > 1 else durations([1, 0])
    wanted = {"y": x.reshape(count, -1), "z": x.reshape(-1, count, 2)}
    lab.check(lab.model_of(OPEN, 18), {"x": x, "d": d}, wanted=wanted)


@pytest.mark.parametrize("shape", [(4, -1), (-1, 2), (2, 4), (0, 4), (-1, 8)])
def test_placeholders_in_data(shape):
    text = """g (float[2, 4] x, float[2] d) => (float[A, B] y) {
      power = Exp (d)  back = Log (power)  whole = Round (back)
      s = Cast <to = 7> (whole)  y = Reshape (x, s) }"""
    x = NUMBERS.standard_normal((2, 4)).astype(np.float32)
    lab.check(lab.model_of(text, 18), {"x": x, "d": np.array(shape, np.float32)})


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("bounds", [(1, 5, 2), (10, 4, -2), (3, 3, 1), (0, 2, 0.25)])
def test_ranges_of_half_precision(kind, bounds):
    text = f"""g (float a, float b, float c) => (float[M] y) {{
      x = Cast <to = {10 if kind == "float16" else 16}> (a)
      e = Cast <to = {10 if kind == "float16" else 16}> (b)
      s = Cast <to = {10 if kind == "float16" else 16}> (c)
      r = Range (x, e, s)
      y = Cast <to = 1> (r) }}"""
    feeds = {name: np.array(x, np.float32) for name, x in zip("abc", bounds, strict=True)}
    wanted = {"y": np.arange(*bounds, dtype=np.float32)}
    lab.check(lab.model_of(text, 27 if kind == "bfloat16" else 18), feeds, wanted=wanted)


CHOSEN = """
g (float[32, 4, 12] x, bool[12] m, float[32, 12, 8] w) => (float[A, B, C] y) {
  found = NonZero (m)
  first = Constant <value_ints = [0]> ()
  places = Squeeze (found, first)
  z = Gather <axis = 2> (x, places)
  y = MatMul (z, w)
}
"""


def test_extents_whose_guess_fits_no_other_extent():
    """Kernels are timed with a guess, half of the mask, but the other operand needs all of it."""
    messages = lab.Messages()
    feeds = {
        "x": NUMBERS.standard_normal((32, 4, 12)).astype(np.float32),
        "m": np.ones(12, bool),
        "w": NUMBERS.standard_normal((32, 12, 8)).astype(np.float32),
    }
    engine = lab.built(lab.model_of(CHOSEN, 17), feeds, messages)
    result = lab.run_engine(engine, feeds, messages)["y"]
    np.testing.assert_allclose(result, feeds["x"] @ feeds["w"], rtol=1e-5, atol=1e-5)
    feeds["m"][2:5] = False
    with pytest.raises(AssertionError):
        lab.run_engine(engine, feeds, messages)
    assert "expected equal extents along the summed axes" in messages.errors[-1]
