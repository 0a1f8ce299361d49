# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""EfficientNet-B0 (Tan and Le, arXiv:1905.11946)."""

from functools import partial

from torch import nn

from definitions.inverted_residual import InvertedResidual, SqueezeExcite, conv

# Expansion, output channels, blocks, stride of the first block, kernel.
B0 = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)


class EfficientNet(nn.Module):
    """The defaults are B0."""

    def __init__(self, rows=B0, stem=32, head=1280, classes=1000):
        super().__init__()
        layers = [conv(3, stem, 3, 2, activation=nn.SiLU)]
        channels = stem
        for expansion, maps, count, first_stride, kernel in rows:
            for i in range(count):
                excite = partial(
                    SqueezeExcite,
                    squeezed=max(1, channels // 4),
                    activation=nn.SiLU,
                    gate=nn.Sigmoid,
                )
                stride = first_stride if i == 0 else 1
                expanded = expansion * channels
                layers.append(
                    InvertedResidual(channels, expanded, maps, kernel, stride, nn.SiLU, excite)
                )
                channels = maps
        layers += [
            conv(channels, head, 1, activation=nn.SiLU),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(head, classes),
        ]
        self.layers = nn.Sequential(*layers)

    def forward(self, image):
        return self.layers(image)
