// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/normalization.h"

#include <cmath>

#include "graph/op_registry.h"

namespace kiln::graph {

std::string Normalization::problem() const {
    if (axes == 0) {
        return "expected axes with one bit or more, got 0.";
    }
    if (!std::isfinite(epsilon) || epsilon < 0.0F) {
        return fmt::format("expected an epsilon of 0 or more, got {}.", epsilon);
    }
    if (groups < 1) {
        return fmt::format("expected 1 or more groups, got {}.", groups);
    }
    if (precision != DataType::kFLOAT && precision != DataType::kHALF &&
        precision != DataType::kBF16) {
        return fmt::format("expected a compute precision of FLOAT, HALF or BF16, got {}.",
                           static_cast<int32_t>(precision));
    }
    return {};
}

void Normalization::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 3);
    expectFloating(context, kKind);
    TensorFacts const& input = context.inputs[0];
    if (axes >> input.shape.rank != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected axes below the input's rank {}, got the mask {:#x}. Bit i selects axis "
             "i.",
             where(context, kKind), input.shape.rank, axes);
    }
    if (groups > 1) {
        checkGroups(context);
    }
    checkFactor(context, 1);
    checkFactor(context, 2);
    context.outputs[0].type = expectSameType(context, kKind);
    context.outputs[0].shape = input.shape;
}

void Normalization::checkGroups(InferContext const& context) const {
    ShapeExpr const& shape = context.inputs[0].shape;
    uint32_t const spatial = (1U << static_cast<uint32_t>(shape.rank)) - 4U;
    if (shape.rank < 3 || axes != spatial) {
        fail(ErrorKind::kInvalidArgument,
             "{}: with groups, expected an input of rank 3 or more and as axes all after the "
             "channels, got rank {} and the mask {:#x}. Set the axes to 2 .. rank - 1.",
             where(context, kKind), shape.rank, axes);
    }
    int64_t const channels = context.pool.constantOr(shape[1]);
    if (channels >= 0 && channels % groups != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected groups that divide the {} channels, got {}. Set another number of "
             "groups.",
             where(context, kKind), channels, groups);
    }
}

void Normalization::checkFactor(InferContext const& context, std::size_t operand) const {
    ExprPool const& pool = context.pool;
    Dims const wanted = knownDims(pool, context.inputs[0].shape);
    Dims const got = knownDims(pool, context.inputs[operand].shape);
    bool fits = got.nbDims == wanted.nbDims;
    for (int32_t i = 0; fits && i < got.nbDims; ++i) {
        bool const byGroup = groups > 1 && i == 1 && !scalesChannels && got.d[i] == groups;
        fits =
            got.d[i] < 0 || got.d[i] == 1 || wanted.d[i] < 0 || got.d[i] == wanted.d[i] || byGroup;
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected the rank of the input {} and extents that are equal or "
             "1{}, got {}. Reshape it.",
             where(context, kKind), operand == 1 ? "scale" : "bias", operand, toText(wanted),
             groups > 1 && !scalesChannels ? fmt::format(", or {} groups on axis 1", groups) : "",
             toText(got));
    }
}

void registerOp_normalization(OpRegistry& registry) {
    registry.add(Normalization::kKind, &Normalization::load);
}

} // namespace kiln::graph
