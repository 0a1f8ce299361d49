# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The encoder of Whisper (Radford et al., arXiv:2212.04356)."""

import torch
from torch import nn

from definitions.transformer import FeedForward, SelfAttention


class Block(nn.Module):
    """Normalization before each part; keys have no bias."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = SelfAttention(width, heads, key_bias=False)
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.norm(x))


class WhisperEncoder(nn.Module):
    """The defaults are the network "base"."""

    def __init__(self, layers=6, width=512, heads=8, bands=80, frames=1500):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(bands, width, 3, padding=1),
            nn.GELU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1),
            nn.GELU(),
        )
        rate = torch.exp(-torch.arange(width // 2) * (9.210340371976184 / (width // 2 - 1)))
        angle = torch.arange(frames)[:, None] * rate
        self.register_buffer("positions", torch.cat((angle.sin(), angle.cos()), dim=1))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, mel):
        x = self.stem(mel).transpose(1, 2) + self.positions
        return self.norm(self.blocks(x))
