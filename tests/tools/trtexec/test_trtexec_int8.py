# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""--int8, --calib and --versionCompatible change the engine."""

import json
import struct

import numpy as np
import pytest
from trtexec_models import FLOAT, save_model

from onnx import helper

RNG = np.random.default_rng(2)
X = RNG.normal(0, 1, (4, 64)).astype(np.float32)
W = RNG.normal(0, 1, (64, 32)).astype(np.float32)


@pytest.fixture
def product(tmp_path):
    return save_model(
        tmp_path / "product.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        {"x": (FLOAT, [4, 64])},
        {"y": (FLOAT, [4, 32])},
        {"w": W},
    )


@pytest.fixture
def result_of(quick_run, product, tmp_path):
    """y for options, and what the run said."""

    def result(*options):
        source, target = tmp_path / "x.raw", tmp_path / "y.json"
        X.tofile(source)
        ran = quick_run(
            f"--onnx={product}", f"--loadInputs=x:{source}", f"--exportOutput={target}", *options
        ).passed()
        output = json.loads(target.read_text())[0]
        return np.array(output["values"], np.float32).reshape(4, 32), ran

    return result


def quantized(x, scale):
    return np.clip(np.rint(x / scale), -128, 127) * scale


def expected(magnitude):
    scale = np.float32(magnitude / 127)
    columns = np.abs(W).max(0, keepdims=True) / np.float32(127)
    return quantized(X, scale) @ quantized(W, columns)


def test_int8_with_made_up_ranges(result_of):
    y, ran = result_of("--int8")
    assert "tensors have no range and no calibration cache was given" in ran.out + ran.err
    np.testing.assert_allclose(y, expected(4), rtol=1e-3, atol=1e-3)


def test_int8_with_a_cache(result_of, tmp_path):
    cache = tmp_path / "cache"
    scale = struct.pack(">f", 2.5 / 127).hex()
    cache.write_text(f"TRT-101600-EntropyCalibration2\nx: {scale}\ny: {scale}\n")
    y, ran = result_of("--int8", f"--calib={cache}")
    assert "made up" not in ran.out + ran.err
    np.testing.assert_allclose(y, expected(2.5), rtol=1e-3, atol=1e-3)


def test_a_cache_that_is_missing_or_empty(quick_run, product, tmp_path):
    quick_run(f"--onnx={product}", "--int8", "--calib=none").failed("--calib: cannot open 'none'")
    empty = tmp_path / "empty"
    empty.write_text("")
    quick_run(f"--onnx={product}", "--int8", f"--calib={empty}").failed("got an empty file")


def test_version_compatible(quick_run, product, tmp_path):
    plan = tmp_path / "p.plan"
    for option, flags in (("--skipInference", 0), ("--versionCompatible", 1)):
        quick_run(f"--onnx={product}", f"--saveEngine={plan}", option).passed()
        assert struct.unpack_from("<H", plan.read_bytes(), 22) == (flags,)
    quick_run(f"--loadEngine={plan}").passed()
