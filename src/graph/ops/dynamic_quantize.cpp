// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dynamic_quantize.h"

#include <algorithm>

#include "graph/op_registry.h"

namespace kiln::graph {

std::string DynamicQuantize::problem() const {
    if (!isQuantized(toType) || toType == DataType::kUINT8) {
        return fmt::format("expected an output type of FP4, FP8, INT8 or INT4, got {}.",
                           static_cast<int32_t>(toType));
    }
    if (!isScaleType(scaleType)) {
        return fmt::format("expected a scale type of FP8, E8M0, FLOAT, HALF or BF16, got {}.",
                           static_cast<int32_t>(scaleType));
    }
    if (blockShape.nbDims != 0) {
        return scaleShapeProblem(-1, blockShape);
    }
    if (axis < 0 || axis >= Dims::MAX_DIMS || blockSize < 1) {
        return fmt::format("expected an axis of 0 .. 7 and a block size of 1 or more, or a block "
                           "shape, got {} and {}.",
                           axis, blockSize);
    }
    return {};
}

Dims DynamicQuantize::blocksOf(int32_t rank) const {
    if (blockShape.nbDims != 0) {
        return blockShape;
    }
    Dims blocks{rank, {}};
    std::fill_n(blocks.d, rank, 1);
    blocks.d[axis] = blockSize;
    return blocks;
}

void DynamicQuantize::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    expectFloating(context, kKind);
    ShapeExpr const& shape = context.inputs[0].shape;
    int32_t const rank = shape.rank;
    if (rank < 1 || (blockShape.nbDims != 0 ? blockShape.nbDims != rank : axis >= rank)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input of rank 1 or more, and an axis below it or a block shape of "
             "it, got rank {}, axis {} and block shape {}.",
             where(context, kKind), rank, axis, toText(blockShape));
    }
    if (context.has(1)) {
        Dims const dims = knownDims(context.pool, context.inputs[1].shape);
        bool const single =
            std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent == 1; });
        if (!isFloating(context.inputs[1].type) || !single) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, factor of the scales (input 1): expected one number of floating-point type, "
                 "got {} {}. Reshape or cast it.",
                 where(context, kKind), nameOf(context.inputs[1].type), toText(dims));
        }
    }
    context.outputs[0].type = toType;
    context.outputs[0].shape = shape;
    context.outputs[1].type = scaleType;
    context.outputs[1].shape = shape;
    Dims const blocks = blocksOf(rank);
    for (int32_t i = 0; i < rank; ++i) {
        ExprPool& pool = context.pool;
        context.outputs[1].shape[i] =
            blocks.d[i] == 1 ? shape[i]
            : blocks.d[i] > 0
                ? pool.binary(ExprOp::kCeilDiv, shape[i], pool.constant(blocks.d[i]))
                : pool.binary(ExprOp::kMin, shape[i], pool.constant(1)); // no block of nothing
    }
}

TypeRule DynamicQuantize::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(inputCount);
    return operand == 0 ? TypeRule::kCompute : TypeRule::kFixed;
}

void registerOp_dynamic_quantize(OpRegistry& registry) {
    registry.add(DynamicQuantize::kKind, &DynamicQuantize::load);
}

} // namespace kiln::graph
