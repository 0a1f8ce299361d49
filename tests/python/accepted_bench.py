# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the calls of accepted_arguments.py and of layer_arguments/ need."""

import numpy as np
import tensorrt as trt
from list_logger import ListLogger


class Bench:
    """Creates the objects that the calls need."""

    def __init__(self):
        self.logger = ListLogger()
        self.builder = trt.Builder(self.logger)
        self.network = self.builder.create_network(0)
        self.config = self.builder.create_builder_config()
        self.x = self.network.add_input("x", trt.float32, (4, 4, 8, 8))
        self.y = self.network.add_input("y", trt.int32, (2,))

    def profile(self):
        return self.builder.create_optimization_profile()

    def engine(self):
        builder = trt.Builder(self.logger)
        network = builder.create_network(0)
        config = builder.create_builder_config()
        x = network.add_input("x", trt.float32, (-1, -1))
        network.mark_output(network.add_activation(x, trt.ActivationType.RELU).get_output(0))
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (1, 1), (2, 3), (4, 4))
        config.add_optimization_profile(profile)
        return builder.build_engine_with_config(network, config)

    def context(self):
        return self.engine().create_execution_context()


def attribute(make, name, read=lambda value: value):
    """Sets an attribute of make(bench), and reads it back."""

    def call(bench, value):
        target = make(bench)
        setattr(target, name, value)
        return read(getattr(target, name))

    return call


def shape_of(make, name):
    return attribute(make, name, tuple)


def order(make, name):
    return attribute(make, name, lambda value: (value[0], value[1]))


def arguments_of_kernel(name, cls, first_extents):
    """ARGUMENTS of the layers with a kernel: add_<name>_nd and the class. `first_extents(channels,
    maps)`: of the kernel, in front of its window."""

    def add(bench, x, kernel_shape, kernel):
        return getattr(bench.network, f"add_{name}_nd")(x, 1, kernel_shape, kernel)

    def zeros(*window):
        return np.zeros((*first_extents(4, 1), *window), np.float32)

    def layer(bench):
        return add(bench, bench.x, (1, 1), zeros(1, 1))

    def kernel_of_layer(bench, value):
        x = bench.network.add_input("image", trt.float32, (1, 4, 2, 2))
        return add(bench, x, (1, 1), value).kernel.tolist()

    def kernel_shape(bench, value):
        return tuple(add(bench, bench.x, value, zeros(2, 3)).kernel_size_nd)

    shapes = ("kernel_size_nd", "stride_nd", "dilation_nd", "padding_nd", "pre_padding",
              "post_padding")  # fmt: skip
    return {
        "shape": {
            f"INetworkDefinition.add_{name}_nd.kernel_shape": kernel_shape,
            **{f"{cls}.{shape}": shape_of(layer, shape) for shape in shapes},
        },
        "integer": {
            f"{cls}.{number}": attribute(layer, number)
            for number in ("num_groups", "num_output_maps")
        },
        "weights": {
            f"INetworkDefinition.add_{name}_nd.kernel": kernel_of_layer,
            f"{cls}.kernel": attribute(layer, "kernel", lambda value: value.tolist()),
        },
    }
