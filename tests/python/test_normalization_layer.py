# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""INormalizationLayer from Python: settings and refusals. tests/ops checks its numbers."""

import pytest
import tensorrt as trt


@pytest.fixture
def network(logger):
    return trt.Builder(logger).create_network(0)


@pytest.fixture
def tensors(network):
    x = network.add_input("x", trt.float32, (2, 6, 4, 4))
    factor = network.add_input("factor", trt.float32, (1, 6, 1, 1))
    return x, factor, factor


def test_defaults_and_settings(network, tensors):
    layer = network.add_normalization_v2(*tensors, 1 << 2 | 1 << 3)
    assert type(layer) is trt.INormalizationLayer
    assert type(network[0]) is trt.INormalizationLayer
    assert layer.type == trt.LayerType.NORMALIZATION
    assert (layer.axes, layer.num_groups, layer.is_v2) == (12, 1, True)
    assert layer.epsilon == pytest.approx(1e-5)
    assert layer.compute_precision == trt.float32
    layer.num_groups = 3
    layer.epsilon = 0.5
    layer.axes = 4
    layer.compute_precision = trt.float16
    assert (layer.axes, layer.num_groups, layer.epsilon) == (4, 3, 0.5)
    assert layer.compute_precision == trt.float16
    assert not network.add_normalization(*tensors, axesMask=12).is_v2


@pytest.mark.parametrize(
    ("name", "value", "kept", "message"),
    [
        ("axes", 0, 12, "axes: expected axes with one bit or more"),
        ("num_groups", 0, 1, "number of groups: expected 1 or more groups, got 0"),
        ("epsilon", -2.0, pytest.approx(1e-5), "epsilon: expected an epsilon of 0 or more, got -2"),
        ("compute_precision", trt.int8, trt.float32, "compute precision: expected a compute"),
    ],
)
def test_refused_settings_change_nothing(network, tensors, logger, name, value, kept, message):
    layer = network.add_normalization_v2(*tensors, 12)
    setattr(layer, name, value)
    assert getattr(layer, name) == kept
    assert message in logger.errors()


def test_no_axes_are_refused(network, tensors, logger):
    assert network.add_normalization_v2(*tensors, 0) is None
    assert "normalization layer: expected axes with one bit or more" in logger.errors()
