// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// As models write it: [b, h, s, d] becomes [b, h, 1, s, d], a Slice with stride 0 (Expand) or
// around the end (Tile) makes [b, h, n, s, d], and a reshape [b, h * n, s, d]. One head is also
// repeated without reshapes.
#include "compiler/repeated_heads.h"

#include "compiler/slice_start.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::ExprOp;
using graph::ExprRef;
using graph::ShapeExpr;
using graph::Shuffle;
using graph::Slice;

bool reshapesOnly(Shuffle const& op) {
    return op.firstTranspose == Shuffle::kIdentity;
}

/// The shape with another extent at an axis.
ShapeExpr with(ShapeExpr shape, int32_t axis, ExprRef extent) {
    shape[axis] = extent;
    return shape;
}

/// The shape with an axis of this extent in front of `axis`.
ShapeExpr inserted(ShapeExpr const& shape, int32_t axis, ExprRef extent) {
    ShapeExpr longer = shape;
    longer.rank = shape.rank + 1;
    for (int32_t i = longer.rank - 1; i > axis; --i) {
        longer[i] = shape[i - 1];
    }
    longer[axis] = extent;
    return longer;
}

/// The operand of a Slice that repeats its one element along an axis and leaves all others.
std::optional<ValueId> sliced(Program const& program, ValueId value, int32_t axis) {
    Step const* const step = program.producerOf(value);
    auto const* op = step == nullptr ? nullptr : step->as<Slice>();
    if (op == nullptr || !program.value(value).isPrivate() ||
        op->mode == nvinfer1::SampleMode::kFILL) {
        return std::nullopt;
    }
    graph::ExprPool& pool = program.pool;
    ShapeExpr const& from = program.value(step->inputs()[0]).shape;
    ShapeExpr const& to = program.value(value).shape;
    auto const numbers = sliceNumbers(program, *step);
    if (!numbers.has_value() || !(from == with(to, axis, pool.constant(1)))) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < numbers->axes.size(); ++i) {
        int32_t const at = numbers->axes[i];
        bool const repeats = at == axis && pool.constantOr(numbers->starts[i]) == 0;
        if (!repeats &&
            !takesAll(pool, from[at], to[at], numbers->starts[i], numbers->strides[i])) {
            return std::nullopt;
        }
    }
    return step->inputs()[0];
}

} // namespace

std::optional<Repetition> repeatedAlong(Program const& program, ValueId value,
                                        ShapeExpr const& shape, int32_t axis) {
    Repetition found;
    if (std::optional<ValueId> const one = sliced(program, value, axis)) {
        found.source = *one;
        found.steps = {program.value(value).producer()};
        return found;
    }
    Step const* const join = program.producerOf(value);
    auto const* shuffle = join == nullptr ? nullptr : join->as<Shuffle>();
    if (shuffle == nullptr || !program.value(value).isPrivate() || !reshapesOnly(*shuffle) ||
        shape.rank >= Dims::MAX_DIMS) {
        return std::nullopt;
    }
    ValueId const repeated = join->inputs()[0];
    ShapeExpr const& parts = program.value(repeated).shape;
    if (parts.rank != shape.rank + 1) {
        return std::nullopt;
    }
    ShapeExpr const source = with(shape, axis, parts[axis]);
    ExprRef const count = program.pool.binary(ExprOp::kProd, parts[axis], parts[axis + 1]);
    if (!(parts == inserted(source, axis + 1, parts[axis + 1])) || count != shape[axis]) {
        return std::nullopt;
    }
    std::optional<ValueId> const single = sliced(program, repeated, axis + 1);
    Step const* const split = single.has_value() ? program.producerOf(*single) : nullptr;
    auto const* reshape = split == nullptr ? nullptr : split->as<Shuffle>();
    if (reshape == nullptr || !program.value(*single).isPrivate() || !reshapesOnly(*reshape) ||
        reshape->secondTranspose != Shuffle::kIdentity ||
        !(program.value(split->inputs()[0]).shape == source)) {
        return std::nullopt;
    }
    found.source = split->inputs()[0];
    found.steps = {program.value(value).producer(), program.value(repeated).producer(),
                   program.value(*single).producer()};
    return found;
}

} // namespace kiln::compiler
