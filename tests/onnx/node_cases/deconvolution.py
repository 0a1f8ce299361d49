# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer deconvolution: see test_node_cases.py."""

CONSTANT_INPUTS = {"ConvTranspose": (1, 2)}
