# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What a model of the benchmarks and tests is: its module, inputs and dynamic extents."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

SEED = 20


@dataclass(frozen=True)
class Model:
    """One network at one size and batch. `inputs(generator)` gives its inputs by name."""

    make: Callable[[], torch.nn.Module]
    inputs: Callable[[torch.Generator], dict[str, torch.Tensor]]
    outputs: tuple[str, ...] = ("output",)
    images: bool = False  # channels-last is worth trying
    dynamic: dict[str, Any] = field(default_factory=dict)  # dynamic_axes of torch.onnx.export
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)  # of dynamic extents, by name
    change: Callable[[bytes, "Model"], bytes] | None = None  # of the exported model: quantization

    def module(self):
        """The network with the weights that every process makes from the same seed."""
        torch.manual_seed(SEED)
        module = self.make().eval().requires_grad_(False)
        for layer in module.modules():
            settle(layer)
        return module

    def data(self, **extents):
        """Inputs by name, the same in every process; `extents` of dynamic axes by their names."""
        data = self.inputs(torch.Generator().manual_seed(SEED + 1))
        for name, axes in self.dynamic.items():
            for axis, label in axes.items():
                if label in extents and name in data:
                    data[name] = resized(data[name], axis, extents[label])
        return data

    def profile(self):
        """Name, least, usual and largest shape of each dynamic input."""
        data = self.data()
        rows = []
        for name, axes in self.dynamic.items():
            bounds = []
            for bound in (0, 1):
                shape = list(data[name].shape)
                for axis, label in axes.items():
                    shape[axis] = self.ranges[label][bound]
                bounds.append(tuple(shape))
            rows.append((name, bounds[0], tuple(data[name].shape), bounds[1]))
        return rows


def resized(tensor, axis, extent):
    """The tensor cut, or repeated, along an axis."""
    return tensor.index_select(axis, torch.arange(extent) % tensor.shape[axis])


def settle(layer):
    """Gives a layer weights that keep the size of activations, and means and scales not trivial."""
    if isinstance(layer, torch.nn.BatchNorm2d):
        layer.running_mean.normal_(0, 0.1)
        layer.running_var.uniform_(0.8, 1.2)
        layer.weight.uniform_(0.8, 1.2)
        layer.bias.normal_(0, 0.1)
    elif isinstance(layer, torch.nn.LayerNorm | torch.nn.GroupNorm):
        layer.weight.uniform_(0.8, 1.2)
        layer.bias.normal_(0, 0.1)
    elif isinstance(layer, torch.nn.Embedding):
        layer.weight.normal_(0, 0.3)
    elif isinstance(layer, torch.nn.Conv1d | torch.nn.Conv2d | torch.nn.Linear):
        inputs = layer.weight[0].numel()
        # `gain` is for layers that are far from 1 when trained.
        layer.weight.normal_(0, getattr(layer, "gain", 1.0) * math.sqrt(1.3 / inputs))
