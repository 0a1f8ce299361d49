// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <NvInfer.h>

#include "api/calibration_cache.h"
#include "compiler/options.h"
#include "graph/network.h"

namespace kiln::api {

/// Opens a plan, for the run of a calibration.
using OpenPlan = std::function<nvinfer1::ICudaEngine*(Bytes plan)>;

/// The largest magnitudes of tensors that the calibrator's cache holds; without a cache, those that
/// the network has with all batches, in the declared types. `options` are those of the build.
Magnitudes calibrate(graph::Network& network, compiler::Options const& options,
                     compiler::Profile const* profile, nvinfer1::IInt8Calibrator& calibrator,
                     OpenPlan const& open);

} // namespace kiln::api
