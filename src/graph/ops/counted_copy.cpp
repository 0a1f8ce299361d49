// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/counted_copy.h"

#include "graph/op_registry.h"

namespace kiln::graph {

std::string CountedCopy::problem() const {
    return axis >= 0 && axis < Dims::MAX_DIMS
               ? std::string()
               : fmt::format("axis: expected 0 to {}, got {}.", Dims::MAX_DIMS - 1, axis);
}

void CountedCopy::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    TensorFacts const& count = context.inputs[1];
    bool const integer = count.type == DataType::kINT32 || count.type == DataType::kINT64;
    if (axis >= context.inputs[0].shape.rank || count.shape.rank != 0 || !integer) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected data of more than {} dimensions and an int32 or int64 number, got data "
             "of {} and {} of {} dimensions. Build the plan again.",
             where(context, kKind), axis, context.inputs[0].shape.rank, nameOf(count.type),
             count.shape.rank);
    }
    context.outputs[0] = context.inputs[0];
}

TypeRule CountedCopy::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == 1 ? TypeRule::kFixed : OpBase::typeRule(operand, inputCount);
}

int64_t CountedCopy::entryVolume(Dims const& dims) const {
    Dims entry = dims;
    entry.d[axis] = 1;
    return volume(entry, "an entry of a counted copy");
}

void registerOp_counted_copy(OpRegistry& registry) {
    registry.add(CountedCopy::kKind, &CountedCopy::load);
}

} // namespace kiln::graph
