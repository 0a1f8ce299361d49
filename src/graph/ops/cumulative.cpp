// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cumulative.h"

#include "graph/op_registry.h"
#include "graph/parts.h"
#include "graph/shape_values.h"

namespace kiln::graph {

std::string Cumulative::problem() const {
    if (std::string text = enumProblem(operation, "CumulativeOperation"); !text.empty()) {
        return text;
    }
    return axis >= 0 && axis < Dims::MAX_DIMS
               ? std::string()
               : fmt::format("expected an axis from 0 to {}, got {}.", Dims::MAX_DIMS - 1, axis);
}

TypeRule Cumulative::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == kAxis && inputCount > kAxis ? TypeRule::kFixed : TypeRule::kCompute;
}

int32_t Cumulative::axisFor(InferContext const& context) const {
    int32_t const rank = context.inputs[kData].shape.rank;
    int64_t given = axis;
    if (context.has(kAxis)) {
        TensorFacts const& facts = context.inputs[kAxis];
        auto const values = constantValues(context.pool, facts);
        bool const integral = facts.type == DataType::kINT32 || facts.type == DataType::kINT64;
        if (!integral || !values || values->size() != 1) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axis (input 1): expected a constant scalar of int32 or int64, got {} {}. Use "
                 "a constant layer.",
                 where(context, kKind), nameOf(facts.type),
                 toText(knownDims(context.pool, facts.shape)));
        }
        given = values->front();
    }
    if (given < -rank || given >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis from {} to {}, got {}. Pass another axis.",
             where(context, kKind), -rank, rank - 1, given);
    }
    return static_cast<int32_t>(given < 0 ? given + rank : given);
}

void Cumulative::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    TensorFacts const& data = context.inputs[kData];
    if (!isFloating(data.type) && data.type != DataType::kINT32 && data.type != DataType::kINT64) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 of a floating-point type, int32 or int64, got {}. Add a cast "
             "layer.",
             where(context, kKind), nameOf(data.type));
    }
    static_cast<void>(axisFor(context));
    context.outputs[0].type = data.type;
    context.outputs[0].shape = data.shape;
}

std::unique_ptr<Region> Cumulative::parts(InferContext const& context) const {
    if (!context.has(kAxis)) {
        return nullptr;
    }
    Parts parts(context);
    Cumulative whole = *this;
    whole.axis = axisFor(context);
    return parts.finish({parts.add(whole, {kData})});
}

void registerOp_cumulative(OpRegistry& registry) {
    registry.add(Cumulative::kKind, &Cumulative::load);
}

} // namespace kiln::graph
