# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer trilu: see test_node_cases.py."""

CONSTANT_INPUTS = {"Trilu": (1,)}
