# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer fill_random: see test_node_cases.py."""

RANDOM = {"test_bernoulli_.*expanded": (0, 1)}
