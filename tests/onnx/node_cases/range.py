# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer range: see test_node_cases.py."""

CONSTANT_INPUTS = {"Range": (0, 1, 2)}
REFUSED = {"(blackman|hann|hamming)window_": r"input 1 \(limit\): expected a constant"}
