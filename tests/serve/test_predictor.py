# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The predictor over batches of NumPy and pandas, without Ray. Expected values from NumPy."""

import engine_nets
import kiln.serve
import numpy as np
import pytest
from kiln.serve.request import BadRequestError, LoadError

RNG = np.random.default_rng(7)


def predictor(plan, **more):
    return kiln.serve.Predictor(plan, **more)


def test_a_batch_larger_than_the_profile():
    run = predictor(engine_nets.double())
    x = RNG.standard_normal((100, 4), np.float32)
    result = run({"x": x, "id": np.arange(100)})
    assert list(result) == ["x", "id", "y"]
    np.testing.assert_array_equal(result["y"], x + x)
    run.close()


def test_columns_and_outputs_have_the_names_of_the_user():
    run = predictor(engine_nets.double(), columns={"x": "image"}, outputs={"y": "z"}, keep=False)
    x = RNG.standard_normal((5, 4), np.float32)
    result = run({"image": x})
    assert list(result) == ["z"]
    np.testing.assert_array_equal(result["z"], x + x)


def test_rows_of_different_lengths():
    pad = {"x": {"axis": 1}}
    crop = {"y": {"axis": 1, "input": "x", "input_axis": 1}}
    run = predictor(engine_nets.sequence(), batching={"pad": pad, "crop": crop})
    rows = np.empty(40, object)
    for i, length in enumerate(RNG.integers(1, 64, 40)):
        rows[i] = RNG.standard_normal(length).astype(np.float32)
    result = run({"x": rows})
    for x, y, total in zip(rows, result["y"], result["total"], strict=True):
        np.testing.assert_array_equal(y, x + x)
        np.testing.assert_allclose(total, [x.sum()], rtol=1e-5, atol=1e-5)
    assert result["total"].shape == (40, 1)


def test_rows_of_different_lengths_without_padding():
    run = predictor(engine_nets.sequence())
    rows = np.empty(3, object)
    for i, length in enumerate((3, 5, 3)):
        rows[i] = np.full(length, i, np.float32)
    result = run({"x": rows})
    assert [len(y) for y in result["y"]] == [3, 5, 3]
    np.testing.assert_array_equal(result["total"][:, 0], [0, 5, 6])


def test_an_engine_without_a_batch_axis_takes_a_row_as_its_input():
    run = predictor(engine_nets.static())
    x = RNG.standard_normal((7, 2, 3), np.float32)
    np.testing.assert_array_equal(run({"x": x})["y"], -x)


def test_an_empty_batch():
    result = predictor(engine_nets.double())({"x": np.empty((0, 4), np.float32)})
    assert result["y"].shape == (0, 4) and result["y"].dtype == np.float32


def test_pandas():
    pandas = pytest.importorskip("pandas")
    x = RNG.standard_normal((20, 4), np.float32)
    frame = pandas.DataFrame({"x": list(x), "id": range(20)}, index=range(5, 25))
    result = predictor(engine_nets.double())(frame)
    assert list(result.columns) == ["x", "id", "y"] and list(result.index) == list(frame.index)
    np.testing.assert_array_equal(np.stack(result["y"]), x + x)


def test_types_are_converted_where_values_fit():
    run = predictor(engine_nets.double())
    np.testing.assert_array_equal(run({"x": np.ones((2, 4), np.float64)})["y"], 2)
    np.testing.assert_array_equal(run({"x": np.full((2, 4), 3)})["y"], 6)
    with pytest.raises(BadRequestError, match=r"expected values that float32 can hold, got compl"):
        run({"x": np.ones((2, 4), complex)})
    whole = predictor(engine_nets.double(dtype=kiln.int32))
    with pytest.raises(BadRequestError, match="int32 can hold, got int64"):
        whole({"x": np.full((1, 4), 1 << 40)})


def test_mistakes_are_named():
    with pytest.raises(LoadError, match="does not exist"):
        predictor("/none/model.plan")
    with pytest.raises(ValueError, match=r"got 'batchin'. Did you mean 'batching'"):
        predictor("x.plan", batchin={})
    with pytest.raises(ValueError, match=r"Predictor.columns: expected names of the engine \(x\)"):
        predictor(engine_nets.double(), columns={"X": "image"})
    run = predictor(engine_nets.double())
    with pytest.raises(KeyError, match=r"expected one of xs, got 'x'. Did you mean 'xs'"):
        run({"xs": np.ones((1, 4), np.float32)})
    with pytest.raises(BadRequestError, match=r"expected the shape \(1, 4\) to \(16, 4\)"):
        run({"x": np.ones((2, 5), np.float32)})
