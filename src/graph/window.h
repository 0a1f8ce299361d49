// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/expr.h"
#include "kiln/api/network/padding_mode.h"

namespace kiln::graph {

/// How a kernel or pooling window slides over 1 to 3 spatial axes. All Dims have one extent per
/// axis. nvinfer1::PaddingMode documents the arithmetic.
struct Window {
    Dims size{2, {1, 1}};
    Dims stride{2, {1, 1}};
    Dims dilation{2, {1, 1}};
    Dims prePadding{2, {0, 0}};
    Dims postPadding{2, {0, 0}};
    nvinfer1::PaddingMode paddingMode = nvinfer1::PaddingMode::kEXPLICIT_ROUND_DOWN;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.size, self.stride, self.dilation, self.prePadding, self.postPadding,
              self.paddingMode);
    }
    /// A window of this size that moves by 1, without dilation and padding.
    static Window ofSize(Dims const& size);

    /// Describes invalid numbers; empty if all are valid.
    std::string problem() const;

    bool computesPadding() const;
    /// Product of the sizes.
    int64_t area() const;
    /// Extent that one window covers: 1 + dilation * (size - 1).
    int64_t span(int32_t axis) const;
    /// Output extent for an input extent.
    ExprRef output(ExprPool& pool, int32_t axis, ExprRef input) const;

    /// Effective padding of one axis: as set, or computed from the extents.
    struct Padding {
        int64_t before = 0;
        int64_t after = 0;
    };
    Padding padding(int32_t axis, int64_t input, int64_t output) const;
};

} // namespace kiln::graph
