// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

//! \file
//! Values of tensors that are known while a network is built.
#pragma once

#include "kiln/api/network/tensor.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! Reads the elements of a tensor if they are the same in every run: constants, known extents, and
//! what is computed from these. For parsers: an argument of a layer that is a number, not a tensor,
//! may be computed in a model.
//!
//! \param values receives the elements, in row-major order; null to ask for their number only.
//! \param capacity how many elements `values` can hold.
//!
//! \return the number of elements; -1 if they are not known, not of type kINT32, kINT64 or kBOOL,
//!     or more than `capacity` while `values` is not null.
int64_t knownValues(nvinfer1::ITensor const& tensor, int64_t* values, int64_t capacity) noexcept;

//! Whether the elements of a tensor of kINT32, kINT64 or kBOOL may decide extents: they follow from
//! constants, extents and network inputs, which then are shape inputs. The elements of other
//! tensors are known only when the layer behind them runs.
bool hasShapeValues(nvinfer1::ITensor const& tensor) noexcept;

} // namespace kiln

#pragma GCC visibility pop
