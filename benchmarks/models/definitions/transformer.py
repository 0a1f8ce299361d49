# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that the transformers share."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


def split_heads(x, heads):
    """[batch, length, width] to [batch, heads, length, width / heads]."""
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def merge_heads(x):
    """The inverse of split_heads."""
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class SelfAttention(nn.Module):
    """Attention of a sequence to itself, with a mask that is added to the scores."""

    def __init__(self, width, heads, key_bias=True):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=key_bias)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(self, x, mask=None):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        return self.output(merge_heads(scaled_dot_product_attention(q, k, v, attn_mask=mask)))


class CrossAttention(nn.Module):
    """Attention of one sequence to another, of the same or another width."""

    def __init__(self, width, heads, other_width=None, key_bias=True, bias=True):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(other_width or width, width, bias=key_bias and bias)
        self.value = nn.Linear(other_width or width, width, bias=bias)
        self.output = nn.Linear(width, width)

    def forward(self, x, other):
        q = split_heads(self.query(x), self.heads)
        k, v = (split_heads(f(other), self.heads) for f in (self.key, self.value))
        return self.output(merge_heads(scaled_dot_product_attention(q, k, v)))


class RMSNorm(nn.Module):
    """Divides by the root of the mean square (Zhang and Sennrich, arXiv:1910.07467)."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class FeedForward(nn.Sequential):
    """Two linear layers with GELU between."""

    def __init__(self, width, approximate="none"):
        super().__init__(
            nn.Linear(width, 4 * width), nn.GELU(approximate), nn.Linear(4 * width, width)
        )
