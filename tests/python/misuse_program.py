# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""misuse_program.py <log> <seed>: calls every method of every object with arguments of all sorts.

Exceptions and None are correct results. Each call is logged before it is made, so that the last
line names the call that ended the process. All messages are written to <log>.messages.
"""

import math
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import tensorrt as trt

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))

from case import TRT_TYPES
from case_tables import TABLES

ROUNDS = 40

# These take any number as an address or a handle, without a way to check it.
TRUSTING = {
    "execute_async_v3", "execute_v2", "set_tensor_address", "set_input_shape_binding",
    "device_memory", "set_device_memory", "memory", "read", "write", "allocate", "deallocate",
    "allocate_async", "deallocate_async", "reallocate", "set_aux_streams", "set_communicator",
    "set_input_consumed_event", "deregister_library", "profile_stream", "load_initializer",
    "set_weights_name", "copy_from", "copy_to",
}  # fmt: skip

PROTOCOLS = {"__getitem__", "__setitem__", "__len__", "__iter__", "__repr__"}


class Messages(trt.ILogger):
    """Every text once, also those that calls raise."""

    def __init__(self):
        super().__init__()
        self.texts = set()

    def log(self, severity, msg):
        self.texts.add(msg)


def engine_of(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, 2))
    y = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 2), (2, 2), (4, 2))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def layers(network):
    """Those of the first case of each table of tests/ops."""
    for op, table in TABLES.items():
        case = table[0]
        tensors = [
            network.add_input(f"{op}{i}", TRT_TYPES[case.type_of(i, case.types[0])], shape)
            for i, shape in enumerate(case.shapes[0])
        ]
        case.build(network, tensors, case.types[0])
    yield from list(network)


def subjects(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 2, 4, 4))
    ones = np.ones((2, 2, 1, 1), np.float32)
    yield builder
    yield network
    yield x
    yield builder.create_builder_config()
    yield builder.create_optimization_profile()
    yield from layers(network)
    yield trt.OnnxParser(network, logger)
    yield builder.create_builder_config().create_timing_cache(b"")
    engine = engine_of(logger)
    yield engine
    yield engine.create_execution_context()
    yield engine.create_engine_inspector()
    yield trt.Runtime(logger)
    yield trt.Runtime(logger).get_plugin_registry()
    yield trt.PluginField("x", np.zeros(3, np.float32), trt.PluginFieldType.FLOAT32)
    yield trt.PluginFieldCollection([])
    yield trt.Dims((1, 2))
    yield trt.Weights(ones)


def arguments(random_, network, x):
    values = [
        None, True, -1, 0, 1, 2, 3, 31, 2**31, -(2**31) - 1, 2**63, 2**70, 1.5, math.nan, "", "x",
        "nobody", "\udcff", "a" * 5000, b"", b"junk", bytearray(b"x"), (), (1,), (-1,), (2, 2),
        (0, 0, 0, 0), (2**40,) * 8, (1,) * 9, (1,) * 100, ("a",), [None], {}, object(), x, network,
        [x], [x, None], np.array([]), np.ones((2, 2)), np.zeros(3, np.int32), np.int64(3),
        trt.float32, trt.DataType.INT4, trt.Weights(), trt.Dims(), trt.ActivationType.RELU,
        trt.TensorIOMode.INPUT, trt.Permutation([1, 0]), trt.BuilderFlag.FP16, print, int,
    ]  # fmt: skip
    return [random_.choice(values) for _ in range(random_.randrange(0, 5))]


def misuse(subject, random_, network, x, log, messages):
    for name in sorted(dir(type(subject))):
        if name in TRUSTING or (name.startswith("_") and name not in PROTOCOLS):
            continue
        for _ in range(ROUNDS):
            given = arguments(random_, network, x)
            log.write(f"{type(subject).__name__}.{name}{given!r}\n"[:400])
            log.flush()
            try:
                attribute = getattr(subject, name)
                if callable(attribute):
                    attribute(*given)
                else:
                    setattr(subject, name, given[0] if given else None)
            except Exception as error:
                messages.texts.add(str(error))


def main():
    warnings.simplefilter("ignore")
    random_ = random.Random(int(sys.argv[2]))
    logger = Messages()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 2, 4, 4))
    with Path(sys.argv[1]).open("w", errors="replace") as log:
        for subject in subjects(logger):
            misuse(subject, random_, network, x, log, logger)
            del subject
    text = "\n".join(sorted(logger.texts))
    Path(sys.argv[1] + ".messages").write_text(text, errors="replace")
    print("done")


main()
