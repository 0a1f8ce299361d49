# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer padding: see test_node_cases.py."""

CONSTANT_INPUTS = {"Pad": (1, 2, 3)}
REFUSED = {"center_crop_pad": r"input 1 \(pads\): expected a constant"}
