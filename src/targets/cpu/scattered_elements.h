// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where a scatter of elements along an axis reads and writes.
#pragma once

#include "base/dims.h"
#include "target/nest.h"

namespace kiln::targets::cpu {

struct ScatteredElements {
    Nest<2> others;     ///< offsets in the indices and in the data, without the axis
    int64_t along = 0;  ///< indices along the axis
    int64_t stride = 0; ///< of them
    int64_t extent = 0; ///< of the data along the axis
    int64_t step = 0;   ///< the stride of the data along the axis

    void set(int32_t axis, Dims const& data, Dims const& indices) {
        auto const ofData = denseStrides(data);
        auto const ofIndices = denseStrides(indices);
        for (int32_t i = 0; i < data.nbDims; ++i) {
            auto const at = static_cast<std::size_t>(i);
            if (i != axis) {
                others.add(indices.d[i], {ofIndices[at], ofData[at]});
            }
        }
        auto const at = static_cast<std::size_t>(axis);
        along = indices.d[axis];
        stride = ofIndices[at];
        extent = data.d[axis];
        step = ofData[at];
    }
};

} // namespace kiln::targets::cpu
