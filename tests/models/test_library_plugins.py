# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models with a layer of a C++ plugin library: circular padding in front of a convolution."""

import os
import sys
from pathlib import Path

import kiln as trt
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from dataclasses import replace  # noqa: E402

from export import export_bytes  # noqa: E402
from model_checks import check_extents  # noqa: E402
from small import SMALL  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

BUILD = Path(os.environ.get("KILN_BUILD_DIR", Path(__file__).parents[2] / "build"))
LIBRARY = BUILD / "examples" / "circ_pad" / "libcirc_pad_v3.so"


class CircularPad(torch.autograd.Function):
    """Exported as one node, which only the plugin knows."""

    @staticmethod
    def forward(ctx, x, pad):
        return torch.nn.functional.pad(x, (pad,) * 4, mode="circular")

    @staticmethod
    def symbolic(g, x, pad):
        node = g.op(
            "library::CircPadPlugin",
            x,
            pads_i=[pad] * 4,
            plugin_version_s="2",
            plugin_namespace_s="",
        )
        extents = x.type().sizes()
        if extents:
            extents = [*extents[:2], *(e and e + 2 * pad for e in extents[2:])]
            node.setType(x.type().with_sizes(extents))
        return node


class CircularConvolution(torch.nn.Module):
    def __init__(self, convolution):
        super().__init__()
        self.pad, self.convolution = convolution.padding[0], convolution
        convolution.padding = (0, 0)

    def forward(self, x):
        return self.convolution(CircularPad.apply(x, self.pad))


def with_circular_convolution(make):
    """The network with its first padded convolution wrapped."""

    def wrapped():
        module = make()
        name = next(
            name
            for name, layer in module.named_modules()
            if isinstance(layer, torch.nn.Conv2d) and layer.padding[0] > 0
        )
        parent, _, own = name.rpartition(".")
        parent = module.get_submodule(parent)
        setattr(parent, own, CircularConvolution(getattr(parent, own)))
        return module

    return wrapped


@pytest.fixture
def library():
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    registry = trt.get_plugin_registry()
    handle = registry.load_library(str(LIBRARY))
    assert handle is not None
    yield
    registry.deregister_library(handle)


@pytest.mark.parametrize("name", ["resnet", "mobilenet", "efficientnet", "unet", "yolo"])
def test_convolution_with_a_plugin_in_front(name, library):
    model = replace(SMALL[name], make=with_circular_convolution(SMALL[name].make))
    serialized = export_bytes(model)
    assert serialized.count(b"CircPadPlugin") >= 1
    check_extents(model, serialized)
