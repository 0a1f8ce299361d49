# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Node cases of the importer resize: see test_node_cases.py."""

CONSTANT_INPUTS = {"Resize": (1, 2, 3), "Upsample": (1,)}
REFUSED = {
    "resize_.*antialias": "attribute 'antialias'",
    "resize_.*not_(larger|smaller)": "attribute 'keep_aspect_ratio_policy'",
    "resize_downsample_scales_(cubic|linear)_align_corners": "expected whole extents",
    "resize_.*half_pixel_symmetric|resize_tf_crop": "coordinate_transformation_mode",
}
