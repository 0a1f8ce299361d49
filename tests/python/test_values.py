# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes, enums, weights and the small functions of the module."""

import collections.abc
import pickle
import sys

import numpy as np
import pytest
import tensorrt as trt


def test_dims_is_a_sequence():
    dims = trt.Dims((2, -1, 4))
    assert len(dims) == 3
    assert tuple(dims) == (2, -1, 4) == dims
    assert dims == [2, -1, 4]
    assert dims == trt.Dims([2, -1, 4])
    assert dims != (2, -1)
    assert dims != "text"
    assert dims[-1] == 4
    assert dims[:2] == (2, -1)
    assert repr(dims) == "(2, -1, 4)" == str(dims)
    dims[1] = 7
    dims[0:1] = (5,)
    assert dims == (5, 7, 4)
    assert trt.Dims() == ()
    assert trt.Dims.MAX_DIMS == 8
    assert trt.volume(dims) == 140
    assert trt.volume(()) == 1


def test_dims_has_all_of_a_sequence():
    dims = trt.Dims((2, -1, 4, 2))
    assert isinstance(dims, collections.abc.Sequence)
    assert isinstance(trt.Dims2(1, 2), collections.abc.Sequence)
    assert (dims.count(2), dims.index(4), dims.index(2, 1)) == (2, 2, 3)
    assert 4 in dims
    assert list(reversed(dims)) == [2, 4, -1, 2]
    with pytest.raises(ValueError):
        dims.index(7)
    match dims:
        case [batch, *rest]:
            assert (batch, rest) == (2, [-1, 4, 2])
        case _:
            pytest.fail("expected a sequence of four")


def test_dims_of_fixed_rank():
    assert trt.Dims2(1, 2) == (1, 2)
    assert trt.Dims3((1, 2, 3)) == (1, 2, 3)
    assert trt.Dims4() == (0, 0, 0, 0)
    size = trt.DimsHW(3, 4)
    assert (size.h, size.w) == (3, 4)
    size.h = 9
    assert size == (9, 4)
    assert issubclass(trt.DimsHW, trt.Dims2)
    assert issubclass(trt.Dims3, trt.Dims)


def test_bad_dims():
    with pytest.raises(ValueError, match="expected at most 8 dimensions, got 9"):
        trt.Dims(range(9))
    with pytest.raises(ValueError, match="expected 3 dimensions, got 2"):
        trt.Dims3((1, 2))
    with pytest.raises(IndexError, match="index 2 is out of range for 2 dimensions"):
        trt.Dims((1, 2))[2]
    with pytest.raises(TypeError):
        trt.Dims((1.5, 2))


def test_permutation():
    order = trt.Permutation([1, 0])
    assert (order[0], order[1], len(order)) == (1, 0, 8)
    assert tuple(trt.Permutation())[:3] == (0, 1, 2)


def test_enums():
    assert int(trt.DataType.BF16) == 7
    assert trt.DataType.FLOAT.value == 0
    assert trt.DataType.FLOAT.name == "FLOAT"
    assert str(trt.DataType.FLOAT) == "DataType.FLOAT" == f"{trt.DataType.FLOAT}"
    assert repr(trt.DataType.FLOAT) == "<DataType.FLOAT: 0>"
    assert trt.DataType(3) is trt.DataType.INT32
    assert trt.DataType.__members__["HALF"] is trt.float16
    assert trt.BuilderFlag.WEIGHTLESS is trt.BuilderFlag.STRIP_PLAN
    assert 1 << int(trt.BuilderFlag.FP16) | 1 << int(trt.BuilderFlag.INT8) == 3
    assert pickle.loads(pickle.dumps(trt.TensorFormat.HWC8)) is trt.TensorFormat.HWC8
    assert trt.Logger.WARNING is trt.ILogger.Severity.WARNING is trt.Logger.Severity.WARNING
    assert {trt.float32: 1}[trt.DataType.FLOAT] == 1


def test_an_enum_is_no_other_enum():
    desc = trt.PluginTensorDesc()
    with pytest.raises(TypeError):
        desc.type = trt.TensorFormat.LINEAR
    with pytest.raises(TypeError):
        desc.type = 1


def test_types():
    pairs = {
        "float32": np.float32, "float16": np.float16, "int8": np.int8, "int32": np.int32,
        "int64": np.int64, "uint8": np.uint8, "bool": np.bool_,
    }  # fmt: skip
    for name, numpy_type in pairs.items():
        dtype = getattr(trt, name)
        assert trt.nptype(dtype) == numpy_type
        assert dtype.itemsize == np.dtype(numpy_type).itemsize
    assert trt.bfloat16.itemsize == 2
    with pytest.raises(TypeError, match=r"expected a type that NumPy has, got DataType\.BF16"):
        trt.nptype(trt.bfloat16)


def test_weights():
    array = np.arange(6, dtype=np.float16).reshape(2, 3)
    weights = trt.Weights(array)
    assert (weights.dtype, weights.size, weights.nbytes, len(weights)) == (trt.float16, 6, 12, 6)
    np.testing.assert_array_equal(weights.numpy(), array.ravel())
    raw = trt.Weights(trt.bfloat16, array.ctypes.data, 6)
    assert raw.nbytes == 12
    assert len(trt.Weights()) == 0
    with pytest.raises(TypeError, match="got complex64"):
        trt.Weights(np.zeros(2, np.complex64))


def test_versions():
    assert trt.__version__ == "10.16.1"
    assert trt.kiln_version.count(".") == 2
    assert trt.get_nv_onnx_parser_version() > 0


def test_threads_and_target():
    before = trt.num_threads()
    trt.set_num_threads(1)
    assert trt.num_threads() == 1
    trt.set_num_threads(0)
    assert trt.num_threads() == before
    with pytest.raises(ValueError, match="expected 1 or more"):
        trt.set_num_threads(-1)
    with pytest.raises(ValueError, match="got 'toaster'"):
        trt.set_default_target("toaster")
    trt.set_default_target("cpu")
    assert trt.default_target() == "cpu"
    trt.set_default_target("cuda:sm_80+sm_90")
    assert trt.default_target() == "cuda:sm_80+sm_90"
    with pytest.raises(ValueError, match="expected architectures such as sm_90, got 'sm_9'"):
        trt.set_default_target("cuda:sm_9")
    trt.set_default_target(None)


def test_describe_target(monkeypatch, tmp_path):
    cpu = trt.describe_target("cpu")
    assert (cpu["target"], cpu["problem"], cpu["runs_here"]) == ("cpu", "", True)
    assert "device" not in cpu
    assert [library["name"] for library in cpu["libraries"]] == ["oneDNN"]
    built_for = trt.describe_target("cuda:sm_80+sm_90")
    assert built_for["architectures"] == ["sm_80", "sm_90"]
    names = [library["name"] for library in built_for["libraries"]]
    assert names == ["driver", "NVRTC", "cuBLASLt", "cuDNN"]
    for library in built_for["libraries"]:
        assert library.get("problem") or (library["version"] and library["file"])
    assert "got 'toaster'" in trt.describe_target("toaster")["problem"]
    assert trt.describe_target()["target"] == trt.default_target()


def test_console_logger(capfd):
    logger = trt.Logger(trt.Logger.INFO)
    logger.log(trt.Logger.WARNING, "look")
    logger.log(trt.Logger.VERBOSE, "hidden")
    logger.min_severity = trt.Logger.VERBOSE
    logger.log(trt.Logger.VERBOSE, "shown")
    lines = capfd.readouterr().err.splitlines()
    assert lines[0].endswith("[TRT] [W] look")
    assert lines[1].endswith("[TRT] [V] shown")
    assert len(lines) == 2


def test_exception_in_a_logger(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    class Bad(trt.ILogger):
        def log(self, severity, msg):
            raise ValueError("no paper")

    builder = trt.Builder(Bad())
    network = builder.create_network(0)
    assert builder.build_serialized_network(network, builder.create_builder_config()) is None
    assert str(seen[0].exc_value) == "no paper"
    assert seen[0].object == "log"
