# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a network of one layer, saves nothing, runs it once: on the CPU, or on a GPU."""

import kiln
import tensorrt as trt

logger = trt.Logger()
builder = trt.Builder(logger)
network = builder.create_network()
x = network.add_input("x", trt.float32, (4,))
network.mark_output(network.add_activation(x, trt.ActivationType.RELU).get_output(0))
plan = builder.build_serialized_network(network, builder.create_builder_config())
context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
# Memory on the engine's target. On the CPU, the address of a NumPy array works, too.
a, b = kiln.DeviceArray([-1.0, 2, -3, 4]), kiln.DeviceArray.empty(4)
context.execute_v2([a, b])
print(b.numpy())  # [0. 2. 0. 4.]
