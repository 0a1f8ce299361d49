# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans for other GPUs than that of the build: levels of compatibility, and targets with PTX."""

import kiln
import numpy as np
import pytest
import tensorrt as trt
from cudalab import Runner
from quantized_nets import Product

Level = trt.HardwareCompatibilityLevel
X = np.random.default_rng(2).normal(0, 1, (4, 16)).astype(np.float32)


def build(logger, level=Level.NONE):
    builder = trt.Builder(logger)
    net = Product(builder)
    config = builder.create_builder_config()
    config.hardware_compatibility_level = level
    return net, builder.build_serialized_network(net.network, config)


@pytest.fixture
def architecture(tmp_path):
    def of(plan):
        path = tmp_path / "plan"
        path.write_bytes(plan)
        return kiln.describe_plan(path)["instruction_set"]

    return of


def open_plan(logger, plan):
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def result(engine):
    runner = Runner(engine, engine.create_execution_context()).bind(x=X)
    assert runner.run()
    return runner()


@pytest.mark.parametrize("level", [Level.NONE, Level.SAME_COMPUTE_CAPABILITY, Level.AMPERE_PLUS])
def test_levels_are_given_back(logger, architecture, level):
    net, plan = build(logger, level)
    assert plan is not None, logger.errors()
    own = kiln.describe_target("cuda")["architectures"][0]
    assert architecture(plan) == (f"{own}+compute_80" if level == Level.AMPERE_PLUS else own)
    engine = open_plan(logger, plan)
    assert engine.hardware_compatibility_level == level
    np.testing.assert_allclose(result(engine), net.expected(X), rtol=1e-4, atol=1e-5)


def test_ptx_alone_runs(logger, architecture):
    """As on a GPU that the plan has no machine code for."""
    kiln.set_default_target("cuda:compute_80")
    net, plan = build(logger)
    assert plan is not None, logger.errors()
    assert architecture(plan) == "compute_80"
    np.testing.assert_allclose(
        result(open_plan(logger, plan)), net.expected(X), rtol=1e-4, atol=1e-5
    )


def test_named_architectures_stay(logger, architecture):
    kiln.set_default_target("cuda:sm_90")
    _, plan = build(logger, Level.AMPERE_PLUS)
    assert architecture(plan) == "sm_90+compute_80"


def test_older_gpus_refuse(logger):
    """A plan with PTX for GPUs that are newer than the one here."""
    kiln.set_default_target("cuda:compute_120")
    _, plan = build(logger)
    assert plan is not None, logger.errors()
    assert open_plan(logger, plan) is None
    assert "the plan needs compute_120, but the GPU here is" in logger.errors()
