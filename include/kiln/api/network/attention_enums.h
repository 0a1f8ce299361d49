// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class AttentionNormalizationOp : int32_t {
    kNONE = 0,
    kSOFTMAX = 1,
};

template <>
constexpr int32_t EnumMax<AttentionNormalizationOp>() noexcept {
    return 2;
}

enum class CausalMaskKind : int32_t {
    kNONE = 0,
    kUPPER_LEFT = 1,
    kLOWER_RIGHT = 2,
};

template <>
constexpr int32_t EnumMax<CausalMaskKind>() noexcept {
    return 3;
}

enum class AttentionIOForm : int32_t {
    kPADDED_BHND = 0,
    kPACKED_NHD = 1,
};

template <>
constexpr int32_t EnumMax<AttentionIOForm>() noexcept {
    return 2;
}

} // namespace nvinfer1
