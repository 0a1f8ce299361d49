// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <NvInferRuntimeBase.h>

namespace kiln::api {

/// A type in a format in the words that the original's inspector prints and tools search for:
/// "Row major linear FP32", "Channel major FP16 format where channel % 8 == 0".
std::string formatWords(nvinfer1::TensorFormat format, nvinfer1::DataType type);

/// The same as a description with the name of the format: "Row major linear FP32 format (kLINEAR)".
std::string formatDescription(nvinfer1::TensorFormat format, nvinfer1::DataType type);

} // namespace kiln::api
