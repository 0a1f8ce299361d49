# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequences and optionals, which exist while a model is parsed, against ONNX Runtime."""

import numpy as np
import onnx_lab as lab
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2

LISTS = """
g (float[2, 3] x, float[2, 3] z) => (float[A, B] joined, float[A, B, C] stacked, float[2, 3] last,
    int64 length) {
  s = SequenceConstruct (x, z)
  n = Neg (x)
  first = Constant <value_int = 0> ()
  minus = Constant <value_int = -1> ()
  s2 = SequenceInsert (s, n, first)
  s3 = SequenceInsert (s2, z)
  s4 = SequenceErase (s3, minus)
  joined = ConcatFromSequence <axis = 1> (s3)
  stacked = ConcatFromSequence <axis = -1, new_axis = 1> (s4)
  at = SequenceAt (s4, minus)
  last = Abs (at)
  length = SequenceLength (s4)
}
"""


def test_lists():
    lab.check(lab.model_of(LISTS), {"x": X, "z": X * 3})


SPLIT = """
g (float[2, N] x) => (float[A, B] y, float[C, D] z, int64 n) INITS {
  s = SplitToSequence <axis = 1> (x SIZES)
  n = SequenceLength (s)
  i = Constant <value_int = 1> ()
  y = SequenceAt (s, i)
  z = ConcatFromSequence <axis = 1> (s)
}
"""


@pytest.mark.parametrize(
    "sizes", ["", "int64 sizes = {1}", "int64 sizes = {3}", "int64[3] sizes = {3, 1, 3}"]
)
@pytest.mark.parametrize("extent", ["7", "N"])
def test_split(sizes, extent):
    text = SPLIT.replace("N]", f"{extent}]", 1).replace("INITS", f"<{sizes}>" if sizes else "")
    model = lab.model_of(text.replace("SIZES", ", sizes" if sizes else ""))
    if extent == "N" and "{3}" in sizes:
        assert "of a known extent" in lab.refused(model)[0].desc()
        return
    rng = np.random.default_rng(0)
    lab.check(model, {"x": rng.standard_normal((2, 7)).astype(np.float32)})


@pytest.mark.parametrize("extent", ["3", "N"])
def test_split_without_the_axis(extent):
    text = SPLIT.replace("axis = 1> (x", "axis = 1, keepdims = 0> (x")
    text = text.replace("N]", f"{extent}]", 1)
    text = (
        text.replace("[A, B]", "[A]")
        .replace("[C, D]", "[C]")
        .replace("<axis = 1> (s", "<axis = 0> (s")
    )
    lab.check(lab.model_of(text.replace("INITS", "").replace("SIZES", "")), {"x": X})


AT_ANY_POSITION = """
g (float[2, 3] x, TYPE[SHAPE] z, int64 i) => (float[A, B] y) {
  n = Neg (x)
  s = SequenceConstruct (x, z, n)
  at = SequenceAt (s, i)
  y = Abs (at)
}
"""


@pytest.mark.parametrize("position", [0, 1, 2, -1, -3])
def test_position_that_data_gives(position):
    text = AT_ANY_POSITION.replace("TYPE", "float").replace("SHAPE", "2, 3")
    lab.check(lab.model_of(text), {"x": X, "z": X * 3, "i": np.array(position)})


def test_position_that_data_gives_among_different_shapes():
    text = AT_ANY_POSITION.replace("TYPE", "float")
    for shape in ("2, 4", "2, N"):
        (error,) = lab.refused(lab.model_of(text.replace("SHAPE", shape)))
        assert "input 1 (position): expected a constant, got one that is computed" in error.desc()


# torch.jit writes torch.repeat_interleave with a tensor of counts so.
REPEATED = """
g (float[N, 3] x) => (float[A, 3] y) <int64[4] counts = {1, 0, 3, 2}> {
  one = Constant <value_int = 1> ()
  none = SequenceEmpty ()
  m = Constant <value_int = 4> ()
  yes = Constant <value = bool {1}> ()
  parts = SplitToSequence (counts, one)
  rows = SplitToSequence (x, one)
  all = Loop (m, yes, none) <
    body = b (int64 i, bool c, seq(float[Q, 3]) s) => (bool go, seq(float[R, 3]) t) {
      go = Identity (c)
      count = SequenceAt (parts, i)
      row = SequenceAt (rows, i)
      three = Constant <value_ints = [3]> ()
      shape = Concat <axis = 0> (count, three)
      repeated = Expand (row, shape)
      t = SequenceInsert (s, repeated)
    }
  >
  y = ConcatFromSequence <axis = 0> (all)
}
"""


def test_rows_that_are_repeated_by_counts():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    wanted = {"y": np.repeat(x, [1, 0, 3, 2], 0)}
    lab.check(lab.model_of(REPEATED), {"x": x}, wanted=wanted)


# A loop that collects tensors, as torch.jit.script writes it.
COLLECTED = """
g (float[4, 3] x) => (float[A, B] y) {
  m = Constant <value_int = 4> ()
  yes = Constant <value = bool {1}> ()
  none = SequenceEmpty ()
  all = Loop (m, yes, none) <
    body = b (int64 i, bool c, seq(float[3]) s) => (bool go, seq(float[3]) t) {
      go = Identity (c)
      row = Gather <axis = 0> (x, i)
      twice = Add (row, row)
      t = SequenceInsert (s, twice)
    }
  >
  y = ConcatFromSequence <axis = 0, new_axis = 1> (all)
}
"""


def test_sequence_that_a_loop_carries():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    lab.check(lab.model_of(COLLECTED), {"x": x})


# The same without a constant number of passes: M and the condition, or a condition that counts.
BY_LIMIT = """
  yes = Constant <value = bool {1}> ()
  all = Loop (n, yes, none) <
    body = b (int64 i, bool c, seq(float[3]) s) => (bool go, seq(float[3]) t) {
      go = Identity (c)
      row = Gather <axis = 0> (x, i)
      twice = Add (row, row)
      t = SequenceInsert (s, twice)
    }
  >
"""
BY_CONDITION = """
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  start = Less (zero, n)
  stop, all = Loop (, start, zero, none) <
    body = b (int64 i, bool c, int64 k, seq(float[3]) s) => (bool go, int64 l, seq(float[3]) t) {
      row = Gather <axis = 0> (x, k)
      twice = Add (row, row)
      t = SequenceInsert (s, twice)
      l = Add (k, one)
      go = Less (l, n)
    }
  >
"""
UNKNOWN = """
g (float[N, 3] x) => (float[A, B] y, int64 count, float[3] last) {
  none = SEQUENCE
  shape = Shape (x)
  at = Constant <value_int = 0> ()
  n = Gather (shape, at)
  LOOP
  y = ConcatFromSequence <axis = AXIS, new_axis = NEW> (all)
  count = SequenceLength (all)
  LAST
}
"""
LAST = """
  back = Constant <value_int = -1> ()
  last = SequenceAt (all, back)
"""


@pytest.mark.parametrize("loop", [BY_LIMIT, BY_CONDITION], ids=["limit", "condition"])
@pytest.mark.parametrize(("axis", "new"), [(0, 1), (1, 1), (-1, 1), (0, 0)])
@pytest.mark.parametrize("rows", [1, 5])
def test_sequence_of_unknown_length(loop, axis, new, rows):
    text = UNKNOWN.replace("SEQUENCE", "SequenceEmpty ()").replace("LOOP", loop)
    text = text.replace("AXIS", str(axis)).replace("NEW", str(new)).replace("LAST", LAST)
    text = text if new else text.replace("[A, B]", "[A]")
    x = np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)
    lab.check(lab.model_of(text), {"x": x})


def test_sequence_that_begins_with_elements():
    text = UNKNOWN.replace("SEQUENCE", "SequenceConstruct (first, first)").replace("LAST", "")
    text = text.replace("LOOP", BY_LIMIT).replace("AXIS", "1").replace("NEW", "1")
    text = text.replace(", float[3] last)", ")").replace(
        "(float[N, 3] x)", "(float[N, 3] x, float[3] first)"
    )
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    lab.check(lab.model_of(text), {"x": x, "first": -x[1]})


def test_position_in_a_sequence_of_unknown_length():
    text = UNKNOWN.replace("SEQUENCE", "SequenceEmpty ()").replace("LOOP", BY_LIMIT)
    text = text.replace("AXIS", "0").replace("NEW", "1")
    text = text.replace("LAST", "rest = SequenceErase (all)  " + LAST.replace("(all, ", "(rest, "))
    (error,) = lab.refused(lab.model_of(text))
    assert "expected a sequence of known length, got one that a loop makes" in error.desc()


def test_loop_over_a_sequence():
    text = """
    g (float[4, 3] x) => (float[1, 3] y) {
      parts = SplitToSequence <axis = 0> (x)
      m = SequenceLength (parts)
      yes = Constant <value = bool {1}> ()
      zero = Constant <value = float[1, 3] {0, 0, 0}> ()
      y = Loop (m, yes, zero) <
        body = b (int64 i, bool c, float[1, 3] v) => (bool go, float[1, 3] w) {
          go = Identity (c)
          p = SequenceAt (parts, i)
          w = Max (v, p)
        }
      >
    }
    """
    lab.check(lab.model_of(text), {"x": np.random.default_rng(3).random((4, 3), np.float32)})


def test_sequence_map():
    text = """
    g (float[4, 3] x, float[3] z) => (float[A, B] y) {
      parts = SplitToSequence <axis = 0, keepdims = 0> (x)
      mapped = SequenceMap (parts, z) <
        body = b (float[3] p, float[3] q) => (float[3] r) { s = Add (p, q) r = Mul (s, x0) }
      >
      y = ConcatFromSequence <axis = 0, new_axis = 1> (mapped)
    }
    """.replace("x0", "q")
    x = np.random.default_rng(3).random((4, 3), np.float32)
    lab.check(lab.model_of(text, opset=18), {"x": x, "z": x[0]})


OPTIONAL = """
g (bool c, float[2, 3] x) => (float[2, 3] y, bool has) {
  o = Optional (x)
  has = OptionalHasElement (o)
  y = If (has) <
    then_branch = t () => (ty) { v = OptionalGetElement (o) ty = Neg (v) },
    else_branch = e () => (ey) { ey = Abs (x) }
  >
}
"""


def test_optional():
    feeds = {"c": np.array(True), "x": X}
    model = lab.model_of(OPTIONAL, opset=18)
    lab.check(model, feeds, wanted={"y": -X, "has": np.array(True)})


def test_sequences_where_tensors_are_expected():
    text = "g (float[2] x) => (float[2] y) { s = SequenceConstruct (x, x)  y = Relu (s) }"
    (error,) = lab.refused(lab.model_of(text))
    assert "input 0: expected a tensor, got a sequence of 2 elements" in error.desc()
    text = "g (float[2] x) => (seq(float[2]) y) { y = SequenceConstruct (x, x) }"
    (error,) = lab.refused(lab.model_of(text))
    assert "graph output 'y': expected a tensor, got a sequence" in error.desc()


def test_a_mapped_sequence_has_no_sequences_in_it():
    text = """
    g (float[4, 3] x) => (float[A, B] y) {
      parts = SplitToSequence <axis = 0> (x)
      mapped = SequenceMap (parts) <
        body = b (float[1, 3] p) => (float r) { r = SequenceConstruct (p) }
      >
      y = ConcatFromSequence <axis = 0> (mapped)
    }
    """
    (error,) = lab.refused(lab.model_of(text, opset=18))
    assert "output 0 of the body: expected a tensor, got a sequence." in error.desc()
