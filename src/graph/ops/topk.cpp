// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/topk.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

bool isRanked(DataType type) {
    return isFloating(type) || type == DataType::kINT32 || type == DataType::kINT64 ||
           type == DataType::kINT8 || type == DataType::kUINT8;
}

} // namespace

std::string TopK::problem() const {
    if (std::string text = enumProblem(operation, "TopKOperation"); !text.empty()) {
        return text;
    }
    if (!std::has_single_bit(axes) || axis() >= Dims::MAX_DIMS) {
        return fmt::format("expected axes with one of the bits 0 to {}, got {:#x}.",
                           Dims::MAX_DIMS - 1, axes);
    }
    if (k < 0) {
        return fmt::format("expected k of 0 or more, got {}.", k);
    }
    return indexType == DataType::kINT32 || indexType == DataType::kINT64
               ? std::string()
               : fmt::format("expected indices of int32 or int64, got {}.",
                             isMember(indexType) ? nameOf(indexType) : "an unknown type");
}

TypeRule TopK::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == kData || operand == inputCount ? TypeRule::kCompute : TypeRule::kFixed;
}

ExprRef TopK::countOf(InferContext const& context) const {
    if (!context.has(kCount)) {
        return context.pool.constant(k);
    }
    if (!context.given.empty()) {
        return context.pool.constant(context.given[0].d[axis()]);
    }
    TensorFacts const& facts = context.inputs[kCount];
    bool const integral = facts.type == DataType::kINT32 || facts.type == DataType::kINT64;
    bool const single = facts.shape.rank == 0 ||
                        (facts.shape.rank == 1 && context.pool.constantOr(facts.shape[0]) == 1);
    if (!integral || !single) {
        fail(ErrorKind::kInvalidArgument,
             "{}, k (input 1): expected a scalar of int32 or int64, got {} {}. Cast or reshape it.",
             where(context, kKind), nameOf(facts.type),
             toText(knownDims(context.pool, facts.shape)));
    }
    if (!facts.values) {
        fail(ErrorKind::kInvalidArgument,
             "{}, k (input 1): expected a value that is known before the layer runs (a constant, "
             "an extent, a shape input, or computed from them), got data. Derive it from shape "
             "layers, or declare it as a network input.",
             where(context, kKind));
    }
    return facts.values->front();
}

void TopK::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    TensorFacts const& data = context.inputs[kData];
    if (!isRanked(data.type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 of a floating-point type, int32, int64, int8 or uint8, got {}. "
             "Add a cast layer.",
             where(context, kKind), nameOf(data.type));
    }
    if (axis() >= data.shape.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis below the input's rank {}, got {}. Set other axes.",
             where(context, kKind), data.shape.rank, axis());
    }
    ExprRef const count = countOf(context);
    int64_t const extent = context.pool.constantOr(data.shape[axis()]);
    int64_t const known = context.pool.isConstant(count) ? context.pool.node(count).value : 0;
    if (known < 0 || (extent >= 0 && known > extent)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected k from 0 to the extent {} of axis {}, got {}. Set another k.",
             where(context, kKind), extent, axis(), known);
    }
    for (TensorFacts& output : context.outputs) {
        output.type = &output == context.outputs.data() ? data.type : indexType;
        output.shape = data.shape;
        output.shape[axis()] = count;
    }
}

void registerOp_topk(OpRegistry& registry) {
    registry.add(TopK::kKind, &TopK::load);
}

} // namespace kiln::graph
