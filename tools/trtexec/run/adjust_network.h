// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "options/options.h"

namespace kiln::trtexec {

/// Sets types and formats of inputs and outputs, and marks debug tensors. Throws a Failure that
/// names the option if the network refuses it.
void adjustNetwork(nvinfer1::INetworkDefinition& network, BuildOptions const& build);

} // namespace kiln::trtexec
