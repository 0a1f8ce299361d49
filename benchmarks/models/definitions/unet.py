# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""U-Net for segmentation (Ronneberger et al., arXiv:1505.04597), with padded convolutions."""

import torch
from torch import nn


def _twice(channels, maps):
    layers = []
    for inputs in (channels, maps):
        layers += [
            nn.Conv2d(inputs, maps, 3, padding=1, bias=False),
            nn.BatchNorm2d(maps),
            nn.ReLU(),
        ]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """The defaults are the widths of the paper."""

    def __init__(self, levels=4, width=64, classes=2):
        super().__init__()
        widths = [width << i for i in range(levels + 1)]
        self.first = _twice(3, width)
        self.down = nn.ModuleList(
            nn.Sequential(nn.MaxPool2d(2), _twice(widths[i], widths[i + 1])) for i in range(levels)
        )
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(widths[i + 1], widths[i], 2, 2) for i in reversed(range(levels))
        )
        self.merge = nn.ModuleList(
            _twice(widths[i + 1], widths[i]) for i in reversed(range(levels))
        )
        self.classify = nn.Conv2d(width, classes, 1)

    def forward(self, image):
        kept = [self.first(image)]
        for down in self.down:
            kept.append(down(kept[-1]))
        x = kept.pop()
        for up, merge in zip(self.up, self.merge, strict=True):
            x = merge(torch.cat((kept.pop(), up(x)), dim=1))
        return self.classify(x)
