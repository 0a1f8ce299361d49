# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops that join something to a tensor in each pass, and conditions of which one counts passes."""

import numpy as np
import onnx_lab as lab
import pytest

NUMBERS = np.random.default_rng(8)

JOINED = """
g (int64 m, float[A, B, 3] first, float[A, C, 3] x) => (float[A, N, 3] y, float[A, C, 3] last) {
  yes = Constant <value = bool {1}> ()
  y, last = Loop (m, yes, first, x) <
    body = b (int64 i, bool c, float[A, N, 3] v, float[A, C, 3] s) =>
      (bool go, float[A, M, 3] w, float[A, C, 3] t) {
      go = Identity (c)
      half = Constant <value = float {0.5}> ()
      n = Cast <to = 1> (i)
      scaled = Mul (s, half)
      t = Add (scaled, n)
      w = Concat <axis = AXIS> (ORDER)
    }
  >
}
"""


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("order", ["v, t", "t, v"])
@pytest.mark.parametrize("axis", [1, -2])
@pytest.mark.parametrize("extents", [(0, 1), (2, 1), (1, 2)], ids=str)
def test_joined_in_each_pass(count, order, axis, extents):
    text = JOINED.replace("ORDER", order).replace("AXIS", str(axis))
    first, each = extents
    known = text.replace("B", str(first)).replace("float[A, C, 3]", f"float[2, {each}, 3]")
    feeds = {
        "m": np.array(count),
        "first": NUMBERS.standard_normal((2, first, 3)).astype(np.float32),
        "x": NUMBERS.standard_normal((2, each, 3)).astype(np.float32),
    }
    lab.check(lab.model_of(known.replace("[A", "[2")), feeds)
    if first > 0:  # profiles begin at 1
        lab.check(lab.model_of(text), feeds)


@pytest.mark.parametrize("order", ["v, t", "t, v"])
def test_joined_along_the_first_axis(order):
    text = JOINED.replace("ORDER", order).replace("AXIS", "0")
    text = text.replace("[A, C, 3]", "[1, C, 3]").replace("[A, B, 3]", "[A, C, 3]")
    feeds = {
        "m": np.array(3),
        "first": NUMBERS.standard_normal((2, 4, 3)).astype(np.float32),
        "x": NUMBERS.standard_normal((1, 4, 3)).astype(np.float32),
    }
    lab.check(lab.model_of(text.replace("[A, N, 3]", "[N, C, 3]")), feeds)


# As torch writes `while n < 6 and total < bound`: the first condition limits the passes.
ENDS_EARLY = """
g (float[1, 2] first, float bound) => (float[N, 2] y, int64 count) {
  most = Constant <value_int = 9223372036854775807> ()
  no = Constant <value = bool {0}> ()
  zero = Constant <value_int = 0> ()
  start = Constant <value = bool {1}> ()
  y, last, count = Loop (most, start, first, first, zero) <
    body = b (int64 i, bool c, float[N, 2] v, float[1, 2] s, int64 n) =>
      (bool go, float[M, 2] w, float[1, 2] t, int64 next) {
      two = Constant <value = float {2}> ()
      t = Mul (s, two)
      w = Concat <axis = 0> (ORDER)
      one = Constant <value_int = 1> ()
      next = Add (n, one)
      six = Constant <value_int = 6> ()
      below = Less (next, six)
      CONDITION
    }
  >
}
"""
OTHER = "sum = ReduceSum <keepdims = 0> (t) small = Less (sum, bound)"
BRANCHES = """
      go = If (below) <
        then_branch = yes () => (bool a) { OTHER a = Identity (small) },
        else_branch = no () => (bool d) { d = Identity (no) }>
"""


@pytest.mark.parametrize("bound", [0, 5, 20, 1000])
@pytest.mark.parametrize("order", ["v, t", "t, v"])
@pytest.mark.parametrize("condition", ["and", "if"])
def test_conditions_of_which_one_counts(condition, order, bound):
    chosen = f"{OTHER} go = And (small, below)" if condition == "and" else BRANCHES
    text = ENDS_EARLY.replace("CONDITION", chosen.replace("OTHER", OTHER)).replace("ORDER", order)
    feeds = {"first": np.array([[1, 0.5]], np.float32), "bound": np.array(bound, np.float32)}
    found = lab.check(lab.model_of(text), feeds)
    assert len(found["y"]) == found["count"] + 1


def test_conditions_that_count_nothing():
    """The other branch lets the loop go on, so that the count is no limit."""
    text = ENDS_EARLY.replace("CONDITION", BRANCHES.replace("OTHER", OTHER))
    text = text.replace("ORDER", "v, t").replace("no = Constant <value = bool {0}> ()\n", "")
    text = text.replace("d = Identity (no)", "n = Not (below) d = Identity (n)")
    (error,) = lab.refused(lab.model_of(text))
    assert "stacked outputs: expected a limit M" in error.desc()


def test_a_tensor_that_a_pass_reads_is_not_joined_behind_the_loop():
    text = JOINED.replace("ORDER", "v, t").replace("AXIS", "1")
    text = text.replace("t = Add (scaled, n)", "r = ReduceSum (v) t = Add (scaled, r)")
    text = text.replace("float[A, B, 3]", "float[2, 1, 3]").replace("[A, C", "[2, 1")
    (error,) = lab.refused(lab.model_of(text.replace("[A", "[2")))
    assert "expected the shape of the first pass" in error.desc()
