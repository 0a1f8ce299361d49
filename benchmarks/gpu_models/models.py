# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The models of the benchmark as Torch modules with random weights."""

import math

import torch
from torch import nn


class Attention(nn.Module):
    """Self-attention; `fused` uses Torch's fused function, which ONNX has no operator for."""

    def __init__(self, width, heads, fused):
        super().__init__()
        self.heads, self.fused = heads, fused
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        def split(y):
            return y.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        if self.fused:
            y = nn.functional.scaled_dot_product_attention(q, k, v)
        else:
            scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
            y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, width, heads, fused):
        super().__init__()
        self.attention = Attention(width, heads, fused)
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = self.one(x + self.attention(x))
        return self.two(x + self.down(nn.functional.gelu(self.up(x))))


class Bert(nn.Module):
    """BERT-base's encoder with embeddings, without a mask."""

    def __init__(self, fused, width=768, layers=12, words=30522, positions=512):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, width // 64, fused) for _ in range(layers))

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(places)[None])
        for block in self.blocks:
            x = block(x)
        return x


def resnet50(batch):
    """Returns (module for ONNX, module for Torch, input, whether channels last helps)."""
    import torchvision

    torch.manual_seed(0)
    model = torchvision.models.resnet50(weights=None).eval()
    for module in model.modules():  # statistics as of a trained model, not 0 and 1
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.8, 1.2)
            module.weight.data.uniform_(0.4, 0.6)
    return model, model, torch.randn(batch, 3, 224, 224), True


def bert(batch):
    torch.manual_seed(0)
    plain, fused = Bert(False).eval(), Bert(True).eval()
    fused.load_state_dict(plain.state_dict())
    return plain, fused, torch.randint(0, 30000, (batch, 128)), False


MODELS = {"resnet50": (resnet50, (1, 32, 128)), "bert": (bert, (1, 32))}
