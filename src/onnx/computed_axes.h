// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Axes that are known only at run time: inputs of the model, or computed. Their number is known
// while the model is parsed, so ranks are too. They become 0 or 1 for each axis of a tensor.
#pragma once

#include "onnx/term.h"

#include <cstdint>

namespace kiln::onnx {

class ComputedAxes {
public:
    // Input `index` of the node: axes of a tensor of this rank; negative ones count from the back.
    ComputedAxes(NodeContext& context, size_t index, int32_t rank);

    int64_t count() const { return count_; }
    int32_t rank() const { return rank_; }

    // INT64 [rank]: 1 for a given axis.
    Term flags() const { return flags_; }

    // INT64 [rank]: the element of `values` that belongs to an axis, or `otherwise`.
    Term spread(Term values, double otherwise) const;

    // BOOL of one element: whether `axis` is given.
    Term has(int32_t axis) const { return flags_.sliced(0, axis, 1) > 0.0; }

private:
    int32_t rank_;
    int64_t count_ = 0;
    Term matches_; // INT64 [count, rank]
    Term flags_;
};

// Input `index` as an INT64 vector; ImportError if its length is unknown.
Term vectorInput(NodeContext& context, size_t index);

// Without the given axes, which have extent 1.
Term withoutAxes(Term x, ComputedAxes const& axes);

// With extents of 1 at the given axes of the result.
Term withAxes(Term x, ComputedAxes const& axes);

// The axis that input `index` gives is where `change` goes: for each axis of x, the result of
// change(x, axis) is chosen if the input is that axis. Results have the shape of x.
template <typename Change>
Term atComputedAxis(NodeContext& context, size_t index, Term x, Change change) {
    ComputedAxes const axes(context, index, x.rank());
    Term result = x;
    for (int32_t axis = 0; axis < x.rank(); ++axis) {
        result = axes.has(axis).choose(change(x, axis), result);
    }
    return result;
}

} // namespace kiln::onnx
