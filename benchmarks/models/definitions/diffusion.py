# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Latent diffusion (Rombach et al., arXiv:2112.10752): a part of the U-Net, and the decoder."""

import math

import torch
from torch import nn
from torch.nn.functional import gelu, interpolate, scaled_dot_product_attention, silu

from definitions.transformer import CrossAttention


class Residual(nn.Module):
    """Two convolutions, each after a normalization; the time is added between them."""

    def __init__(self, channels, maps, groups, time_width=None, eps=1e-6):
        super().__init__()
        self.first_norm = nn.GroupNorm(groups, channels, eps)
        self.first = nn.Conv2d(channels, maps, 3, padding=1)
        self.time = nn.Linear(time_width, maps) if time_width else None
        self.norm = nn.GroupNorm(groups, maps, eps)
        self.last = nn.Conv2d(maps, maps, 3, padding=1)
        self.shortcut = nn.Identity() if channels == maps else nn.Conv2d(channels, maps, 1)

    def forward(self, x, time=None):
        y = self.first(silu(self.first_norm(x)))
        if self.time is not None:
            y = y + self.time(silu(time))[:, :, None, None]
        return self.shortcut(x) + self.last(silu(self.norm(y)))


class GatedFeedForward(nn.Module):
    """A linear layer whose one half is gated by GELU of the other (Shazeer, arXiv:2002.05202)."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        value, gate = self.first(x).chunk(2, dim=-1)
        return self.last(value * gelu(gate))


class SpatialTransformer(nn.Module):
    """Attention of an image's places to each other and to the text."""

    def __init__(self, channels, heads, groups, text_width):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, 1e-6)
        self.enter, self.leave = (nn.Conv2d(channels, channels, 1) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(channels) for _ in range(3))
        self.attention = CrossAttention(channels, heads, bias=False)
        self.cross = CrossAttention(channels, heads, text_width, bias=False)
        self.feed_forward = GatedFeedForward(channels)

    def forward(self, x, text):
        height, width = x.shape[2:]
        y = self.enter(self.norm(x)).flatten(2).transpose(1, 2)
        z = self.norms[0](y)
        y = y + self.attention(z, z)
        y = y + self.cross(self.norms[1](y), text)
        y = y + self.feed_forward(self.norms[2](y))
        return x + self.leave(y.transpose(1, 2).unflatten(2, (height, width)))


class DiffusionBlock(nn.Module):
    """One level of the U-Net, down and up again, with its time embedding."""

    def __init__(self, channels=320, heads=8, groups=32, text_width=768):
        super().__init__()
        self.channels = channels
        time_width = 4 * channels
        self.time = nn.Sequential(
            nn.Linear(channels, time_width), nn.SiLU(), nn.Linear(time_width, time_width)
        )
        self.enter = nn.Conv2d(4, channels, 3, padding=1)
        self.first = Residual(channels, channels, groups, time_width)
        self.first_transformer = SpatialTransformer(channels, heads, groups, text_width)
        self.down = nn.Conv2d(channels, channels, 3, 2, 1)
        self.middle = Residual(channels, 2 * channels, groups, time_width)
        self.middle_transformer = SpatialTransformer(2 * channels, heads, groups, text_width)
        self.up = nn.Conv2d(2 * channels, 2 * channels, 3, padding=1)
        self.last = Residual(3 * channels, channels, groups, time_width)
        self.norm = nn.GroupNorm(groups, channels)
        self.leave = nn.Conv2d(channels, 4, 3, padding=1)

    def embed(self, step, dtype):
        half = self.channels // 2
        rates = torch.exp(torch.arange(half, device=step.device) * (-math.log(10000) / half))
        angles = step[:, None].to(dtype) * rates.to(dtype)
        return self.time(torch.cat((angles.cos(), angles.sin()), dim=-1))

    def forward(self, latent, step, text):
        time = self.embed(step, latent.dtype)
        x = self.first_transformer(self.first(self.enter(latent), time), text)
        y = self.middle_transformer(self.middle(self.down(x), time), text)
        y = self.up(interpolate(y, size=x.shape[2:], mode="nearest"))
        y = self.last(torch.cat((y, x), dim=1), time)
        return self.leave(silu(self.norm(y)))


class ImageAttention(nn.Module):
    """Attention of an image's places to each other, with one head."""

    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, 1e-6)
        self.query, self.key, self.value, self.output = (
            nn.Linear(channels, channels) for _ in range(4)
        )

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = self.norm(x).view(batch, channels, height * width).transpose(1, 2)
        q, k, v = (f(y)[:, None] for f in (self.query, self.key, self.value))
        y = scaled_dot_product_attention(q, k, v)[:, 0]
        return x + self.output(y).transpose(1, 2).view(batch, channels, height, width)


class VaeDecoder(nn.Module):
    """From a latent to an image of 8 times its extents."""

    def __init__(self, widths=(512, 512, 256, 128), groups=32, depth=3):
        super().__init__()
        self.enter = nn.Sequential(nn.Conv2d(4, 4, 1), nn.Conv2d(4, widths[0], 3, padding=1))
        layers = [
            Residual(widths[0], widths[0], groups),
            ImageAttention(widths[0], groups),
            Residual(widths[0], widths[0], groups),
        ]
        channels = widths[0]
        for i, width in enumerate(widths):
            for _ in range(depth):
                layers.append(Residual(channels, width, groups))
                channels = width
            if i + 1 < len(widths):
                layers += [
                    nn.Upsample(scale_factor=2.0, mode="nearest"),
                    nn.Conv2d(width, width, 3, padding=1),
                ]
        self.layers = nn.Sequential(*layers)
        self.norm = nn.GroupNorm(groups, channels, 1e-6)
        self.leave = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, latent):
        return self.leave(silu(self.norm(self.layers(self.enter(latent / 0.18215)))))
