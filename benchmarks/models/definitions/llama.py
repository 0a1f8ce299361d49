# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decoder like Llama (Touvron et al., arXiv:2302.13971), with grouped queries and a cache."""

import torch
from torch import nn
from torch.nn.functional import silu

from definitions.onnx_nodes import mat_mul_n_bits
from definitions.transformer import RMSNorm, merge_heads, split_heads


class Linear4(nn.Module):
    """A linear layer with weights of 4 bits, each block of 32 with its scale."""

    BLOCK = 32

    def __init__(self, inputs, outputs, bias=False):
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        blocks = -(-inputs // self.BLOCK)
        self.register_buffer(
            "codes", torch.randint(256, (outputs, blocks, self.BLOCK // 2), dtype=torch.uint8)
        )
        self.register_buffer("scales", (0.5 + torch.rand(outputs * blocks)) * 0.25 / inputs**0.5)

    def forward(self, x):
        return mat_mul_n_bits(x, self.codes, self.scales, self.inputs, self.outputs, self.BLOCK)


def rotate(x, cos, sin):
    """Rotary embedding (Su et al., arXiv:2104.09864) of halves."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def repeat_heads(x, count):
    """Each head of keys or values serves `count` heads of queries."""
    batch, heads, length, size = x.shape
    return x[:, :, None].expand(batch, heads, count, length, size).reshape(batch, -1, length, size)


class Block(nn.Module):
    """Attention and a gated feed-forward part, each after a normalization."""

    def __init__(self, width, heads, key_heads, hidden, linear):
        super().__init__()
        self.heads, self.key_heads = heads, key_heads
        self.attention_norm, self.norm = RMSNorm(width), RMSNorm(width)
        keys = width // heads * key_heads
        self.query, self.output = (linear(width, width, bias=False) for _ in range(2))
        self.key, self.value = (linear(width, keys, bias=False) for _ in range(2))
        self.gate, self.up = (linear(width, hidden, bias=False) for _ in range(2))
        self.down = linear(hidden, width, bias=False)

    def attend(self, x, cos, sin, mask, past_key, past_value):
        query = rotate(split_heads(self.query(x), self.heads), cos, sin)
        key = rotate(split_heads(self.key(x), self.key_heads), cos, sin)
        value = split_heads(self.value(x), self.key_heads)
        key, value = torch.cat((past_key, key), dim=2), torch.cat((past_value, value), dim=2)
        groups = self.heads // self.key_heads
        scores = query @ repeat_heads(key, groups).transpose(-2, -1) * query.shape[-1] ** -0.5
        y = (scores + mask).softmax(-1) @ repeat_heads(value, groups)
        return self.output(merge_heads(y)), key, value

    def forward(self, x, cos, sin, mask, past_key, past_value):
        y, key, value = self.attend(self.attention_norm(x), cos, sin, mask, past_key, past_value)
        x = x + y
        y = self.norm(x)
        return x + self.down(silu(self.gate(y)) * self.up(y)), key, value


class Llama(nn.Module):
    """Some tokens after those of the cache. The defaults have 135M parameters."""

    def __init__(
        self,
        layers=30,
        width=576,
        heads=9,
        key_heads=3,
        hidden=1536,
        vocabulary=49152,
        linear=nn.Linear,
    ):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(
            Block(width, heads, key_heads, hidden, linear) for _ in range(layers)
        )
        self.norm = RMSNorm(width)
        size = width // heads
        self.register_buffer("rates", 10000.0 ** (-torch.arange(0, size, 2) / size))

    def forward(self, input_ids, position_ids, *past):
        """`past`: key and value of each layer, [batch, key heads, past, width / heads]."""
        x = self.words(input_ids)
        angles = position_ids[:, None, :, None].to(x.dtype) * self.rates
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        length, before = input_ids.shape[1], past[0].shape[2]
        places = torch.arange(before + length, device=x.device)
        hidden = places > torch.arange(before, before + length, device=x.device)[:, None]
        mask = torch.zeros_like(hidden, dtype=x.dtype).masked_fill(hidden, -10000.0)
        present = []
        for i, block in enumerate(self.blocks):
            x, key, value = block(x, cos, sin, mask, past[2 * i], past[2 * i + 1])
            present += [key, value]
        return self.norm(x) @ self.words.weight.T, *present
