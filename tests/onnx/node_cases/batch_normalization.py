# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer batch_normalization: see test_node_cases.py."""

CONSTANT_INPUTS = {"BatchNormalization": (1, 2, 3, 4)}
REFUSED = {"batchnorm.*training_mode": "attribute 'training_mode': expected false"}
