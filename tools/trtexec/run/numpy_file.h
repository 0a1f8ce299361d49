// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <NvInferRuntimeBase.h>

namespace kiln::trtexec {

/// The header of a .npy file: magic number, version 1.0, and a dictionary padded to a multiple of
/// 64 bytes. Throws a Failure for types that NumPy does not have. Source: numpy.lib.format in
/// NumPy's documentation.
std::string numpyHeader(nvinfer1::DataType type, nvinfer1::Dims const& dims);

} // namespace kiln::trtexec
