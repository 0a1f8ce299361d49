# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The decoder of Whisper (Radford et al., arXiv:2212.04356): a step with a cache."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from definitions.transformer import CrossAttention, FeedForward, merge_heads, split_heads


class Block(nn.Module):
    """Attention to the text so far, attention to the sound, and a feed-forward part."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query, self.value, self.output = (nn.Linear(width, width) for _ in range(3))
        self.key = nn.Linear(width, width, bias=False)
        self.cross_norm = nn.LayerNorm(width)
        self.cross = CrossAttention(width, heads, key_bias=False)
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def forward(self, x, sound, past_key, past_value):
        y = self.attention_norm(x)
        query, key, value = (
            split_heads(f(y), self.heads) for f in (self.query, self.key, self.value)
        )
        key, value = torch.cat((past_key, key), dim=2), torch.cat((past_value, value), dim=2)
        x = x + self.output(merge_heads(scaled_dot_product_attention(query, key, value)))
        x = x + self.cross(self.cross_norm(x), sound)
        return x + self.feed_forward(self.norm(x)), key, value


class WhisperDecoder(nn.Module):
    """One token after those of the cache. The defaults are the network "tiny"."""

    def __init__(self, layers=4, width=384, heads=6, vocabulary=51865, positions=448):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(0.1 * torch.randn(positions, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, input_ids, sound, *past):
        """`past`: key and value of each layer, [batch, heads, length, width / heads]."""
        before = past[0].shape[2]
        x = self.words(input_ids) + self.positions[before : before + input_ids.shape[1]]
        present = []
        for i, block in enumerate(self.blocks):
            x, key, value = block(x, sound, past[2 * i], past[2 * i + 1])
            present += [key, value]
        return self.norm(x) @ self.words.weight.T, *present
