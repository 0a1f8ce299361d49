// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// What a Slice takes, by sliced axis.
struct SliceNumbers {
    std::vector<int32_t> axes; ///< from 0 on
    std::vector<graph::ExprRef> starts;
    std::vector<graph::ExprRef> strides;
};
/// nullopt if the step is no Slice, or if some number is computed on the device.
std::optional<SliceNumbers> sliceNumbers(Program const& program, Step const& step);

/// Whether a Slice takes a whole axis in order: also with the stride of an Expand, which is 0 for
/// the one element of a short axis.
bool takesAll(graph::ExprPool& pool, graph::ExprRef from, graph::ExprRef to, graph::ExprRef start,
              graph::ExprRef stride);

/// Where a Slice of neighbours along the last axis begins, which takes all of the other axes;
/// nullopt if the step is another one.
std::optional<int64_t> startOfSlice(Program const& program, Step const& step);

} // namespace kiln::compiler
