# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer range: see test_node_cases.py."""

CONSTANT_INPUTS = {"Range": (0, 1, 2)}
REFUSED = {"window_(symmetric_)?expanded": r"input 1 \(limit\): expected a constant"}
