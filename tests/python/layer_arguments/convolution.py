# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of convolution layers: see accepted_arguments.py."""

from accepted_bench import arguments_of_kernel

ARGUMENTS = arguments_of_kernel(
    "convolution", "IConvolutionLayer", lambda channels, maps: (maps, channels)
)
