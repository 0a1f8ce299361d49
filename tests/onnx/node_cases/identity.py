# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer identity: see test_node_cases.py."""

CONSTANT_INPUTS = {"Dropout": (1, 2)}
REFUSED = {
    "dropout.*mask": "mask of Dropout|training_mode",
    "training_dropout": "training_mode: expected false",
}
