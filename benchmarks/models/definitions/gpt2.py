# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""GPT-2 (Radford et al., 2019): one step of decoding, with a cache of keys and values."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from definitions.transformer import FeedForward, merge_heads, split_heads


class Block(nn.Module):
    """Normalization before each part."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width, "tanh")

    def forward(self, x, past_key, past_value):
        parts = self.query_key_value(self.attention_norm(x)).chunk(3, dim=-1)
        query, key, value = (split_heads(part, self.heads) for part in parts)
        key = torch.cat((past_key, key), dim=2)
        value = torch.cat((past_value, value), dim=2)
        x = x + self.output(merge_heads(scaled_dot_product_attention(query, key, value)))
        return x + self.feed_forward(self.norm(x)), key, value


class Gpt2(nn.Module):
    """The defaults are the smallest network of the paper (124M parameters)."""

    def __init__(self, layers=12, width=768, heads=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, input_ids, position_ids, *past):
        """`past`: key and value of each layer, [batch, heads, length, width / heads]."""
        x = self.words(input_ids) + self.positions(position_ids)
        present = []
        for i, block in enumerate(self.blocks):
            x, key, value = block(x, past[2 * i], past[2 * i + 1])
            present += [key, value]
        logits = self.norm(x) @ self.words.weight.T
        return logits, *present
