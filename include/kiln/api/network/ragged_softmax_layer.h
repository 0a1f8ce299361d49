// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Softmax over the first elements of each row, whose number differs from row to row.
//!
//! Input 0:  [..., rows, length], rank 2 or more; kFLOAT, kHALF or kBF16.
//! Input 1:  bounds, [..., rows, 1], kINT32 or kINT64: the number of elements that count in each
//!     row. Numbers below 0 mean 0, numbers above the length mean the length.
//! Output 0: shape and type of input 0. exp(x) / sum of exp over the first elements; 0 for the
//!     others.
class IRaggedSoftMaxLayer : public ILayer {
public:
    ~IRaggedSoftMaxLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
