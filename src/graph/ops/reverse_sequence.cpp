// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reverse_sequence.h"

#include <algorithm>

#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

constexpr int32_t kMost = Dims::MAX_DIMS;

bool isAxis(int32_t axis, int32_t rank) {
    return axis >= -rank && axis < rank;
}

} // namespace

std::string ReverseSequence::problem() const {
    if (!isAxis(batchAxis, kMost) || !isAxis(sequenceAxis, kMost)) {
        return fmt::format("expected axes from {} to {}, got batch axis {} and sequence axis {}.",
                           -kMost, kMost - 1, batchAxis, sequenceAxis);
    }
    return {};
}

TypeRule ReverseSequence::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(inputCount);
    return operand == 1 ? TypeRule::kFixed : TypeRule::kCompute;
}

ReverseSequence::Shape ReverseSequence::shapeFor(Dims const& dims) const noexcept {
    int32_t const batch = batchAxis < 0 ? batchAxis + dims.nbDims : batchAxis;
    int32_t const sequence = sequenceAxis < 0 ? sequenceAxis + dims.nbDims : sequenceAxis;
    int32_t const first = std::min(batch, sequence);
    int32_t const second = std::max(batch, sequence);
    Shape shape;
    shape.sequenceFirst = sequence == first;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < first     ? shape.outer
         : i == first  ? shape.first
         : i < second  ? shape.middle
         : i == second ? shape.second
                       : shape.inner) *= dims.d[i];
    }
    return shape;
}

void ReverseSequence::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    TensorFacts const& data = context.inputs[0];
    TensorFacts const& lengths = context.inputs[1];
    int32_t const rank = data.shape.rank;
    bool const inside = isAxis(batchAxis, rank) && isAxis(sequenceAxis, rank);
    if (!inside || (batchAxis - sequenceAxis) % rank == 0) {
        fail(
            ErrorKind::kInvalidArgument,
            "{}: expected two different axes from {} to {} for the input {}, got batch axis {} and "
            "sequence axis {}. Set other axes.",
            where(context, kKind), -rank, rank - 1, toText(knownDims(context.pool, data.shape)),
            batchAxis, sequenceAxis);
    }
    bool const integral = lengths.type == DataType::kINT32 || lengths.type == DataType::kINT64;
    ExprPool const& pool = context.pool;
    int64_t const batch = pool.constantOr(data.shape[batchAxis < 0 ? batchAxis + rank : batchAxis]);
    int64_t const count = lengths.shape.rank == 1 ? pool.constantOr(lengths.shape[0]) : -1;
    bool const fits = batch < 0 || count < 0 || batch == count;
    if (!integral || lengths.shape.rank != 1 || !fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected lengths (input 1) of int32 or int64 [{}], got {} {}. Cast or reshape "
             "them.",
             where(context, kKind), batch, nameOf(lengths.type),
             toText(knownDims(pool, lengths.shape)));
    }
    context.outputs[0].type = data.type;
    context.outputs[0].shape = data.shape;
}

void registerOp_reverse_sequence(OpRegistry& registry) {
    registry.add(ReverseSequence::kKind, &ReverseSequence::load);
}

} // namespace kiln::graph
