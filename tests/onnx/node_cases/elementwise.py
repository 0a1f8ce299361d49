# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer elementwise: see test_node_cases.py."""

REFUSED = {"test_mod_.*float": "expected integers, got"}
