// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/macros.h"

#include <cstdint>

namespace nvinfer1 {

//! Bit mask of NetworkDefinitionCreationFlag: bit 1U << int(flag) sets a flag.
using NetworkDefinitionCreationFlags = uint32_t;

//! Property of a network that is fixed when it is created.
enum class NetworkDefinitionCreationFlag : int32_t {
    //! The batch is an ordinary dimension. This applies to all networks; the flag has no effect.
    kEXPLICIT_BATCH = 0,
    //! Tensor types are derived from the inputs, the operators and explicit casts; the builder does
    //! not change them. Precision flags (BuilderFlag::kFP16, ...) are refused. Without it the
    //! builder may choose among the enabled types.
    kSTRONGLY_TYPED TRT_DEPRECATED_ENUM = 1,
    //! Decorated Python plugins that have both run their Python function (`impl`).
    kPREFER_JIT_PYTHON_PLUGINS = 2,
    //! Decorated Python plugins that have both run their compiled kernel (`aot_impl`).
    kPREFER_AOT_PYTHON_PLUGINS = 3,
};

//! Number of values of NetworkDefinitionCreationFlag, for loops and tables.
template <>
constexpr int32_t EnumMax<NetworkDefinitionCreationFlag>() noexcept {
    return 4;
}

} // namespace nvinfer1
