// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "logger.h"
#include "options/layer_options.h"

namespace kiln::trtexec {

/// Gives layers the types, devices and kinds of attention that options say. Throws a Failure for a
/// layer that the network does not have.
void setLayers(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config,
               LayerOptions const& options, Logger& logger);

} // namespace kiln::trtexec
