# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet with bottleneck blocks (He et al., arXiv:1512.03385), stride in the 3x3 convolution."""

from torch import nn


def _conv(channels, maps, kernel, stride=1):
    return nn.Sequential(
        nn.Conv2d(channels, maps, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(maps)
    )


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions and a shortcut."""

    def __init__(self, channels, width, stride):
        super().__init__()
        maps = 4 * width
        self.body = nn.Sequential(
            _conv(channels, width, 1),
            nn.ReLU(),
            _conv(width, width, 3, stride),
            nn.ReLU(),
            _conv(width, maps, 1),
        )
        same = stride == 1 and channels == maps
        self.shortcut = nn.Identity() if same else _conv(channels, maps, 1, stride)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    """The defaults are ResNet-50."""

    def __init__(self, blocks=(3, 4, 6, 3), width=64, classes=1000):
        super().__init__()
        layers = [_conv(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        channels = width
        for stage, count in enumerate(blocks):
            for i in range(count):
                stride = 2 if stage > 0 and i == 0 else 1
                layers.append(Bottleneck(channels, width << stage, stride))
                channels = 4 * (width << stage)
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
        self.layers = nn.Sequential(*layers)

    def forward(self, image):
        return self.layers(image)
