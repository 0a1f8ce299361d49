// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class InterpolationMode : int32_t {
    kNEAREST = 0,
    kLINEAR = 1,
    kCUBIC = 2,
};

template <>
constexpr int32_t EnumMax<InterpolationMode>() noexcept {
    return 3;
}

enum class ResizeCoordinateTransformation : int32_t {
    kALIGN_CORNERS = 0,
    kASYMMETRIC = 1,
    kHALF_PIXEL = 2,
};

template <>
constexpr int32_t EnumMax<ResizeCoordinateTransformation>() noexcept {
    return 3;
}

enum class ResizeSelector : int32_t {
    kFORMULA = 0,
    kUPPER = 1,
};

template <>
constexpr int32_t EnumMax<ResizeSelector>() noexcept {
    return 2;
}

enum class ResizeRoundMode : int32_t {
    kHALF_UP = 0,
    kHALF_DOWN = 1,
    kFLOOR = 2,
    kCEIL = 3,
};

template <>
constexpr int32_t EnumMax<ResizeRoundMode>() noexcept {
    return 4;
}

} // namespace nvinfer1
