# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""BERT-base encoder (Devlin et al., arXiv:1810.04805), with its pooler."""

import torch
from torch import nn

from definitions.transformer import FeedForward, SelfAttention


class Block(nn.Module):
    """Normalization after each part."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.feed_forward = FeedForward(width)
        self.norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask))
        return self.norm(x + self.feed_forward(x))


class Bert(nn.Module):
    """The defaults are the base network."""

    def __init__(self, layers=12, width=768, heads=12, vocabulary=30522, positions=512):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.pooler = nn.Linear(width, width)

    def forward(self, input_ids, attention_mask, token_type_ids):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.words(input_ids) + self.types(token_type_ids) + self.positions(positions)
        x = self.norm(x)
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for block in self.blocks:
            x = block(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))
