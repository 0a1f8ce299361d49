# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer slice: see test_node_cases.py."""

CONSTANT_INPUTS = {"Slice": (1, 2, 3, 4)}
