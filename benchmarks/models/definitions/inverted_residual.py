# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of MobileNetV3 and EfficientNet: expand, depthwise, squeeze and excite, project."""

from torch import nn


def conv(channels, maps, kernel, stride=1, groups=1, activation=None):
    """Convolution, batch normalization and an optional activation."""
    layers = [
        nn.Conv2d(channels, maps, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(maps),
    ]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class SqueezeExcite(nn.Module):
    """Scales each channel by a gate from the means of all channels."""

    def __init__(self, channels, squeezed, activation, gate):
        super().__init__()
        self.gates = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, squeezed, 1),
            activation(),
            nn.Conv2d(squeezed, channels, 1),
            gate(),
        )

    def forward(self, x):
        return x * self.gates(x)


class InvertedResidual(nn.Module):
    """One block; `excite` makes its SqueezeExcite from the number of channels, or is None."""

    def __init__(self, channels, expanded, maps, kernel, stride, activation, excite):
        super().__init__()
        layers = []
        if expanded != channels:
            layers.append(conv(channels, expanded, 1, activation=activation))
        layers.append(conv(expanded, expanded, kernel, stride, expanded, activation))
        if excite:
            layers.append(excite(expanded))
        layers.append(conv(expanded, maps, 1))
        self.body = nn.Sequential(*layers)
        self.adds = stride == 1 and channels == maps

    def forward(self, x):
        y = self.body(x)
        return x + y if self.adds else y
