# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer topk: see test_node_cases.py."""

CONSTANT_INPUTS = {"TopK": (1,)}
REFUSED = {"test_arg(max|min)_.*select_last_index": "attribute 'select_last_index': expected 0"}
