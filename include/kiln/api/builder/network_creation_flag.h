// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/macros.h"

#include <cstdint>

namespace nvinfer1 {

//! Bit mask of NetworkDefinitionCreationFlag: bit 1U << int(flag) switches a flag on.
using NetworkDefinitionCreationFlags = uint32_t;

//! Property of a network that is fixed when it is created.
enum class NetworkDefinitionCreationFlag : int32_t {
    //! The batch is an ordinary dimension. Every network is like that: the flag changes nothing.
    kEXPLICIT_BATCH = 0,
    //! Tensor types follow from the inputs, the operators and explicit casts; the builder changes
    //! none. Precision flags (BuilderFlag::kFP16, ...), ILayer::setPrecision() and
    //! ILayer::setOutputType() are refused. Without it the builder may choose among the enabled
    //! types.
    kSTRONGLY_TYPED TRT_DEPRECATED_ENUM = 1,
    //! Decorated Python plugins that offer both run their Python function (`impl`).
    kPREFER_JIT_PYTHON_PLUGINS = 2,
    //! Decorated Python plugins that offer both run their compiled kernel (`aot_impl`).
    kPREFER_AOT_PYTHON_PLUGINS = 3,
};

//! Number of values of NetworkDefinitionCreationFlag, for loops and tables.
template <>
constexpr int32_t EnumMax<NetworkDefinitionCreationFlag>() noexcept {
    return 4;
}

} // namespace nvinfer1
