# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer expand: see test_node_cases.py."""

CONSTANT_INPUTS = {"Expand": (1,), "ConstantOfShape": (0,)}
