# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Small plans for the tests of serving, each made in a few milliseconds."""

import kiln


def build(make, profiles=(), config=None):
    """A plan. make(network): adds layers and outputs. profiles: {input: (low, best, high)} each."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = builder.create_network()
    settings = builder.create_builder_config()
    make(network)
    for shapes in profiles:
        profile = builder.create_optimization_profile()
        for name, (low, best, high) in shapes.items():
            assert profile.set_shape(name, low, best, high) is None
        settings.add_optimization_profile(profile)
    if config is not None:
        config(settings)
    plan = builder.build_serialized_network(network, settings)
    assert plan is not None
    return bytes(plan)


def mark(network, tensor, name="y"):
    tensor.name = name
    network.mark_output(tensor)


def double(rows=(1, 8, 16), width=4, dtype=kiln.float32):
    """y = x + x, of [batch, width]."""

    def make(network):
        x = network.add_input("x", dtype, (-1, width))
        mark(network, network.add_elementwise(x, x, kiln.ElementWiseOperation.SUM).get_output(0))

    low, best, high = rows
    return build(make, [{"x": ((low, width), (best, width), (high, width))}])


def sequence(lengths=((1, 16, 64),), rows=(1, 4, 8)):
    """y = x + x of [batch, length]; total = the sum over the length, [batch, 1]. Padding with 0.0
    changes no result but the extent of y."""

    def make(network):
        x = network.add_input("x", kiln.float32, (-1, -1))
        mark(network, network.add_elementwise(x, x, kiln.ElementWiseOperation.SUM).get_output(0))
        total = network.add_reduce(x, kiln.ReduceOperation.SUM, 2, True)
        mark(network, total.get_output(0), "total")

    ranges = [tuple(zip(rows, length, strict=True)) for length in lengths]
    return build(make, [{"x": shapes} for shapes in ranges])


def static():
    """y = -x, of [2, 3]: no batch axis."""

    def make(network):
        x = network.add_input("x", kiln.float32, (2, 3))
        mark(network, network.add_unary(x, kiln.UnaryOperation.NEG).get_output(0))

    return build(make)


def nonzero():
    """Where x, [length], is not 0: [1, found], int64. Only a run tells the shape."""

    def make(network):
        x = network.add_input("x", kiln.float32, (-1,))
        mark(network, network.add_non_zero(x).get_output(0))

    return build(make, [{"x": ((1,), (8,), (32,))}])


def reshaped(*ranges):
    """y = x, of [12], in the shape that the values of another input say. ranges: of profiles."""

    def make(network):
        x = network.add_input("x", kiln.float32, (12,))
        shape = network.add_input("shape", kiln.int64, (2,))
        layer = network.add_shuffle(x)
        layer.set_input(1, shape)
        mark(network, layer.get_output(0))

    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network, config = builder.create_network(), builder.create_builder_config()
    make(network)
    for values in ranges or (((1, 1), (3, 4), (12, 12)),):
        profile = builder.create_optimization_profile()
        profile.set_shape_input("shape", *values)
        config.add_optimization_profile(profile)
    return bytes(builder.build_serialized_network(network, config))
