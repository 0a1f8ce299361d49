# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""T5 (Raffel et al., arXiv:1910.10683): encoder and decoder, as two networks."""

import math

import torch
from torch import nn

from definitions.transformer import RMSNorm, merge_heads, split_heads

BUCKETS, FARTHEST = 32, 128


class RelativeBias(nn.Module):
    """A bias for each head and bucket of distances: near ones apart, far ones by logarithm."""

    def __init__(self, heads, both_ways):
        super().__init__()
        self.both_ways = both_ways
        self.table = nn.Embedding(BUCKETS, heads)

    def buckets(self, distance):
        count, first = BUCKETS, 0
        if self.both_ways:
            count //= 2
            first = (distance > 0).to(torch.int64) * count
            distance = distance.abs()
        else:
            distance = -torch.clamp(distance, max=0)
        exact = count // 2
        ratio = torch.log(distance.float() / exact) / math.log(FARTHEST / exact)
        far = exact + (ratio * (count - exact)).to(torch.int64)
        far = torch.minimum(far, torch.full_like(far, count - 1))
        return first + torch.where(distance < exact, distance, far)

    def forward(self, length):
        places = torch.arange(length, device=self.table.weight.device)
        buckets = self.buckets(places[None, :] - places[:, None])
        return self.table(buckets).permute(2, 0, 1)[None]


class Attention(nn.Module):
    """Without scaling and biases; `bias` is added to the scores."""

    def __init__(self, width, heads, size):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (
            nn.Linear(width, heads * size, bias=False) for _ in range(3)
        )
        self.query.gain = size**-0.5  # in place of scaling
        self.output = nn.Linear(heads * size, width, bias=False)

    def forward(self, x, other, bias):
        q = split_heads(self.query(x), self.heads)
        k, v = (split_heads(f(other), self.heads) for f in (self.key, self.value))
        scores = q @ k.transpose(-2, -1) + bias
        return self.output(merge_heads(scores.softmax(-1) @ v))


class Block(nn.Module):
    """Normalization before each part; attention to the encoder's result only in the decoder."""

    def __init__(self, width, heads, size, hidden, decodes):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads, size)
        if decodes:
            self.cross_norm = RMSNorm(width)
            self.cross = Attention(width, heads, size)
        self.norm = RMSNorm(width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, hidden, bias=False),
            nn.ReLU(),
            nn.Linear(hidden, width, bias=False),
        )

    def forward(self, x, bias, other=None, other_bias=None):
        y = self.attention_norm(x)
        x = x + self.attention(y, y, bias)
        if other is not None:
            x = x + self.cross(self.cross_norm(x), other, other_bias)
        return x + self.feed_forward(self.norm(x))


def _hide(mask, dtype):
    """What is added to scores at places whose mask is 0."""
    return (1.0 - mask[:, None, None, :].to(dtype)) * -10000.0


class T5Encoder(nn.Module):
    """The defaults are T5-small."""

    def __init__(self, layers=6, width=512, heads=8, size=64, hidden=2048, vocabulary=32128):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.bias = RelativeBias(heads, True)
        self.blocks = nn.ModuleList(Block(width, heads, size, hidden, False) for _ in range(layers))
        self.norm = RMSNorm(width)

    def forward(self, input_ids, attention_mask):
        x = self.words(input_ids)
        bias = self.bias(input_ids.shape[1]) + _hide(attention_mask, x.dtype)
        for block in self.blocks:
            x = block(x, bias)
        return self.norm(x)


class T5Decoder(nn.Module):
    """The defaults are T5-small; logits of all tokens, which see those before them."""

    def __init__(self, layers=6, width=512, heads=8, size=64, hidden=2048, vocabulary=32128):
        super().__init__()
        self.width = width
        self.words = nn.Embedding(vocabulary, width)
        self.bias = RelativeBias(heads, False)
        self.blocks = nn.ModuleList(Block(width, heads, size, hidden, True) for _ in range(layers))
        self.norm = RMSNorm(width)

    def forward(self, decoder_input_ids, attention_mask, encoded):
        x = self.words(decoder_input_ids)
        length = decoder_input_ids.shape[1]
        causal = torch.full((length, length), -10000.0, dtype=x.dtype, device=x.device).triu(1)
        bias = self.bias(length) + causal
        encoder_bias = _hide(attention_mask, x.dtype)
        for block in self.blocks:
            x = block(x, bias, encoded, encoder_bias)
        return (self.norm(x) * self.width**-0.5) @ self.words.weight.T
