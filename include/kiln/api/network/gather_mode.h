// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How an IGatherLayer interprets its indices.
enum class GatherMode : int32_t {
    kDEFAULT = 0, //!< Whole slices along one axis, as ONNX Gather.
    kELEMENT = 1, //!< One element for each index, along one axis, as ONNX GatherElements.
    kND = 2,      //!< Index tuples along the last axis of the indices, as ONNX GatherND.
};

//! Number of values of GatherMode, for loops and tables.
template <>
constexpr int32_t EnumMax<GatherMode>() noexcept {
    return 3;
}

} // namespace nvinfer1
