# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A detector in the style of YOLO: three scales, distances to box sides as distributions, NMS."""

import torch
from torch import nn

from definitions.onnx_nodes import non_max_suppression

BINS = 16  # of the distribution of a distance (Li et al., arXiv:2006.04388)


class Conv(nn.Sequential):
    """Convolution, batch normalization and SiLU."""

    def __init__(self, channels, maps, kernel=1, stride=1):
        super().__init__(
            nn.Conv2d(channels, maps, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(maps, eps=1e-3),
            nn.SiLU(),
        )


class CrossStage(nn.Module):
    """Half of the channels goes through bottlenecks; all their results are kept."""

    def __init__(self, channels, maps, depth, adds):
        super().__init__()
        half = maps // 2
        self.adds = adds
        self.first = Conv(channels, maps)
        self.blocks = nn.ModuleList(
            nn.Sequential(Conv(half, half, 3), Conv(half, half, 3)) for _ in range(depth)
        )
        self.last = Conv((2 + depth) * half, maps)

    def forward(self, x):
        parts = list(self.first(x).chunk(2, dim=1))
        for block in self.blocks:
            y = block(parts[-1])
            parts.append(parts[-1] + y if self.adds else y)
        return self.last(torch.cat(parts, dim=1))


class PyramidPool(nn.Module):
    """Maxima of 5, 9 and 13 places by three poolings in a row."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.last = Conv(channels, channels // 2), Conv(2 * channels, channels)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, dim=1))


class Head(nn.Module):
    """Boxes and class scores of one scale."""

    def __init__(self, channels, box_width, class_width, classes):
        super().__init__()

        def branch(width, maps):
            return nn.Sequential(
                Conv(channels, width, 3), Conv(width, width, 3), nn.Conv2d(width, maps, 1)
            )

        self.boxes, self.classes = branch(box_width, 4 * BINS), branch(class_width, classes)
        self.classes[-1].gain = 16.0  # scores of objects stand out

    def forward(self, x):
        return torch.cat((self.boxes(x), self.classes(x)), dim=1).flatten(2)


class Yolo(nn.Module):
    """The defaults are a network of 3M parameters."""

    def __init__(self, width=16, depths=(1, 2, 2, 1), size=640, classes=80, threshold=0.9):
        super().__init__()
        self.classes, self.threshold = classes, threshold
        widths = [width << i for i in range(5)]
        stages = [Conv(3, width, 3, 2)]
        for i, depth in enumerate(depths):
            stages.append(
                nn.Sequential(
                    Conv(widths[i], widths[i + 1], 3, 2),
                    CrossStage(widths[i + 1], widths[i + 1], depth, True),
                )
            )
        stages[-1].append(PyramidPool(widths[4]))
        self.stages = nn.ModuleList(stages)
        w3, w4, w5 = widths[2:]
        self.upsample = nn.Upsample(scale_factor=2, mode="nearest")
        self.top_down = nn.ModuleList(
            (CrossStage(w5 + w4, w4, 1, False), CrossStage(w4 + w3, w3, 1, False))
        )
        self.shrink = nn.ModuleList((Conv(w3, w3, 3, 2), Conv(w4, w4, 3, 2)))
        self.bottom_up = nn.ModuleList(
            (CrossStage(w3 + w4, w4, 1, False), CrossStage(w4 + w5, w5, 1, False))
        )
        class_width = max(w3, classes)
        self.heads = nn.ModuleList(Head(w, 4 * width, class_width, classes) for w in widths[2:])
        centres, strides = [], []
        for stride in (8, 16, 32):
            at = torch.arange(size // stride) + 0.5
            y, x = torch.meshgrid(at, at, indexing="ij")
            centres.append(torch.stack((x.flatten(), y.flatten())) * stride)
            strides.append(torch.full((x.numel(),), float(stride)))
        self.register_buffer("centres", torch.cat(centres, dim=1))
        self.register_buffer("strides", torch.cat(strides))
        self.register_buffer("bins", torch.arange(BINS).float())

    def features(self, x):
        kept = []
        for stage in self.stages:
            x = stage(x)
            kept.append(x)
        p3, p4, p5 = kept[-3:]
        p4 = self.top_down[0](torch.cat((self.upsample(p5), p4), dim=1))
        p3 = self.top_down[1](torch.cat((self.upsample(p4), p3), dim=1))
        p4 = self.bottom_up[0](torch.cat((self.shrink[0](p3), p4), dim=1))
        return p3, p4, self.bottom_up[1](torch.cat((self.shrink[1](p4), p5), dim=1))

    def forward(self, image):
        """Image, class, corners and score of each object that is left."""
        found = [head(x) for head, x in zip(self.heads, self.features(image), strict=True)]
        boxes, scores = torch.cat(found, dim=2).split((4 * BINS, self.classes), dim=1)
        shares = boxes.view(boxes.shape[0], 4, BINS, -1).softmax(2)
        sides = torch.einsum("bsnp,n->bsp", shares, self.bins) * self.strides
        low, high = sides.chunk(2, dim=1)
        corners = torch.cat((self.centres - low, self.centres + high), dim=1).transpose(1, 2)
        scores = scores.sigmoid()
        rows = non_max_suppression(corners, scores, 20, 0.5, self.threshold)
        image_index, label, box = rows.unbind(1)
        return image_index, label, corners[image_index, box], scores[image_index, label, box]
