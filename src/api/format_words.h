// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <NvInferRuntimeBase.h>

namespace kiln::api {

/// The words of TensorRT's documentation for a type in a format, which programs search for:
/// "Row-major linear FP32 format", "Channel major FP16 format where C % 8 == 0".
std::string formatWords(nvinfer1::TensorFormat format, nvinfer1::DataType type);

} // namespace kiln::api
