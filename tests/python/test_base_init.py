# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A derived class may call the __init__ of a class further up than its base."""

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


@pytest.mark.parametrize(("_", "base"), PAIRS)
def test_an_object_of_another_class(_, base):
    with pytest.raises(TypeError):
        base.__init__(object())


def test_arguments_and_keywords_still_count():
    assert trt.Logger(min_severity=trt.Logger.ERROR).min_severity == trt.Logger.ERROR
    assert "self" in trt.ILogger.__init__.__doc__
