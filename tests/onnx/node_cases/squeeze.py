# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer squeeze: see test_node_cases.py."""

CONSTANT_INPUTS = {"Squeeze": (1,), "Unsqueeze": (1,)}
