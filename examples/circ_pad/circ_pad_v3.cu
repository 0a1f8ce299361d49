// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CircPadPlugin as an IPluginV3 for GPUs: compiled by nvcc, it launches a kernel.
#include "circ_pad_v3.cpp"
