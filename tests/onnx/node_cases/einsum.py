# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer einsum: see test_node_cases.py."""

REFUSED = {"einsum_batch_diagonal": "diagonals are not supported"}
