# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The heads of Mask R-CNN (He et al., arXiv:1703.06870) on a feature pyramid."""

import torch
from torch import nn

from definitions.onnx_nodes import roi_align


class PyramidAlign(nn.Module):
    """Takes each box from the level of its size (Lin et al., arXiv:1612.03144)."""

    def __init__(self, size, samples, strides, usual=224):
        super().__init__()
        self.size, self.samples, self.strides, self.usual = size, samples, strides, usual

    def forward(self, levels, boxes, images):
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        # The usual size belongs to the last level but one.
        level = torch.floor(len(levels) - 2 + torch.log2(area.sqrt() / self.usual + 1e-6))
        level = level.clamp(0, len(levels) - 1).to(torch.int64)
        shape = (boxes.shape[0], levels[0].shape[1], self.size, self.size)
        result = torch.zeros(shape, dtype=boxes.dtype, device=boxes.device)
        for i, (x, stride) in enumerate(zip(levels, self.strides, strict=True)):
            chosen = torch.nonzero(level == i)[:, 0]
            part = roi_align(
                x, boxes[chosen], images[chosen], self.size, self.samples, 1.0 / stride
            )
            result[chosen] = part
        return result


class MaskRCNNHeads(nn.Module):
    """Class, box and mask of each proposed box. The defaults are those of the paper with FPN."""

    def __init__(self, channels=256, hidden=1024, classes=91, strides=(4, 8, 16, 32), usual=224):
        super().__init__()
        self.align = PyramidAlign(7, 2, strides, usual)
        self.mask_align = PyramidAlign(14, 2, strides, usual)
        self.body = nn.Sequential(
            nn.Flatten(),
            nn.Linear(49 * channels, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.classify = nn.Linear(hidden, classes)
        self.move = nn.Linear(hidden, 4 * classes)
        layers = []
        for _ in range(4):
            layers += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
        layers += [
            nn.ConvTranspose2d(channels, channels, 2, 2),
            nn.ReLU(),
            nn.Conv2d(channels, classes, 1),
            nn.Sigmoid(),
        ]
        self.mask = nn.Sequential(*layers)

    def forward(self, boxes, images, *levels):
        x = self.body(self.align(levels, boxes, images))
        scores = self.classify(x).softmax(-1)
        label = scores[:, 1:].argmax(1) + 1  # class 0 is the background
        rows = torch.arange(boxes.shape[0], device=boxes.device)
        masks = self.mask(self.mask_align(levels, boxes, images))[rows, label]
        return scores, self.move(x), masks
