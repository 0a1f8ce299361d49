# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer convolution: see test_node_cases.py."""

CONSTANT_INPUTS = {"Conv": (1, 2)}
