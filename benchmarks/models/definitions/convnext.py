# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ConvNeXt-tiny (Liu et al., arXiv:2201.03545)."""

import torch
from torch import nn


class ChannelNorm(nn.LayerNorm):
    """Layer normalization over the channels of an image."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    """A depthwise convolution, then two linear layers on channels."""

    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.body = nn.Sequential(
            nn.LayerNorm(channels, eps=1e-6),
            nn.Linear(channels, 4 * channels),
            nn.GELU(),
            nn.Linear(4 * channels, channels),
        )
        self.scale = nn.Parameter(torch.full((channels, 1, 1), 0.1))

    def forward(self, x):
        y = self.body(self.depthwise(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return x + self.scale * y


class ConvNeXt(nn.Module):
    """The defaults are the tiny network."""

    def __init__(self, blocks=(3, 3, 9, 3), width=96, classes=1000):
        super().__init__()
        layers = [nn.Conv2d(3, width, 4, 4), ChannelNorm(width, eps=1e-6)]
        for stage, count in enumerate(blocks):
            channels = width << stage
            if stage > 0:
                layers += [
                    ChannelNorm(channels // 2, eps=1e-6),
                    nn.Conv2d(channels // 2, channels, 2, 2),
                ]
            layers += [Block(channels) for _ in range(count)]
        layers += [
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.LayerNorm(channels, eps=1e-6),
            nn.Linear(channels, classes),
        ]
        self.layers = nn.Sequential(*layers)

    def forward(self, image):
        return self.layers(image)
