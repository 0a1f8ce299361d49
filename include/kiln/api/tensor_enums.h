// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Location and role of a tensor.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The memory that holds the data of a tensor or of weights.
enum class TensorLocation : int32_t {
    kDEVICE = 0, //!< Memory of the target: GPU memory on cuda, host memory on cpu.
    kHOST = 1,   //!< Host memory on every target, for shape tensors.
};

template <>
constexpr int32_t EnumMax<TensorLocation>() noexcept {
    return 2;
}

//! The role of a tensor of an engine, see ICudaEngine::getTensorIOMode().
enum class TensorIOMode : int32_t {
    kNONE = 0,   //!< Neither an input nor an output; also for an unknown name.
    kINPUT = 1,  //!< Read by the engine.
    kOUTPUT = 2, //!< Written by the engine.
};

template <>
constexpr int32_t EnumMax<TensorIOMode>() noexcept {
    return 3;
}

} // namespace nvinfer1

#pragma GCC visibility pop
