// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dist_collective.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "graph/parts.h"

namespace kiln::graph {

using nvinfer1::CollectiveOperation;
using nvinfer1::ReduceOperation;

bool DistCollective::reduces() const {
    return operation == CollectiveOperation::kALL_REDUCE ||
           operation == CollectiveOperation::kREDUCE ||
           operation == CollectiveOperation::kREDUCE_SCATTER;
}

bool DistCollective::hasRoot() const {
    return operation == CollectiveOperation::kBROADCAST ||
           operation == CollectiveOperation::kREDUCE || operation == CollectiveOperation::kGATHER ||
           operation == CollectiveOperation::kSCATTER;
}

std::string DistCollective::problem() const {
    std::string text = enumProblem(operation, "CollectiveOperation");
    text = text.empty() ? enumProblem(reduction, "ReduceOperation") : text;
    if (!text.empty()) {
        return text;
    }
    if (reduces() == (reduction == ReduceOperation::kNONE)) {
        return reduces() ? "expected a reduction for this operation, got NONE."
                         : "expected the reduction NONE for this operation, got another one.";
    }
    if (hasRoot() ? root < 0 : root < -1) {
        return fmt::format("expected a root of {} or more, got {}.", hasRoot() ? 0 : -1, root);
    }
    auto const most = static_cast<int32_t>(kMostRanks);
    if (ranks < 1 || ranks > most || groupSize < 0 || groupSize > most) {
        return fmt::format("expected 1 to {} ranks, and a group of at most as many, got {} and {}.",
                           kMostRanks, ranks, groupSize);
    }
    bool const known = std::all_of(group.begin(), group.begin() + groupSize, [&](int64_t rank) {
        return rank >= 0 && rank < static_cast<int64_t>(kMostRanks);
    });
    return known ? std::string()
                 : fmt::format("expected ranks of 0 to {} in the group, got others.", most - 1);
}

void DistCollective::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& input = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    output.type = input.type;
    output.shape = input.shape;
    bool const joins =
        operation == CollectiveOperation::kALL_GATHER || operation == CollectiveOperation::kGATHER;
    bool const splits = operation == CollectiveOperation::kREDUCE_SCATTER ||
                        operation == CollectiveOperation::kSCATTER;
    bool const exchanges = operation == CollectiveOperation::kALL_TO_ALL;
    if (!joins && !splits && !exchanges) {
        return;
    }
    ExprPool& pool = context.pool;
    int64_t const first = input.shape.rank == 0 ? -1 : pool.constantOr(input.shape[0]);
    if (input.shape.rank == 0 || (!joins && first >= 0 && first % members() != 0)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input with an axis 0{}, got {}. Reshape it.", where(context, kKind),
             joins ? "" : fmt::format(" of a multiple of {}", members()),
             toText(knownDims(pool, input.shape)));
    }
    ExprRef const count = pool.constant(members());
    if (!exchanges) {
        output.shape[0] =
            pool.binary(joins ? ExprOp::kProd : ExprOp::kFloorDiv, input.shape[0], count);
    }
}

std::unique_ptr<Region> DistCollective::parts(InferContext const& context) const {
    return members() == 1 ? Parts(context).finish({0}) : nullptr;
}

void registerOp_dist_collective(OpRegistry& registry) {
    registry.add(DistCollective::kKind, &DistCollective::load);
}

} // namespace kiln::graph
