# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""DLRM (Naumov et al., arXiv:1906.00091): clicks from numbers and categories."""

from itertools import pairwise

import torch
from torch import nn


def _layers(widths):
    layers = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return layers


class Dlrm(nn.Module):
    """The defaults have the layers of MLPerf's network, with smaller tables."""

    def __init__(
        self, tables=26, rows=10000, width=128, bottom=(13, 512, 256), top=(1024, 1024, 512, 256)
    ):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = nn.Sequential(*_layers((*bottom, width)))
        features = tables + 1
        pairs = torch.tril_indices(features, features, -1)
        self.register_buffer("pairs", pairs[0] * features + pairs[1])
        self.top = nn.Sequential(*_layers((width + pairs.shape[1], *top)), nn.Linear(top[-1], 1))

    def forward(self, numbers, categories):
        """`categories`: [batch, tables, ids of a bag], whose rows are added."""
        x = self.bottom(numbers)
        bags = [table(categories[:, i]).sum(1) for i, table in enumerate(self.tables)]
        features = torch.stack((x, *bags), dim=1)
        products = (features @ features.transpose(1, 2)).flatten(1)
        pairs = products.index_select(1, self.pairs)
        return self.top(torch.cat((x, pairs), dim=1)).sigmoid()[:, 0]
