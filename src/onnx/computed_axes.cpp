// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/computed_axes.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// INT64 [rank]: how many axes in front of each one have the flag.
Term before(Term flags, int32_t rank) {
    Term const all = Term::range(Term::vector(flags.context(), {rank}));
    Term const isBefore = (all.inserted({1}) > all.inserted({0})).cast(DataType::kINT64);
    return (isBefore * flags).sum({1}, false);
}

} // namespace

Term vectorInput(NodeContext& context, size_t index) {
    Term const given = Term::input(context, index).cast(DataType::kINT64);
    Term const vector = given.rank() == 0 ? given.inserted({0}) : given;
    if (vector.rank() != 1 || vector.dims().d[0] < 0) {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_SHAPE,
            text("input ", index, ": expected a vector of known length, got ", given.dims(), "."));
    }
    return vector;
}

ComputedAxes::ComputedAxes(NodeContext& context, size_t index, int32_t rank) : rank_(rank) {
    Term const given = vectorInput(context, index);
    count_ = given.dims().d[0];
    if (count_ > rank) {
        context.fail(ErrorCode::kINVALID_NODE, text("input ", index, ": expected ", rank,
                                                    " axes at most, got ", count_, "."));
    }
    Term const axes = (given < 0.0).choose(given + rank, given);
    Term const all = Term::range(Term::vector(context, {rank}));
    matches_ = (axes.inserted({1}) == all.inserted({0})).cast(DataType::kINT64);
    flags_ = matches_.sum({0}, false);
}

Term ComputedAxes::spread(Term values, double otherwise) const {
    Term const given = (matches_ * values.inserted({1})).sum({0}, false);
    return otherwise == 0.0 ? given : given + (1.0 - flags_) * otherwise;
}

Term withoutAxes(Term x, ComputedAxes const& axes) {
    // The axis that stays, with `place` others that stay in front of it, goes to `place`.
    Term const stays = 1.0 - axes.flags();
    Term const places = before(stays, axes.rank());
    Term const extents = x.shape();
    std::vector<Term> shape;
    for (int64_t place = 0; place < axes.rank() - axes.count(); ++place) {
        Term const here = (places == static_cast<double>(place)).cast(DataType::kINT64) * stays;
        shape.push_back((here * extents).sum({0}, true));
    }
    return shape.empty() ? x.reshaped(std::vector<int64_t>{}) : x.reshaped(Term::joined(shape, 0));
}

Term withAxes(Term x, ComputedAxes const& axes) {
    Term const one = Term::vector(x.context(), {1});
    // Behind the last extent stands a 1, so that places of trailing new axes have one to read.
    Term const extents = x.rank() == 0 ? one : Term::joined({x.shape(), one}, 0);
    Term const stays = 1.0 - axes.flags();
    Term const places = before(stays, axes.rank());
    Term const all = Term::range(Term::vector(x.context(), {x.rank() + 1}));
    Term const isPlace = (places.inserted({1}) == all.inserted({0})).cast(DataType::kINT64);
    Term const own = (isPlace * extents).sum({1}, false); // not a gather: this is tracked
    return x.reshaped(axes.flags() + stays * own);
}

} // namespace kiln::onnx
