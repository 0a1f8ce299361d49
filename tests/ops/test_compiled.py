# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the cuda target, compiled by NVIDIA's compiler. No GPU is needed.

Rows sampled across each case table are built, not run: each with one of its types and for one
architecture, in rotation. Needs NVRTC, from requirements/test.txt or the toolkit.
"""

import kiln
import numpy as np
import pytest
import tensorrt as trt
from case import build
from case_tables import TABLES

ROWS = 8  # per table, and those in bfloat16; a compilation takes 0.1 to 1 s
ARCHITECTURES = ["sm_75", "sm_90", "sm_100"]  # the oldest that CUDA 13 knows, Hopper, Blackwell


def bfloat16_cases(cases):
    """The cases made by bfloat16.py."""
    return [case for case in cases if case.name.startswith("bfloat16_")]


@pytest.fixture
def target():
    """Sets the default target for one test."""
    yield kiln.set_default_target
    kiln.set_default_target(None)


@pytest.mark.parametrize("table", TABLES)
def test_table(table, target, logger):
    cases = TABLES[table]
    sample = [*cases[:: -(-len(cases) // ROWS)], *bfloat16_cases(cases)]
    for index, case in enumerate(sample):
        turn, which = divmod(index, len(case.types))
        architecture = ARCHITECTURES[(turn + which) % len(ARCHITECTURES)]
        target(f"cuda:{architecture}")
        dtype = case.types[which]
        row = f"{table}-{case.name}-{dtype.__name__} for {architecture}"
        try:
            build(case, dtype, logger, dynamic=False)
        except AssertionError as problem:
            raise AssertionError(f"{row}: {problem}\n" + "\n".join(logger.errors)) from None


def test_of_several_architectures(target, logger):
    """A plan holds code for each, also in bfloat16, for which older GPUs have no instructions."""
    cases = [case for table in TABLES.values() for case in bfloat16_cases(table)]
    for several in ("cuda:sm_75+sm_90", "cuda:compute_80", "cuda:sm_90+compute_80"):
        target(several)
        for case in cases[:3]:
            build(case, case.types[0], logger, dynamic=False)


class Told(trt.ILogger):
    """Keeps all messages."""

    def __init__(self):
        trt.ILogger.__init__(self)
        self.messages = []

    def log(self, _severity, message):
        self.messages.append(message)


def test_projections_of_many_rows_are_one_product(target):
    """On a GPU in float16, three launches of 4096 x 768 x 768 take longer than one of 2304 columns;
    the same estimates in float32 would hide the launches."""
    target("cuda:sm_90")
    logger = Told()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.FP16)
    x = network.add_input("x", trt.float32, (8, 512, 768))
    none, transposed = trt.MatrixOperation.NONE, trt.MatrixOperation.TRANSPOSE
    heads = []
    for name in ("queries", "keys", "values"):
        weights = np.random.default_rng(1).standard_normal((1, 768, 768)).astype(np.float32)
        constant = network.add_constant(weights.shape, weights).get_output(0)
        product = network.add_matrix_multiply(x, none, constant, none)
        product.name = name
        split = network.add_shuffle(product.get_output(0))
        split.reshape_dims = (8, 512, 12, 64)
        split.second_transpose = (0, 2, 1, 3)
        heads.append(split.get_output(0))
    scores = network.add_matrix_multiply(heads[0], none, heads[1], transposed).get_output(0)
    softmax = network.add_softmax(scores)
    softmax.axes = 1 << 3
    y = network.add_matrix_multiply(softmax.get_output(0), none, heads[2], none).get_output(0)
    network.mark_output(y)
    assert builder.build_serialized_network(network, config) is not None
    assert any("'queries + keys + values" in message for message in logger.messages)
