// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Implements --int8 and --calib: where the ranges of tensors come from.
#pragma once

#include <memory>

#include <NvInfer.h>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// A calibrator with the contents of a cache and no batches; null without --calib. Throws a Failure
/// if the file cannot be read. Must outlive the build.
std::unique_ptr<nvinfer1::IInt8Calibrator> calibratorFor(BuildOptions const& build);

/// Without a cache, and without quantize layers in the model, tensors get made-up ranges, so that
/// the speed of int8 can be measured. Says so.
void makeUpRanges(nvinfer1::INetworkDefinition& network, BuildOptions const& build, Logger& logger);

} // namespace kiln::trtexec
