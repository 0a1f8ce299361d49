// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reduce.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::ReduceOperation;

namespace {

ExprOp stepOf(ReduceOperation operation) {
    switch (operation) {
    case ReduceOperation::kPROD: return ExprOp::kProd;
    case ReduceOperation::kMAX: return ExprOp::kMax;
    case ReduceOperation::kMIN: return ExprOp::kMin;
    default: return ExprOp::kSum;
    }
}

} // namespace

std::string Reduce::problem() const {
    if (std::string text = enumProblem(operation, "ReduceOperation"); !text.empty()) {
        return text;
    }
    if (operation == ReduceOperation::kNONE) {
        return "expected an operation that combines elements, got NONE.";
    }
    return axes == 0 ? "expected axes with one bit or more, got 0." : std::string();
}

void Reduce::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& input = context.inputs[0];
    if (input.type != DataType::kINT32 && input.type != DataType::kINT64) {
        expectFloating(context, kKind);
    }
    if (axes >> input.shape.rank != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected axes below the input's rank {}, got the mask {:#x}. Bit i selects axis "
             "i.",
             where(context, kKind), input.shape.rank, axes);
    }
    TensorFacts& output = context.outputs[0];
    output.type = input.type;
    for (int32_t axis = 0; axis < input.shape.rank; ++axis) {
        if (!reduces(axis)) {
            output.shape[output.shape.rank++] = input.shape[axis];
        } else if (keepsAxes) {
            output.shape[output.shape.rank++] = context.pool.constant(1);
        }
    }
    followValues(context);
}

/// Each output value combines the input values along the reduced axes.
void Reduce::followValues(InferContext& context) const {
    TensorFacts const& input = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    ExprPool& pool = context.pool;
    if (!input.values || input.values->empty() || isFloating(input.type)) {
        return;
    }
    Dims const dims = knownDims(pool, input.shape);
    followElements(pool, output, [&](Position const& position) {
        Position at{dims.nbDims, {}};
        int32_t kept = 0;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
            if (!reduces(axis)) {
                at.d[axis] = position.d[kept++];
            } else if (keepsAxes) {
                ++kept;
            }
        }
        std::optional<ExprRef> result;
        int64_t count = 0;
        for (bool more = true; more; ++count) {
            ExprRef const value = valueAt(pool, input, at);
            result = result ? pool.binary(stepOf(operation), *result, value) : value;
            more = false;
            for (int32_t axis = dims.nbDims - 1; axis >= 0 && !more; --axis) {
                if (reduces(axis)) {
                    more = ++at.d[axis] < dims.d[axis];
                    at.d[axis] = more ? at.d[axis] : 0;
                }
            }
        }
        return operation == ReduceOperation::kAVG
                   ? pool.binary(ExprOp::kTruncDiv, *result, pool.constant(count))
                   : *result;
    });
}

void registerOp_reduce(OpRegistry& registry) {
    registry.add(Reduce::kKind, &Reduce::load);
}

} // namespace kiln::graph
