# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Choosing kernels by their place in the list instead of by time."""

import tensorrt as trt


class NumberedChoice(trt.IAlgorithmSelector):
    """Takes the same number of each list; `most` is the length of the longest."""

    def __init__(self, number):
        super().__init__()
        self.number, self.most = number, 0

    def select_algorithms(self, context, choices):
        self.most = max(self.most, len(choices))
        return [min(self.number, len(choices) - 1)]

    def report_algorithms(self, contexts, choices):
        pass
