// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Dims: the shape of a tensor.
#pragma once

#include "kiln/api/macros.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A shape of up to eight dimensions, slowest first. A plain aggregate: `Dims{2, {3, 4}}`.
//!
//! An extent of -1 is a wildcard: it is known only at run time. nbDims 0 is a scalar. nbDims -1 is
//! an invalid shape: functions return it for an unknown tensor or an unknown rank.
class Dims64 {
public:
    //! The maximum number of dimensions of a tensor.
    static constexpr int32_t MAX_DIMS{8};

    //! The number of dimensions: 0 to MAX_DIMS, or -1.
    int32_t nbDims;

    //! The extents; only the first nbDims are valid.
    int64_t d[MAX_DIMS];
};

//! The name that the API uses.
using Dims = Dims64;

} // namespace nvinfer1

#pragma GCC visibility pop
