# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Vision transformer (Dosovitskiy et al., arXiv:2010.11929)."""

import torch
from torch import nn

from definitions.transformer import FeedForward, SelfAttention


class Block(nn.Module):
    """Normalization before each part."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width, eps=1e-6)
        self.attention = SelfAttention(width, heads)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.feed_forward = FeedForward(width)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.norm(x))


class ViT(nn.Module):
    """The defaults are ViT-B/16."""

    def __init__(self, layers=12, width=768, heads=12, patch=16, size=224, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(0.1 * torch.randn(1, 1, width))
        self.positions = nn.Parameter(0.1 * torch.randn(1, 1 + (size // patch) ** 2, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.classify = nn.Linear(width, classes)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        token = self.token.expand(x.shape[0], -1, -1)
        x = torch.cat((token, x), dim=1) + self.positions
        return self.classify(self.norm(self.blocks(x))[:, 0])
