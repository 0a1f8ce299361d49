# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of recent models, as their authors write them in torch.

`dynamic`: unknown extents of each input.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

BLOCKS = {}


def block(*shapes, dynamic=None, ids=()):
    """`ids`: inputs that are integers below 4."""

    def register(module):
        BLOCKS[module.__name__] = (module, shapes, dynamic, ids)
        return module

    return register


def inputs_of(name, seed=0):
    generator = torch.Generator().manual_seed(seed)
    _, shapes, _, ids = BLOCKS[name]
    return tuple(
        torch.randint(0, 4, shape, generator=generator)
        if i in ids
        else torch.randn(shape, generator=generator)
        for i, shape in enumerate(shapes)
    )


@block((2, 16, 8, 8), dynamic=[{0: "B"}])
class WindowAttention(nn.Module):
    """Shifted windows with the mask of their borders and a table of relative positions."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.size = nn.Linear(16, 48), nn.Linear(16, 16), 4
        self.bias = nn.Parameter(torch.randn(49, 2))
        at = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
        at = torch.stack(at).flatten(1)
        apart = (at[:, :, None] - at[:, None]).permute(1, 2, 0) + 3
        self.register_buffer("index", apart[..., 0] * 7 + apart[..., 1])

    def windows(self, x):
        b, h, w, c = x.shape
        x = x.view(b, h // self.size, self.size, w // self.size, self.size, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, self.size * self.size, c)

    def forward(self, x):
        b, c, h, w = x.shape
        x = torch.roll(x.permute(0, 2, 3, 1), (-2, -2), (1, 2))
        regions, count = torch.zeros(1, h, w, 1), 0
        for rows in (slice(0, -4), slice(-4, -2), slice(-2, None)):
            for columns in (slice(0, -4), slice(-4, -2), slice(-2, None)):
                regions[:, rows, columns, :] = count
                count += 1
        mask = self.windows(regions).squeeze(-1)
        mask = mask[:, None] - mask[:, :, None]
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        x = self.windows(x)
        n = x.shape[0]
        q, k, v = self.qkv(x).reshape(n, 16, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q * 8**-0.5 @ k.transpose(-2, -1)
        scores = scores + self.bias[self.index.view(-1)].view(16, 16, 2).permute(2, 0, 1)[None]
        scores = scores.view(n // mask.shape[0], mask.shape[0], 2, 16, 16) + mask[None, :, None]
        x = scores.view(-1, 2, 16, 16).softmax(-1) @ v
        x = self.out(x.transpose(1, 2).reshape(n, 16, 16)).view(b, h // 4, w // 4, 4, 4, c)
        x = x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return torch.roll(x, (2, 2), (1, 2)).permute(0, 3, 1, 2)


@block((2, 10, 16), (2, 80, 16), (2, 10, 2, 2), dynamic=[{0: "B"}] * 3)
class DeformableAttention(nn.Module):
    """Samples of two levels at learned places."""

    def __init__(self):
        super().__init__()
        self.offsets, self.weights = nn.Linear(16, 32), nn.Linear(16, 16)
        self.value, self.out = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, query, source, reference):
        b, n, _ = query.shape
        values = self.value(source).view(b, -1, 2, 8).split([64, 16], 1)
        offsets = self.offsets(query).view(b, n, 2, 2, 4, 2)
        weights = self.weights(query).view(b, n, 2, 8).softmax(-1)
        extents = torch.tensor([[8.0, 8.0], [4.0, 4.0]])[None, None, None, :, None]
        places = 2 * (reference.sigmoid()[:, :, None, :, None] + offsets / extents) - 1
        samples = []
        for level, size in enumerate((8, 4)):
            image = values[level].flatten(2).transpose(1, 2).reshape(b * 2, 8, size, size)
            grid = places[:, :, :, level].transpose(1, 2).flatten(0, 1)
            samples.append(F.grid_sample(image, grid, padding_mode="zeros", align_corners=False))
        weights = weights.transpose(1, 2).reshape(b * 2, 1, n, 8)
        result = (torch.stack(samples, -2).flatten(-2) * weights).sum(-1).view(b, 16, n)
        return self.out(result.transpose(1, 2))


@block((2, 6, 8))
class SelectiveScan(nn.Module):
    """Mamba: a state that each step decays by what it reads."""

    def __init__(self):
        super().__init__()
        self.decay, self.skip = nn.Parameter(torch.rand(16, 4)), nn.Parameter(torch.ones(16))
        self.split, self.out = nn.Linear(8, 32), nn.Linear(16, 8)
        self.conv = nn.Conv1d(16, 16, 3, padding=2, groups=16)
        self.parameters_of, self.step = nn.Linear(16, 9), nn.Linear(1, 16)

    def forward(self, x):
        b, length, _ = x.shape
        x, gate = self.split(x).chunk(2, -1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :length]).transpose(1, 2)
        step, write, read = self.parameters_of(x).split([1, 4, 4], -1)
        step = F.softplus(self.step(step))
        keep = torch.exp(torch.einsum("bld,dn->bldn", step, -torch.exp(self.decay)))
        add = torch.einsum("bld,bln,bld->bldn", step, write, x)
        state, results = torch.zeros(b, 16, 4), []
        for i in range(length):
            state = keep[:, i] * state + add[:, i]
            results.append(torch.einsum("bdn,bn->bd", state, read[:, i]))
        return self.out((torch.stack(results, 1) + x * self.skip) * F.silu(gate))


@block((2, 6, 8))
class WeightedKeyValue(nn.Module):
    """RWKV: averages of values by decaying powers of keys, in a form that does not overflow."""

    def __init__(self):
        super().__init__()
        self.k, self.v, self.r = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.mix, self.w, self.u = (nn.Parameter(torch.rand(8)) for _ in range(3))

    def forward(self, x):
        mixed = x * self.mix + F.pad(x, (0, 0, 1, -1)) * (1 - self.mix)
        k, v, r = self.k(mixed), self.v(mixed), self.r(mixed).sigmoid()
        a = torch.zeros_like(k[:, 0])
        b, p, results = a.clone(), a - 1e38, []
        for t in range(x.shape[1]):
            q = torch.maximum(p, self.u + k[:, t])
            e1, e2 = (p - q).exp(), (self.u + k[:, t] - q).exp()
            results.append((e1 * a + e2 * v[:, t]) / (e1 * b + e2))
            q = torch.maximum(p - self.w, k[:, t])
            e1, e2 = (p - self.w - q).exp(), (k[:, t] - q).exp()
            a, b, p = e1 * a + e2 * v[:, t], e1 * b + e2, q
        return r * torch.stack(results, 1)


@block((12, 8), dynamic=[{0: "T"}])
class ExpertsByRows(nn.Module):
    """The rows of each expert are gathered, and its results added where they came from."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        result = torch.zeros_like(x)
        mask = F.one_hot(chosen, 4).permute(2, 1, 0)
        for i, expert in enumerate(self.experts):
            slot, token = torch.where(mask[i] > 0)
            result = result.index_add(0, token, expert(x[token]) * weights[token, slot, None])
        return result


@block((12, 8), dynamic=[{0: "T"}])
class ExpertsTogether(nn.Module):
    """All experts as one product; how many tokens each has, by scatter."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.up, self.down = (
            nn.Parameter(torch.randn(4, 8, 16)),
            nn.Parameter(torch.randn(4, 16, 8)),
        )

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        shares = torch.zeros(x.shape[0], 4).scatter(1, chosen, weights)
        hidden = F.gelu(torch.einsum("td,edf->etf", x, self.up), approximate="tanh")
        result = torch.einsum("etf,efd->etd", hidden, self.down)
        counts = torch.zeros(4).scatter_add(0, chosen.flatten(), torch.ones(chosen.numel()))
        return (result * shares.t().unsqueeze(-1)).sum(0), counts


@block((1, 3, 8, 10, 10), dynamic=[{0: "B", 2: "D"}])
class Volumes(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm = nn.Conv3d(3, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True)
        self.b = nn.Conv3d(8, 8, (1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1), groups=2)
        self.up, self.batch = nn.ConvTranspose3d(8, 4, 2, 2), nn.BatchNorm3d(8)

    def forward(self, x):
        x = self.batch(self.b(F.leaky_relu(self.norm(self.a(x)), 0.1)))
        x = F.max_pool3d(x, 2)
        wide = F.interpolate(x, scale_factor=2, mode="trilinear", align_corners=False)
        return self.up(x), F.adaptive_avg_pool3d(x, 1), wide


@block((2, 3, 8, 8), (2, 5, 5, 2), dynamic=[{0: "B"}, {0: "B"}])
class Samples(nn.Module):
    def forward(self, x, grid):
        return [
            F.grid_sample(x, grid, mode, padding, aligned)
            for mode in ("bilinear", "nearest", "bicubic")
            for padding in ("zeros", "border", "reflection")
            for aligned in (True, False)
        ]


@block((2, 3, 8, 8), dynamic=[{0: "B"}])
class Patches(nn.Module):
    def forward(self, x):
        parts = F.unfold(x, 3, padding=1, stride=2)
        return F.fold(parts * 2, (8, 8), 3, padding=1, stride=2), x.unfold(2, 4, 2)


@block((2, 4, 6, 8), (2, 4, 5, 8), dynamic=[{0: "B", 2: "N"}, {0: "B", 2: "M"}])
class Sums(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.t = nn.Parameter(torch.randn(4, 8, 7)), nn.Parameter(torch.randn(8, 8, 3))

    def forward(self, x, y):
        return (
            torch.einsum("bhnd,bhmd->bhnm", x, y),
            torch.einsum("bhnd,hde->bne", x, self.w),
            torch.einsum("bhnd,def,bhne->bnf", x, self.t, x),
            torch.einsum("bhnn->bhn", x @ x.transpose(-1, -2)),
        )


@block((4, 5), dynamic=[{0: "B"}])
class Buckets(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-1, 1, 7))
        self.table = nn.Embedding(8, 4)

    def forward(self, x):
        return self.table(torch.bucketize(x, self.edges)), torch.bucketize(
            x, self.edges, right=True
        )


@block((2, 4, 16), dynamic=[{0: "B", 2: "T"}])
class NormedWeights(nn.Module):
    def __init__(self):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.a = norm(nn.Conv1d(4, 8, 3, dilation=2, padding=2))
        self.b = norm(nn.ConvTranspose1d(8, 4, 4, 2, 1))

    def forward(self, x):
        value, gate = self.a(x).chunk(2, 1)
        return self.b(torch.cat([value.tanh() * gate.sigmoid()] * 2, 1))


@block((2, 6, 8), (2,), dynamic=[{0: "B", 1: "T"}, {0: "B"}], ids=(1,))
class Lengths(nn.Module):
    def forward(self, x, count):
        count = count + 1
        mask = (torch.arange(x.shape[1])[None] < count[:, None])[..., None]
        kept = x.masked_fill(~mask, 0)
        last = kept.gather(1, (count - 1)[:, None, None].expand(-1, 1, 8))
        return kept.sum(1) / count[:, None], x.masked_fill(~mask, -math.inf).amax(1), last


@block((5, 6), dynamic=[{0: "N"}])
class MaskedWrites(nn.Module):
    """torch.export writes the sum of the mask as a shape."""

    def forward(self, x):
        y = x.clone()
        y[y > 0.5] = 0.25
        z = x.clone()
        z[z[:, 0] > 0] = z[z[:, 0] > 0] * 2
        return y, z


@block((3, 5), dynamic=[{0: "N"}])
class Shifts(nn.Module):
    """torch.export writes them with numbers of UINT64, of which one has the highest bit."""

    def forward(self, x):
        i = (x * 100).long()
        return (i >> 1) + (i << 2), i // 3, i % 3


@block((2, 8, 4, 4), dynamic=[{0: "B"}])
class LinearAttention(nn.Module):
    def forward(self, x):
        x = x.flatten(2)
        q, k = (F.elu(part) + 1 for part in x.chunk(2, 1))
        norm = 1 / (torch.einsum("bdn,bd->bn", q, k.sum(-1)) + 1e-6)
        return torch.einsum("bdn,bde,bn->ben", q, torch.einsum("bdn,ben->bde", k, x), norm)
