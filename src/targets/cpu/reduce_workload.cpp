// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/reduce_workload.h"

#include <limits>

#include "targets/cpu/elementwise_functions.h"

namespace kiln::targets::cpu {

using nvinfer1::ReduceOperation;

namespace {

FoldFunction foldOf(ReduceOperation operation) {
    switch (operation) {
    case ReduceOperation::kPROD: return FoldFunction::kProduct;
    case ReduceOperation::kMAX: return FoldFunction::kMaximum;
    case ReduceOperation::kMIN: return FoldFunction::kMinimum;
    default: return FoldFunction::kSum;
    }
}

} // namespace

graph::Reduce arranged(graph::Reduce const& op, MemoryOrder order, int32_t rank) {
    graph::Reduce result = op;
    result.axes = order.placesOf(op.axes, rank);
    return result;
}

std::string refuseLostAxes(graph::Reduce const& op, target::NodeSpec const& node) {
    bool const linear = node.outputs[0].type.format == TensorFormat::kLINEAR &&
                        node.inputs[0].type.format == TensorFormat::kLINEAR;
    return op.keepsAxes || linear ? std::string() : "expected reductions that keep their axes";
}

double startOf(FoldFunction fold) {
    return fold == FoldFunction::kSum       ? 0.0
           : fold == FoldFunction::kProduct ? 1.0
           : fold == FoldFunction::kMaximum ? -std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::infinity();
}

double combined(FoldFunction fold, double x, double y) {
    switch (fold) {
    case FoldFunction::kSum: return x + y;
    case FoldFunction::kProduct: return x * y;
    case FoldFunction::kMaximum: return Maximum::of(x, y);
    default: return Minimum::of(x, y);
    }
}

std::optional<ReduceState> stateOf(graph::Reduce const& given, Dims const& givenDims,
                                   MemoryOrder order) {
    graph::Reduce const op = arranged(given, order, givenDims.nbDims);
    Dims const dims = order.arranged(givenDims);
    ReduceState state;
    state.fold = foldOf(op.operation);
    state.averages = op.operation == ReduceOperation::kAVG;
    bool begun = false;
    bool ended = false;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] == 1) {
            continue;
        }
        if (!op.reduces(axis)) {
            ended = begun;
            (begun ? state.inner : state.outer) *= dims.d[axis];
        } else if (ended) {
            return std::nullopt;
        } else {
            begun = true;
            state.extent *= dims.d[axis];
        }
    }
    return state;
}

std::string refuseStates(graph::Reduce const& op, target::NodeSpec const& node,
                         std::function<std::string(ReduceState const&)> const& problem) {
    if (std::string reason = target::refuseUnlessFloat(node); !reason.empty()) {
        return reason;
    }
    if (std::string reason = refuseLostAxes(op, node); !reason.empty()) {
        return reason;
    }
    auto const order = commonOrder(node);
    if (!order) {
        return orderRefusal(node);
    }
    for (Dims const& dims : {node.inputs[0].min, node.inputs[0].opt, node.inputs[0].max}) {
        auto const state = stateOf(op, dims, *order);
        if (std::string reason = state ? problem(*state) : "expected neighbouring axes";
            !reason.empty()) {
            return reason;
        }
    }
    return {};
}

ReduceState checkedState(graph::Reduce const& op, target::Workload const& workload) {
    auto const order = commonOrder(workload);
    auto const state = order ? stateOf(op, workload.inputs[0], *order) : std::nullopt;
    if (!state) {
        fail(ErrorKind::kCorruptData,
             "[plan] a kernel of Reduce: expected neighbouring axes of {}. Build the plan again.",
             toText(workload.inputs[0]));
    }
    return *state;
}

} // namespace kiln::targets::cpu
