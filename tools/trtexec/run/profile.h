// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "logger.h"
#include "options/shapes.h"

namespace kiln::trtexec {

/// Adds one optimization profile if the network has inputs that need one. Without given shapes,
/// dynamic extents of an input become 1, with a warning. Throws a Failure for an unknown input name
/// and for a shape that does not match its input.
void addProfile(nvinfer1::IBuilder& builder, nvinfer1::INetworkDefinition const& network,
                nvinfer1::IBuilderConfig& config, RangeMap const& ranges, Logger& logger);

/// `dims` with each -1 replaced by 1.
nvinfer1::Dims withOnes(nvinfer1::Dims dims);

bool hasOpenDimension(nvinfer1::Dims const& dims);

} // namespace kiln::trtexec
