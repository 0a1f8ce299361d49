// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How an IScatterLayer interprets its indices.
enum class ScatterMode : int32_t {
    kELEMENT = 0, //!< One element for each index, along one axis, as ONNX ScatterElements.
    kND = 1,      //!< Index tuples along the last axis of the indices, as ONNX ScatterND.
};

//! Number of values of ScatterMode, for loops and tables.
template <>
constexpr int32_t EnumMax<ScatterMode>() noexcept {
    return 2;
}

} // namespace nvinfer1
