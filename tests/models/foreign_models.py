# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Three programs as users of torch write them, with the constructions that are common there."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def windows_of(x, size):
    """[batch, height, width, channels] to [windows, size, size, channels]."""
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, size, size, c)


def joined(windows, size, h, w):
    b = windows.shape[0] // (h // size * (w // size))
    x = windows.view(b, h // size, w // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)


class ImageNetwork(nn.Module):
    """Shifted windows, a warp by predicted flow, pixel shuffle, pyramid pooling, padded patches."""

    def __init__(self, width=12, size=4):
        super().__init__()
        self.size = size
        self.stem = nn.Conv2d(3, width, 3, 2, padding=1, padding_mode="reflect")
        self.mix = nn.Linear(size * size * width, size * size * width // 8)
        self.unmix = nn.Linear(size * size * width // 8, size * size * width)
        self.flow = nn.Conv2d(width, 2, 1)
        self.up = nn.Sequential(nn.Conv2d(width, 4 * width, 1), nn.PixelShuffle(2))
        self.norm = nn.GroupNorm(3, width)
        self.head = nn.Linear(width * 5, 7)

    def forward(self, image):
        x = F.silu(self.stem(image)).permute(0, 2, 3, 1)
        h, w = x.shape[1:3]
        ph, pw = -h % self.size, -w % self.size
        x = F.pad(x, (0, 0, 0, pw, 0, ph))
        shifted = torch.roll(x, shifts=(-2, -2), dims=(1, 2))
        windows = windows_of(shifted, self.size).flatten(1)
        windows = F.hardswish(self.mix(windows))
        windows = self.unmix(windows).view(-1, self.size, self.size, x.shape[-1])
        x = x + torch.roll(joined(windows, self.size, h + ph, w + pw), (2, 2), (1, 2))
        x = x[:, :h, :w].permute(0, 3, 1, 2).contiguous()
        grid = F.affine_grid(torch.eye(2, 3)[None].repeat(x.shape[0], 1, 1), x.shape, False)
        grid = grid + 0.1 * torch.tanh(self.flow(x)).permute(0, 2, 3, 1)
        x = F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)
        large = self.norm(self.up(x))
        small = F.interpolate(large, scale_factor=0.5, mode="bilinear", align_corners=False)
        x = x + F.interpolate(small, size=x.shape[-2:], mode="nearest")
        pooled = torch.cat((x.mean((2, 3)), F.max_pool2d(x, 5, 5).flatten(1)), 1)
        patches = F.unfold(image, 4, stride=4).std(dim=(1, 2), keepdim=True)
        return self.head(pooled), large.amax((2, 3)), patches


class TextNetwork(nn.Module):
    """Attention with both masks, a recurrence, pooling by mask and by position, top tokens."""

    def __init__(self, vocabulary=40, width=16, heads=4):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Embedding(64, width)
        self.buckets = nn.Embedding(16, heads)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        layer = nn.TransformerEncoderLayer(width, heads, 32, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.recurrent = nn.GRU(width, width // 2, 1, batch_first=True, bidirectional=True)
        self.query = nn.Linear(width, width, bias=False)
        self.classify = nn.Linear(2 * width, 5)
        self.heads = heads

    def bias(self, n):
        """Of relative positions, in buckets that grow."""
        distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        side = (distance > 0).long() * 8
        distance = distance.abs()
        far = 4 + (torch.log(distance.float() / 4) / math.log(8) * 4).long()
        far = torch.min(far, torch.full_like(far, 7))
        return self.buckets(side + torch.where(distance < 4, distance, far)).permute(2, 0, 1)[None]

    def forward(self, ids):
        b, n = ids.shape
        mask = ids != 0
        x = self.tokens(ids) + self.positions((torch.cumsum(mask.long(), 1) * mask).long())
        x = x + self.attention(x, x, x, key_padding_mask=~mask, need_weights=False)[0]
        q = self.query(x).view(b, n, self.heads, -1).transpose(1, 2)
        causal = torch.ones(n, n, dtype=torch.bool).tril()[None, None] & mask[:, None, None, :]
        scores = q @ q.transpose(-1, -2) / math.sqrt(q.shape[-1]) + self.bias(n)
        scores = scores.masked_fill(~causal, torch.finfo(scores.dtype).min).softmax(-1)
        x = x + (scores @ q).transpose(1, 2).reshape(b, n, -1)
        x = self.encoder(x, src_key_padding_mask=~mask)
        y, _ = self.recurrent(x)
        mean = (y * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        last = x[torch.arange(b), mask.long().sum(1) - 1]
        logits = self.classify(torch.cat((mean, last), -1))
        values, chosen = y.norm(dim=-1).masked_fill(~mask, -1.0).topk(2, dim=1)
        best = torch.gather(x, 1, chosen[..., None].expand(-1, -1, x.shape[-1]))
        return logits.log_softmax(-1), values, best


class RecommendNetwork(nn.Module):
    """Experts by top gates, hashed ids, one-hot, bins, cosine similarity, nucleus sampling."""

    def __init__(self, rows=50, width=8, experts=4):
        super().__init__()
        self.rows, self.experts = rows, experts
        self.table = nn.Embedding(rows, width)
        self.gate = nn.Linear(width, experts)
        self.work = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))
        self.register_buffer("mean", torch.arange(width, dtype=torch.float64) / 10)
        self.register_buffer("edges", torch.linspace(-1, 1, 5))
        self.cross = nn.Linear(width * width, 3)

    def forward(self, ids, numbers):
        hashed = (ids * 31 + torch.div(ids, 7, rounding_mode="floor")) % self.rows
        x = self.table(hashed).mean(1) + numbers
        x = (x.double() - self.mean).to(x.dtype)
        gates = self.gate(x).softmax(-1)
        weights, chosen = gates.topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        shares = (F.one_hot(chosen, self.experts) * weights[..., None]).sum(1)
        y = torch.zeros_like(x)
        for i, expert in enumerate(self.work):
            y = y + F.mish(expert(x)) * shares[:, i : i + 1]
        bins = (numbers[..., None] > self.edges).sum(-1)
        pairs = torch.einsum("bi,bj->bij", y, F.normalize(x, dim=-1))
        upper = pairs.flatten(1)[:, torch.triu_indices(8, 8, 1)[0] * 8 + 7]
        order = gates.argsort(dim=-1, descending=True)
        running = gates.gather(1, order).cumsum(-1)
        dropped = torch.zeros_like(gates).scatter(1, order, (running > 0.9).to(gates.dtype))
        kept = gates.masked_fill(dropped > 0, float("-inf")).softmax(-1)
        likeness = F.cosine_similarity(x[:, None], self.table.weight[None], dim=-1)
        return self.cross(pairs.flatten(1)), upper, bins, kept, likeness.max(-1)[0]
