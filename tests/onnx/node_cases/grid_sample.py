# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer grid_sample: see test_node_cases.py."""

REFUSED = {"gridsample_volumetric": "expected images of rank 4"}
