# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent taggers: a class for each word, from both directions."""

from torch import nn


class Tagger(nn.Module):
    """`cell` is nn.LSTM or nn.GRU."""

    def __init__(self, cell=nn.LSTM, vocabulary=10000, width=128, hidden=256, layers=2, tags=48):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.recurrent = cell(width, hidden, layers, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(2 * hidden, tags)

    def forward(self, input_ids):
        x, _ = self.recurrent(self.words(input_ids))
        return self.classify(x).log_softmax(-1)
