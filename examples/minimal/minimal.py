# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a network of one layer, saves nothing, runs it once."""

import numpy as np
import tensorrt as trt

logger = trt.Logger()
builder = trt.Builder(logger)
network = builder.create_network()
x = network.add_input("x", trt.float32, (4,))
network.mark_output(network.add_activation(x, trt.ActivationType.RELU).get_output(0))
plan = builder.build_serialized_network(network, builder.create_builder_config())
context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
a, b = np.array([-1, 2, -3, 4], np.float32), np.empty(4, np.float32)
context.execute_v2([a.ctypes.data, b.ctypes.data])
print(b)  # [0. 2. 0. 4.]
