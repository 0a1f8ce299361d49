// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where a tensor lives and which way it goes.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Which memory holds the data of a tensor or of weights.
enum class TensorLocation : int32_t {
    kDEVICE = 0, //!< Memory of the target: of the GPU on cuda, of the host on cpu.
    kHOST = 1,   //!< Memory of the host on every target. Shape tensors live there.
};

template <>
constexpr int32_t EnumMax<TensorLocation>() noexcept {
    return 2;
}

//! The role of a tensor of an engine, as ICudaEngine::getTensorIOMode() tells it.
enum class TensorIOMode : int32_t {
    kNONE = 0,   //!< Neither an input nor an output; also the answer to an unknown name.
    kINPUT = 1,  //!< Read by the engine.
    kOUTPUT = 2, //!< Written by the engine.
};

template <>
constexpr int32_t EnumMax<TensorIOMode>() noexcept {
    return 3;
}

} // namespace nvinfer1

#pragma GCC visibility pop
