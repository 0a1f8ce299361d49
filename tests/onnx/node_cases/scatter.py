# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer scatter: see test_node_cases.py."""

REFUSED = {
    "test_scatter.*(_add|_mul|_multiply|_max|_min|reduction)": "attribute 'reduction': expected"
}
