# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of deconvolution layers: see accepted_arguments.py."""

from accepted_bench import arguments_of_kernel

ARGUMENTS = arguments_of_kernel(
    "deconvolution", "IDeconvolutionLayer", lambda channels, maps: (channels, maps)
)
