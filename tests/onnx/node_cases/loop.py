# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer loop: see test_node_cases.py."""

REFUSED = {
    "test_range_.*_expanded": "length .input 1.: expected a value that is known before",
    "test_loop11": "start .input 1.: expected values that are known before",
    "test_affine_grid_.*_expanded": "expected axes, or known extents|one rank in both branches"
    "|no optimization profile",
}
