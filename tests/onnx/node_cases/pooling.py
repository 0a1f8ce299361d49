# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer pooling: see test_node_cases.py."""

REFUSED = {
    "pool.*dilations": "attribute 'dilations': expected ones",
    "maxpool_with_argmax_2d_precomputed_pads": "expected one output, got two",
    "maxpool_with_argmax_2d_precomputed_strides": "attribute 'storage_order'",
}
