# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A derived class may call the __init__ of an indirect base class."""

import pytest
import tensorrt as trt

PAIRS = [
    (trt.Logger, trt.ILogger),
    (trt.IGpuAsyncAllocator, trt.IGpuAllocator),
    (trt.IPluginV3OneBuildV2, trt.IPluginV3OneBuild),
    (trt.IPluginV3QuickAOTBuild, trt.IPluginV3QuickBuild),
]


@pytest.mark.parametrize(("base", "further_up"), PAIRS)
def test_the_object_is_whole(base, further_up):
    class Own(base):
        def __init__(self):
            further_up.__init__(self)

    assert isinstance(Own(), further_up)


def test_beside_other_bases():
    class Own(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2):
        def __init__(self):
            trt.IPluginV3.__init__(self)
            trt.IPluginV3OneCore.__init__(self)
            trt.IPluginV3OneBuild.__init__(self)

    own = Own()
    own.num_outputs = 2
    assert own.num_outputs == 2


@pytest.mark.parametrize(("_", "base"), PAIRS)
def test_an_object_of_another_class(_, base):
    with pytest.raises(TypeError):
        base.__init__(object())


def test_arguments_and_keywords_still_count():
    assert trt.Logger(min_severity=trt.Logger.ERROR).min_severity == trt.Logger.ERROR
    assert "self" in trt.ILogger.__init__.__doc__
