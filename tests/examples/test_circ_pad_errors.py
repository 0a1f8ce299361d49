# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python forms of the plugin report what is wrong with their attribute."""

import circ_pad_v2
import circ_pad_v3
import numpy as np
import pytest
import tensorrt as trt

MODULES = (circ_pad_v2, circ_pad_v3)


def create(module, *fields):
    creator = module.CircPadPluginCreator()
    collection = trt.PluginFieldCollection(list(fields))
    if isinstance(creator, trt.IPluginCreatorV3One):
        return creator.create_plugin("pad", collection, trt.TensorRTPhase.BUILD)
    return creator.create_plugin("pad", collection)


def pads_field(values, dtype=np.int32, field_type=trt.PluginFieldType.INT32):
    return trt.PluginField("pads", np.array(values, dtype), field_type)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "pads needs 2, 4, 6 or 8 values"),
        ([1, 2, 3], "pads needs 2, 4, 6 or 8 values, .* got \\[1, 2, 3\\]"),
        ([1] * 10, "pads needs 2, 4, 6 or 8 values"),
        ([1, -1], "pads must not be negative, got \\[1, -1\\]"),
    ],
)
def test_wrong_values(module, values, message):
    with pytest.raises(ValueError, match=message):
        create(module, pads_field(values))


@pytest.mark.parametrize("module", MODULES)
def test_wrong_type(module):
    field = pads_field([1.0, 1.0], np.float32, trt.PluginFieldType.FLOAT32)
    with pytest.raises(ValueError, match="pads must be int32 or int64, got float32"):
        create(module, field)


@pytest.mark.parametrize("module", MODULES)
def test_missing(module):
    other = trt.PluginField("pad", np.array([1, 1], np.int32), trt.PluginFieldType.INT32)
    with pytest.raises(ValueError, match="attribute pads is missing; example"):
        create(module, other)


@pytest.mark.parametrize("module", MODULES)
def test_int64_is_taken_too(module):
    plugin = create(module, pads_field([1, 2], np.int64, trt.PluginFieldType.INT64))
    assert plugin.pads == [1, 2]


@pytest.mark.parametrize("module", MODULES)
def test_empty_dimension(module):
    with pytest.raises(ValueError, match="a dimension without elements cannot be padded"):
        module.source_offsets((2, 0), [(1, 1)])
