# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer unary: see test_node_cases.py."""

REFUSED = {"test_not_": "expected operator set 7 or later"}
