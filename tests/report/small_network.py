# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The network and the plans that tests of reports share."""

import kiln
import numpy as np

EVIL = "</script><script>alert('&amp;\"')</script>\u2028"


def small_network(builder):
    """A residual block, a view, a cast and a layer with a name that HTML would take for its own."""
    network = builder.create_network()
    network.name = "small"
    x = network.add_input("x", kiln.float32, (-1, 64))
    weights = network.add_constant((64, 64), np.full((64, 64), 0.01, np.float32)).get_output(0)
    none = kiln.MatrixOperation.NONE
    product = network.add_matrix_multiply(x, none, weights, none)
    product.name = "product"
    relu = network.add_activation(product.get_output(0), kiln.ActivationType.RELU)
    relu.name = EVIL
    total = network.add_elementwise(relu.get_output(0), x, kiln.ElementWiseOperation.SUM)
    total.name = "total"
    soft = network.add_softmax(total.get_output(0))
    soft.axes = 2
    soft.name = "soft"
    top = network.add_topk(soft.get_output(0), kiln.TopKOperation.MAX, 3, 2)
    top.name = "top"
    for i in range(2):
        network.mark_output(top.get_output(i))
    top.get_output(0).name = "values"
    top.get_output(1).name = "places"
    return network


def build(verbosity=kiln.ProfilingVerbosity.DETAILED, network_of=small_network):
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = network_of(builder)
    config = builder.create_builder_config()
    config.profiling_verbosity = verbosity
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 64), (8, 64), (32, 64))
    config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)
