# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Random models against the reference evaluator of ONNX in float64.

An error may be as large as that of ONNX Runtime, some models magnify rounding. To look for faults,
run more of them, from any first seed:

    KILN_RANDOM_MODELS=5000 KILN_RANDOM_SEED=100000 pytest -n 2 tests/random_models
"""

import os
import sys
from pathlib import Path

import kiln as trt
import numpy as np
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from onnx import ModelProto, TensorProto, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import device_memory
from random_model import random_model
from steps import STEPS

COUNT = int(os.environ.get("KILN_RANDOM_MODELS", "400"))
FIRST = int(os.environ.get("KILN_RANDOM_SEED", "0"))
PARTS = 8
BATCHES = (2, 1, 4)
LARGEST = 1e6  # element of a model that is worth comparing


def in_double(proto):
    wide = ModelProto.FromString(proto.SerializeToString())
    for tensor in wide.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for value in [*wide.graph.input, *wide.graph.output]:
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for node in wide.graph.node:
        if node.op_type == "Cast":
            node.attribute[0].i = TensorProto.DOUBLE
    return wide


class Log(trt.ILogger):
    def __init__(self):
        trt.ILogger.__init__(self)
        self.errors = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(message)


class Engine:
    def __init__(self, model, proto):
        self.log = Log()
        builder = trt.Builder(self.log)
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, self.log)
        assert parser.parse(proto.SerializeToString()), self.log.errors
        config = builder.create_builder_config()
        if model.dynamic:
            profile = builder.create_optimization_profile()
            for name in model.inputs:
                rest = model.shapes[name][1:]
                profile.set_shape(name, (1, *rest), (2, *rest), (4, *rest))
            config.add_optimization_profile(profile)
        plan = builder.build_serialized_network(network, config)
        assert plan is not None, self.log.errors
        self.engine = trt.Runtime(self.log).deserialize_cuda_engine(plan)
        assert self.engine is not None, self.log.errors
        self.context = self.engine.create_execution_context()
        self.memory = device_memory.for_target()
        self.outputs = model.outputs

    def run(self, feeds):
        arrays = {name: self.memory.DeviceArray(values) for name, values in feeds.items()}
        for name, values in feeds.items():
            assert self.context.set_input_shape(name, values.shape), self.log.errors
        for name in self.outputs:
            shape = tuple(self.context.get_tensor_shape(name))
            arrays[name] = self.memory.DeviceArray(np.full(shape, np.nan, np.float32))
        for name, array in arrays.items():
            self.context.set_tensor_address(name, array.ptr)
        stream = self.memory.Stream()
        assert self.context.execute_async_v3(stream.handle), self.log.errors
        stream.synchronize()
        return [arrays[name].numpy() for name in self.outputs]


def runtime_session(proto):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def check(seed):
    """Whether all batches were compared; raises if one of them is wrong."""
    model = random_model(seed, STEPS)
    proto = model.proto()
    if not model.inputs:
        return False
    exact, rival = ReferenceEvaluator(in_double(proto)), runtime_session(proto)
    engine = Engine(model, proto)
    for batch in BATCHES if model.dynamic else [model.batch]:
        feeds = model.feeds(batch)
        truths = exact.run(model.outputs, {k: v.astype(np.float64) for k, v in feeds.items()})
        if not all(np.isfinite(truth).all() and np.abs(truth).max() < LARGEST for truth in truths):
            return False  # sums of squares of squares
        rivals = rival.run(model.outputs, feeds)
        for name, truth, other, got in zip(
            model.outputs, truths, rivals, engine.run(feeds), strict=True
        ):
            where = f"seed {seed}, batch {batch}, output {name}"
            assert got.shape == truth.shape, where
            scale = np.abs(truth).max(initial=1)
            allowed = 1e-4 * scale + 10 * np.abs(other - truth).max(initial=0)
            error = np.abs(got - truth).max(initial=0)
            assert error <= allowed, f"{where}: error {error}, allowed {allowed}"
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_models(part):
    seeds = range(FIRST + part, FIRST + COUNT, PARTS)
    compared = sum(check(seed) for seed in seeds)
    assert compared >= 0.8 * len(seeds)  # about 97 in 100 are
