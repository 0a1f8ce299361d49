# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer elementwise: see test_node_cases.py."""

REFUSED = {
    "test_mod_.*float": "expected integers, got",
    "(blackman|hann|hamming)window_": r"input 1 \(limit\): expected a constant",
    "center_crop_pad": r"input 1 \(pads\): expected a constant",
}
