// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "base/dtype.h"

namespace kiln::api {

// Member names for messages, without the prefix k, as in Python: REFIT, not kREFIT.
using kiln::nameOf; // keep the overloads for types and formats visible
char const* nameOf(nvinfer1::BuilderFlag flag) noexcept;
char const* nameOf(nvinfer1::PreviewFeature feature) noexcept;
char const* nameOf(nvinfer1::QuantizationFlag flag) noexcept;
char const* nameOf(nvinfer1::MemoryPoolType pool) noexcept;
char const* nameOf(nvinfer1::EngineCapability capability) noexcept;
char const* nameOf(nvinfer1::HardwareCompatibilityLevel level) noexcept;
char const* nameOf(nvinfer1::ProfilingVerbosity verbosity) noexcept;
char const* nameOf(nvinfer1::RuntimePlatform platform) noexcept;
char const* nameOf(nvinfer1::TilingOptimizationLevel level) noexcept;

} // namespace kiln::api
