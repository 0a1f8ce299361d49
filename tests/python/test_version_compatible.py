# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What docs/configuration.md promises of version-compatible plans: the stored one opens, and gives
the right results.

tests/plan/reader_test.cpp shows which versions are let in.
"""

import struct

import numpy as np
import pytest
import tensorrt as trt
from version_compatible_plan import FILE, build, expected


def run(logger, plan):
    """Both profiles, both branches, on the cpu target whatever the default is."""
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    assert engine is not None, logger.errors()
    context = engine.create_execution_context()
    for profile, rows in ((0, 3), (1, 64), (0, 1)):
        assert context.set_optimization_profile_async(profile, 0)
        x = np.random.default_rng(rows).normal(0, 1, (rows, 8)).astype(np.float32)
        for flag in (True, False):
            buffers = {
                "x": x,
                "positive": np.asarray(flag),
                "mean": np.zeros(6, np.float32),
                "half": np.zeros((rows, 6), np.float16),
            }
            assert context.set_input_shape("x", x.shape)
            for name, array in buffers.items():
                context.set_tensor_address(name, array.ctypes.data)
            assert context.execute_async_v3(0), logger.errors()
            for name, wanted in expected(x, flag).items():
                np.testing.assert_allclose(buffers[name], wanted, rtol=2e-3, atol=1e-3)


def test_the_stored_plan_opens(logger):
    run(logger, FILE.read_bytes())


@pytest.mark.parametrize("flags", [[], [trt.BuilderFlag.VERSION_COMPATIBLE]])
def test_the_plan_says_whether_it_is_version_compatible(logger, flags):
    plan = bytes(build(logger, *flags))
    assert struct.unpack_from("<H", plan, 22) == (len(flags),)


def test_refit_keeps_the_promise(logger):
    flags = trt.BuilderFlag.VERSION_COMPATIBLE, trt.BuilderFlag.REFIT
    engine = trt.Runtime(logger).deserialize_cuda_engine(build(logger, *flags))
    for bit in (trt.SerializationFlag.EXCLUDE_WEIGHTS, trt.SerializationFlag.INCLUDE_REFIT):
        config = engine.create_serialization_config()
        config.flags = 1 << int(bit)
        written = bytes(engine.serialize_with_config(config))
        assert struct.unpack_from("<H", written, 22) == (1,)


def test_a_plan_needs_no_runtime(logger, tmp_path):
    """No host code because of the flag, so nothing must be allowed; and no runtime to load."""
    runtime = trt.Runtime(logger)
    assert not runtime.engine_host_code_allowed
    flags = trt.BuilderFlag.VERSION_COMPATIBLE, trt.BuilderFlag.EXCLUDE_LEAN_RUNTIME
    assert runtime.deserialize_cuda_engine(build(logger, *flags)) is not None
    assert runtime.load_runtime(str(tmp_path / "libnvinfer_lean.so")) is None
    assert "Open the plan with this runtime" in logger.errors()
