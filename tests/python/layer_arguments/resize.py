# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of resize layers: see accepted_arguments.py."""

from accepted_bench import attribute, shape_of


def resize(bench):
    return bench.network.add_resize(bench.x)


ARGUMENTS = {
    "shape": {"IResizeLayer.shape": shape_of(resize, "shape")},
    "real": {"IResizeLayer.cubic_coeff": attribute(resize, "cubic_coeff")},
}
