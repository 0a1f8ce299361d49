// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How long the builder searches for tilings that stay in the L2 cache across layers.
enum class TilingOptimizationLevel : int32_t {
    kNONE = 0,     //!< No search. Default.
    kFAST = 1,     //!< A quick heuristic.
    kMODERATE = 2, //!< More candidates.
    kFULL = 3,     //!< The widest search.
};

//! Number of values of TilingOptimizationLevel, for loops and tables.
template <>
constexpr int32_t EnumMax<TilingOptimizationLevel>() noexcept {
    return 4;
}

} // namespace nvinfer1
