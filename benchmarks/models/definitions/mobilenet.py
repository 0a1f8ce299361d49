# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""MobileNetV3-large (Howard et al., arXiv:1905.02244)."""

from functools import partial

from torch import nn

from definitions.inverted_residual import InvertedResidual, SqueezeExcite, conv

# Kernel, expanded channels, output channels, squeeze and excite, hard swish (else ReLU), stride.
LARGE = (
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
)


def _multiple_of_8(channels):
    rounded = max(8, (int(channels) + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


class MobileNetV3(nn.Module):
    """The defaults are the large network."""

    def __init__(self, rows=LARGE, hidden=1280, classes=1000):
        super().__init__()
        layers = [conv(3, 16, 3, 2, activation=nn.Hardswish)]
        channels = 16
        for kernel, expanded, maps, excites, swishes, stride in rows:
            activation = nn.Hardswish if swishes else nn.ReLU
            excite = partial(
                SqueezeExcite,
                squeezed=_multiple_of_8(expanded // 4),
                activation=nn.ReLU,
                gate=nn.Hardsigmoid,
            )
            layers.append(
                InvertedResidual(
                    channels,
                    expanded,
                    maps,
                    kernel,
                    stride,
                    activation,
                    excite if excites else None,
                )
            )
            channels = maps
        layers += [
            conv(channels, 6 * channels, 1, activation=nn.Hardswish),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(6 * channels, hidden),
            nn.Hardswish(),
            nn.Linear(hidden, classes),
        ]
        self.layers = nn.Sequential(*layers)

    def forward(self, image):
        return self.layers(image)
