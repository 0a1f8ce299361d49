// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CircPadPlugin as an IPluginV2DynamicExt for GPUs: compiled by nvcc, it launches a kernel.
#include "circ_pad_v2.cpp"
