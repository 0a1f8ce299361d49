# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Swin transformer (Liu et al., arXiv:2103.14030): attention in windows that shift."""

import torch
from torch import nn

from definitions.transformer import FeedForward, merge_heads, split_heads


def to_windows(x, window):
    """[batch, height, width, channels] to [batch * windows, window * window, channels]."""
    batch, height, width, channels = x.shape
    x = x.view(batch, height // window, window, width // window, window, channels)
    return x.transpose(2, 3).reshape(-1, window * window, channels)


def from_windows(x, window, height, width):
    """The inverse of to_windows."""
    x = x.view(-1, height // window, width // window, window, window, x.shape[-1])
    return x.transpose(2, 3).reshape(-1, height, width, x.shape[-1])


def relative_index(window):
    """For each pair of places of a window, the row of their distance in the table of biases."""
    places = torch.cartesian_prod(torch.arange(window), torch.arange(window))
    distance = places[:, None] - places[None, :] + window - 1
    return distance[..., 0] * (2 * window - 1) + distance[..., 1]


def shift_mask(size, window, shift):
    """Hides from each place those that the shift has brought into its window from elsewhere."""
    region = torch.zeros(size)
    region[size - window : size - shift] = 1
    region[size - shift :] = 2
    regions = to_windows((3 * region[:, None] + region)[None, :, :, None], window)
    return (regions != regions.transpose(1, 2)) * -100.0


class Block(nn.Module):
    """Attention in windows, shifted by half a window or not."""

    def __init__(self, width, heads, size, window, shifted):
        super().__init__()
        self.heads, self.size, self.window = heads, size, min(window, size)
        self.shift = self.window // 2 if shifted and size > window else 0
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.biases = nn.Parameter(0.1 * torch.randn((2 * self.window - 1) ** 2, heads))
        self.register_buffer("index", relative_index(self.window))
        if self.shift:
            self.register_buffer("mask", shift_mask(size, self.window, self.shift))
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def attend(self, x):
        q, k, v = (split_heads(y, self.heads) for y in self.query_key_value(x).chunk(3, dim=-1))
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
        scores = scores + self.biases[self.index].permute(2, 0, 1)
        if self.shift:
            windows, places = self.mask.shape[0], self.mask.shape[-1]
            scores = scores.view(-1, windows, self.heads, places, places) + self.mask[:, None]
            scores = scores.view(-1, self.heads, places, places)
        return self.output(merge_heads(scores.softmax(-1) @ v))

    def forward(self, x):
        y = self.attention_norm(x)
        if self.shift:
            y = torch.roll(y, (-self.shift, -self.shift), (1, 2))
        y = from_windows(self.attend(to_windows(y, self.window)), self.window, self.size, self.size)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), (1, 2))
        x = x + y
        return x + self.feed_forward(self.norm(x))


class Merge(nn.Module):
    """Halves the image: four neighbours become one place with twice the channels."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(4 * width)
        self.reduce = nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x):
        parts = (x[:, i::2, j::2] for j in (0, 1) for i in (0, 1))
        return self.reduce(self.norm(torch.cat(tuple(parts), dim=-1)))


class Swin(nn.Module):
    """The defaults are Swin-T."""

    def __init__(
        self, depths=(2, 2, 6, 2), width=96, heads=3, window=7, patch=4, size=224, classes=1000
    ):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first_norm = nn.LayerNorm(width)
        layers, size = [], size // patch
        for stage, depth in enumerate(depths):
            if stage > 0:
                layers.append(Merge(width))
                width, heads, size = 2 * width, 2 * heads, size // 2
            layers += [Block(width, heads, size, window, i % 2 == 1) for i in range(depth)]
        self.layers = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, classes)

    def forward(self, image):
        x = self.first_norm(self.patches(image).permute(0, 2, 3, 1))
        return self.classify(self.norm(self.layers(x)).mean((1, 2)))
